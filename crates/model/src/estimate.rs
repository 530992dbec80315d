//! A duration with its uncertainty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why sampling ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// The interval became as narrow as was asked.
    Precision,
    /// The time, or the cap on iterations that stands beside it, was spent.
    #[default]
    Budget,
}

/// The cost of one read, in nanoseconds, with the empty loop taken off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The estimate: the mode of the batches' cost per read, less the empty batch's.
    pub value_ns: f64,
    /// Lower end of the 95 % interval, with the ruler's rate error carried in.
    pub low_ns: f64,
    /// Upper end of the 95 % interval, with the ruler's rate error carried in.
    pub high_ns: f64,
    /// The cheapest batch, per read; nothing but the ruler's own cost is taken off, here and below.
    pub min_ns: f64,
    /// The median batch, per read.
    pub median_ns: f64,
    /// Median absolute deviation of the batches, per read.
    pub mad_ns: f64,
    /// The 99th percentile of the batches, per read.
    pub p99_ns: f64,
    /// The dearest batch, per read.
    pub max_ns: f64,
    /// The mode before the empty batch was taken off.
    pub raw_ns: f64,
    /// The empty batch (the same loop and sink without a read), per iteration.
    pub empty_ns: f64,
    /// Batches in the estimate.
    pub batches: u64,
    /// Reads in each batch.
    pub reads_per_batch: u64,
    /// Batches left out because something disturbed them.
    pub disturbed: u64,
    /// Why sampling ended.
    pub stopped_by: StoppedBy,
    /// The estimate in ticks of the time-stamp counter, where that is the ruler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
    /// The estimate in cycles of the core, at the frequency it ran at while this was measured:
    /// what stays the same when the frequency changes from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_cycles: Option<f64>,
    /// The read is cheaper than the empty loop plus its interval: `high_ns` is a bound, and
    /// `value_ns` no more than a sign of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub below_resolution: bool,
}

impl Estimate {
    /// The value, or its upper bound if it is too small to be resolved; `None` if it is not a
    /// finite number of nanoseconds.
    pub fn known_ns(&self) -> Option<f64> {
        let ns = if self.below_resolution {
            self.high_ns
        } else {
            self.value_ns
        };
        (ns.is_finite() && ns >= 0.0).then_some(ns)
    }

    /// Half the width of the interval relative to the estimate, in percent.
    pub fn half_width_percent(&self) -> f64 {
        if self.value_ns > 0.0 {
            (self.high_ns - self.low_ns) / 2.0 / self.value_ns * 100.0
        } else {
            f64::INFINITY
        }
    }
}
