//! What timing adds to a real loop.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loop with and without two reads and a subtraction around each turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// The clock.
    pub id: String,
    /// Samples asked for.
    pub samples: u64,
    /// Turns in a sample.
    pub n: u64,
    /// Integers summed in a turn.
    pub m: u64,
    /// Samples taken until the time was spent or all were taken.
    pub taken: u64,
    /// Turns of the only sample, where the end came before it was finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<u64>,
    /// A turn without timing.
    pub baseline: Centre,
    /// A turn with timing.
    pub timed: Centre,
    /// Timed less baseline, sample by sample.
    pub overhead: Centre,
}

/// Two centres of a distribution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Centre {
    /// The mean, in nanoseconds.
    pub average_ns: f64,
    /// The median, in nanoseconds.
    pub median_ns: f64,
    /// Lower end of the 95 % interval of the median, in nanoseconds.
    pub low_ns: f64,
    /// Upper end of it.
    pub high_ns: f64,
}
