//! One moment on two clocks: a read of the counter between two reads of the other clock.

/// The other clock was in `[low, high]` nanoseconds when the counter was at `ticks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The counter, as read; the true value lies between this and the next step.
    pub ticks: u64,
    /// The size of a step, in ticks.
    pub ticks_step: u64,
    /// The other clock before the counter, as read.
    pub low: u64,
    /// The other clock after the counter; the true value of a read lies between it and the next
    /// step.
    pub high: u64,
}

impl Sample {
    pub const NONE: Self = Self { ticks: 0, ticks_step: 1, low: 0, high: 0 };

    /// The uncertainty of the moment, in nanoseconds.
    pub fn width(&self) -> u64 {
        self.high.saturating_sub(self.low)
    }

    /// The middle, which is the best guess if both reads of the other clock cost the same.
    pub fn middle(&self) -> u64 {
        self.low.saturating_add(self.width() / 2)
    }
}

/// The step in which each of the two clocks advances.
#[derive(Clone, Copy)]
pub struct Steps {
    /// In nanoseconds.
    pub clock: u64,
    /// In ticks.
    pub counter: u64,
}

/// Returns the narrowest of `tries` brackets, or the first that is at most `enough` nanoseconds
/// wide: one that was interrupted is wide and is not chosen.
///
/// `None` if the other clock went backwards between every two reads.
pub fn narrowest(
    clock: impl Fn() -> u64,
    counter: impl Fn() -> u64,
    steps: Steps,
    tries: u32,
    enough: u64,
) -> Option<Sample> {
    let mut best: Option<Sample> = None;
    for _ in 0..tries {
        let low = clock();
        let ticks = counter();
        let high = clock();
        if high < low {
            continue;
        }
        let high = high.saturating_add(steps.clock);
        let sample = Sample { ticks, ticks_step: steps.counter, low, high };
        if best.is_none_or(|best| sample.width() < best.width()) {
            best = Some(sample);
        }
        if sample.width() <= enough {
            break;
        }
    }
    best
}
