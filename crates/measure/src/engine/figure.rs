//! An estimate as the report has it: in nanoseconds, with the samples summarised.

use super::batch::Rate;
use crate::stats::estimate::ModeEstimate;
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;

/// The finest difference that is claimed, in nanoseconds. An estimate is precise enough if its
/// interval is as narrow as this, and a read that is cheaper than this is indistinguishable from no
/// read.
pub const FINEST_NS: f64 = 0.02;

/// A cost and its uncertainty, in ticks of the ruler.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The estimate of what was measured.
    pub own: ModeEstimate,
    /// The estimate of what is subtracted.
    pub empty: ModeEstimate,
    /// The difference.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
}

impl Figure {
    /// Converts to nanoseconds by a calibrated rate. The caller sets the number of samples and what
    /// ended the sampling.
    pub fn in_ns(&self, summary: &Summary, rate: Rate) -> Estimate {
        let ns = 1e9 / rate.hz;
        Estimate {
            value_ns: self.value * ns,
            low_ns: self.low * ns,
            high_ns: self.high * ns,
            min_ns: summary.min * ns,
            median_ns: summary.median * ns,
            mad_ns: summary.mad * ns,
            sd_ns: Some(summary.sd * ns),
            p99_ns: summary.p99 * ns,
            max_ns: summary.max * ns,
            raw_ns: self.own.value * ns,
            empty_ns: self.empty.value * ns,
            cycles: rate.is_tsc.then_some(self.value),
            below_resolution: self.low <= 0.0 || self.value * ns < FINEST_NS,
            ..Estimate::default()
        }
    }
}
