//! One moment on two clocks: a read of the counter between two reads of the other clock.

/// The other clock was in `[low, high]` nanoseconds when the counter was at `ticks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The counter, as read: it means anything up to its next step.
    pub ticks: u64,
    /// How many ticks that is.
    pub ticks_step: u64,
    /// The other clock before, as read.
    pub low: u64,
    /// The other clock after; a read of it means anything up to its next step.
    pub high: u64,
}

impl Sample {
    pub const NONE: Self = Self {
        ticks: 0,
        ticks_step: 1,
        low: 0,
        high: 0,
    };

    /// How little is known of the moment, in nanoseconds.
    pub fn width(&self) -> u64 {
        self.high.saturating_sub(self.low)
    }

    /// The middle, the best guess where both reads of the other clock cost the same.
    pub fn middle(&self) -> u64 {
        self.low.saturating_add(self.width() / 2)
    }
}

/// How far each of the two advances at once.
#[derive(Clone, Copy)]
pub struct Steps {
    /// In nanoseconds.
    pub clock: u64,
    /// In ticks.
    pub counter: u64,
}

/// The narrowest of `tries` brackets: one that an interruption hit is wide, and loses.
///
/// `None` when the other clock went backwards between every two reads.
pub fn narrowest(
    clock: impl Fn() -> u64,
    counter: impl Fn() -> u64,
    steps: Steps,
    tries: u32,
) -> Option<Sample> {
    let once = || {
        let low = clock();
        let ticks = counter();
        let high = clock();
        (high >= low).then_some(Sample {
            ticks,
            ticks_step: steps.counter,
            low,
            high: high.saturating_add(steps.clock),
        })
    };
    (0..tries).filter_map(|_| once()).min_by_key(Sample::width)
}
