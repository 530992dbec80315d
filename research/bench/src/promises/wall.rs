//! The wall clock compared with `CLOCK_REALTIME`, which it checks every second.

use std::time::{Duration, Instant};

use chronoscope::Wall;
use serde::Serialize;

use crate::os;

/// The result.
#[derive(Debug, Serialize)]
pub struct WallTime {
    pub promise: &'static str,
    pub seconds: u64,
    pub samples: u64,
    /// Further samples that were interrupted. Their bracket is wider than 200 ns, so they show no
    /// error, but the bound is checked against them too.
    pub torn: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub p9999_ns: u64,
    pub worst_ns: u64,
    /// The bound that was stated with the worst error.
    pub bound_ns: u64,
    /// Samples of either kind beyond their own stated bound.
    pub beyond: u64,
    pub passed: bool,
}

/// The pause between two samples.
const PAUSE: Duration = Duration::from_micros(500);
/// A bracket wider than this was interrupted.
const TORN_NS: u64 = 200;
/// What is promised for 99.99 % of the samples.
const PROMISED_NS: u64 = 250;

/// Takes samples for this many seconds.
pub fn run(seconds: u64) -> anyhow::Result<WallTime> {
    let mut errors = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 4)?;
    let (mut torn, mut beyond, mut worst, mut bound) = (0, 0, 0, 0);
    Wall::sync();
    let start = Instant::now();
    let mut next_sync = Duration::from_secs(1);
    while start.elapsed().as_secs() < seconds {
        if start.elapsed() >= next_sync {
            Wall::sync();
            next_sync += Duration::from_secs(1);
        }
        let before = os::realtime_ns();
        let wall = Wall::now_bounded();
        let after = os::realtime_ns();
        let bracket = Bracket { before, after };
        match bracket.error(wall.now) {
            Some(error) => {
                errors.saturating_record(error);
                if error > worst {
                    (worst, bound) = (error, wall.tracking);
                }
            }
            None => torn += 1,
        }
        beyond += u64::from(!bracket.meets(wall.now, wall.tracking));
        std::thread::sleep(PAUSE);
    }
    let at = |share: f64| errors.value_at_quantile(share);
    Ok(WallTime {
        promise: "wall",
        seconds,
        samples: errors.len(),
        torn,
        p50_ns: at(0.5),
        p99_ns: at(0.99),
        p9999_ns: at(0.9999),
        worst_ns: worst,
        bound_ns: bound,
        beyond,
        passed: at(0.9999) <= PROMISED_NS && beyond == 0 && !errors.is_empty(),
    })
}

/// Two reads of the system's clock, around one of the library's.
struct Bracket {
    before: u64,
    after: u64,
}

impl Bracket {
    /// The distance from the middle, of which half the bracket is not the library's error; `None`
    /// if something ran between the reads, or if the clock was set back.
    fn error(&self, now: u64) -> Option<u64> {
        let width = self.after.checked_sub(self.before)?;
        (width <= TORN_NS).then(|| now.abs_diff(self.before + width / 2))
    }

    /// Whether the system's clock can have been within the stated bound when it was read, to the
    /// nanosecond to which the reads are truncated. This is valid however wide the bracket is.
    fn meets(&self, now: u64, stated: u64) -> bool {
        let (first, last) = (self.before.min(self.after), self.before.max(self.after));
        let reach = stated.saturating_add(1);
        now.saturating_sub(reach) <= last && now.saturating_add(reach) >= first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_sample_shows_no_error_and_is_checked_against_the_bound() {
        let (whole, torn) =
            (Bracket { before: 1_000, after: 1_100 }, Bracket { before: 1_000, after: 9_000 });
        assert_eq!((whole.error(1_060), torn.error(1_060)), (Some(10), None));
        assert!(torn.meets(1_000, 0) && torn.meets(9_000, 0) && torn.meets(5_000, 0));
        assert!(torn.meets(899, 100) && torn.meets(9_101, 100));
        assert!(!torn.meets(898, 100) && !torn.meets(9_102, 100));
        assert!(whole.meets(1_050, 0) && !whole.meets(1_200, 98));
        let stepped = Bracket { before: 9_000, after: 1_000 };
        assert!(stepped.error(5_000).is_none() && stepped.meets(5_000, 0));
        assert!(whole.meets(u64::MAX, u64::MAX) && whole.meets(0, u64::MAX));
    }
}
