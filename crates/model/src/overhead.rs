//! What timing adds to a real loop.

use serde::{Deserialize, Serialize};

/// A loop with and without two reads and a subtraction around each iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overhead {
    /// The clock.
    pub id: String,
    /// How many samples were asked for.
    pub samples: u64,
    /// Iterations per sample.
    pub n: u64,
    /// Integers summed in each iteration.
    pub m: u64,
    /// How many samples were taken; fewer than asked for if the time ran out.
    pub taken: u64,
    /// How many processes the samples come from; absent in reports of earlier versions, which used
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Iterations of the only sample, if it ended before it was complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<u64>,
    /// An iteration without timing.
    pub baseline: Centre,
    /// An iteration with timing.
    pub timed: Centre,
    /// Timed minus baseline, sample by sample.
    pub overhead: Centre,
}

/// With fewer samples there is no 95 % interval of the median: all are on one side of it in 2 of
/// 2^n cases.
pub const FEWEST: u64 = 6;

impl Overhead {
    /// Whether there are enough samples for the intervals of the medians.
    pub fn has_intervals(&self) -> bool {
        self.taken >= FEWEST
    }
}

/// The mean of all samples, and the median: the mean of the medians of the processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Centre {
    /// The mean, in nanoseconds.
    pub average_ns: f64,
    /// The median, in nanoseconds.
    pub median_ns: f64,
    /// Lower end of the 95 % interval of the median, in nanoseconds.
    pub low_ns: f64,
    /// Upper end of the same interval, in nanoseconds.
    pub high_ns: f64,
}

impl Centre {
    /// With an interval that is wider by this many nanoseconds, in quadrature.
    #[must_use]
    pub fn widened(self, by_ns: f64) -> Self {
        let Self { median_ns, low_ns, high_ns, .. } = self;
        let low_ns = median_ns - by_ns.hypot(median_ns - low_ns);
        Self { low_ns, high_ns: median_ns + by_ns.hypot(high_ns - median_ns), ..self }
    }
}
