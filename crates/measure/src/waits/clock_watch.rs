//! The wall clock, as `watch` shows it: its drift and its steps.

use super::wall::Wall;
use chronoscope_probes::waits::os;
use std::collections::VecDeque;

/// The drift is that of at most this many looks, a second apart.
const LOOKS: usize = 60;

/// Watches the wall clock.
pub struct ClockWatch {
    wall: Wall,
    suspended: Option<u64>,
    /// The clock that nothing slews, and the wall clock less that one, which wraps, since the last
    /// step.
    looks: VecDeque<(u64, u64)>,
    began: u64,
}

/// What was seen since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// The rate of the wall clock against a clock that nothing slews, in parts per million, over
    /// the last minute or since the last step.
    pub drift_ppm: Option<f64>,
    /// Steps. One while the machine was suspended is not seen.
    pub steps: u64,
}

impl Default for ClockWatch {
    fn default() -> Self {
        Self {
            wall: Wall::new(os::wall_offset()),
            suspended: os::suspended(),
            looks: VecDeque::from([look()]),
            began: os::monotonic(),
        }
    }
}

/// The clock that nothing slews, and the wall clock less that one: the tightest of a few tries.
fn look() -> (u64, u64) {
    let tries = (0..8).map(|_| {
        let before = os::reference();
        let wall = os::wall();
        let width = os::reference().wrapping_sub(before);
        let middle = before.wrapping_add(width / 2);
        (width, middle, wall.wrapping_sub(middle))
    });
    tries.min().map_or((0, 0), |(_, at, offset)| (at, offset))
}

impl ClockWatch {
    /// Looks at the clocks. Call it about once a second.
    pub fn look(&mut self) -> Kept {
        let suspended = os::suspended();
        let at_s = os::monotonic().saturating_sub(self.began) as f64 / 1e9;
        let before = self.wall.steps;
        if suspended.zip(self.suspended).is_some_and(|(now, before)| now > before + SUSPEND_NS) {
            // The clocks have moved apart, and a step could not be told from that.
            self.wall.forget(os::wall_offset(), at_s);
            self.looks.clear();
        } else {
            self.wall.look(os::wall_offset(), at_s);
        }
        self.suspended = suspended;
        let steps = self.wall.steps - before;
        if steps > 0 {
            self.looks.clear();
        }
        self.looks.truncate(LOOKS);
        self.looks.push_front(look());
        Kept { drift_ppm: drift_ppm(&self.looks), steps }
    }
}

/// A shorter suspend, in nanoseconds, is within the scatter of the clocks.
const SUSPEND_NS: u64 = 1_000_000;

/// The drift from the oldest of these looks to the newest, which is the first.
fn drift_ppm(looks: &VecDeque<(u64, u64)>) -> Option<f64> {
    let (newest, oldest) = (looks.front()?, looks.back()?);
    let moved = newest.1.wrapping_sub(oldest.1).cast_signed() as f64;
    let passed = newest.0.saturating_sub(oldest.0) as f64;
    (passed > 0.0).then(|| moved / passed * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drift_is_that_of_the_whole_time_even_where_the_offset_wraps() {
        let looks: VecDeque<_> = (0..10u64)
            .rev()
            .map(|n| (n * 1_000_000_000, (n * 2_000).wrapping_sub(7_000)))
            .collect();
        assert_eq!(drift_ppm(&looks), Some(2.0));
        assert_eq!(drift_ppm(&VecDeque::from([(5, 5)])), None);
        let mut watch = ClockWatch::default();
        for _ in 0..LOOKS + 5 {
            watch.look();
        }
        assert!(watch.looks.len() <= LOOKS + 1);
    }
}
