//! Turns two estimates in ticks of the ruler into a cost in nanoseconds, as a report contains it.

use super::batch::Rate;
use crate::stats::estimate::ModeEstimate;
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;

/// The finest difference that is claimed, in nanoseconds. An estimate is precise enough if its
/// interval is as narrow as this, and a read that is cheaper than this is indistinguishable from no
/// read.
pub const FINEST_NS: f64 = 0.02;

/// Subtracts one estimate from another, with the interval of the difference. The distances of the
/// ends add in quadrature, because the two estimates are independent; `wider` is a factor for both
/// distances.
pub fn difference(own: &ModeEstimate, empty: &ModeEstimate, wider: f64) -> ModeEstimate {
    let value = own.value - empty.value;
    let below = wider * (own.value - own.low).hypot(empty.high - empty.value);
    let above = wider * (own.high - own.value).hypot(empty.value - empty.low);
    ModeEstimate { value, low: value - below, high: value + above, second: None }
}

/// Returns a cost in nanoseconds by a calibrated rate, from what was measured, what is subtracted,
/// and the cost itself. The caller sets the number of samples and what ended the sampling.
pub fn in_ns([own, empty, cost]: [&ModeEstimate; 3], summary: &Summary, rate: Rate) -> Estimate {
    let ns = 1e9 / rate.hz;
    Estimate {
        value_ns: cost.value * ns,
        low_ns: cost.low * ns,
        high_ns: cost.high * ns,
        min_ns: summary.min * ns,
        median_ns: summary.median * ns,
        mad_ns: summary.mad * ns,
        sd_ns: Some(summary.sd * ns),
        p99_ns: summary.p99 * ns,
        max_ns: summary.max * ns,
        raw_ns: own.value * ns,
        empty_ns: empty.value * ns,
        cycles: rate.is_tsc.then_some(cost.value),
        below_resolution: cost.low <= 0.0 || cost.value * ns < FINEST_NS,
        ..Estimate::default()
    }
}
