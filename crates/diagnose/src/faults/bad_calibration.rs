//! The counter's rate could not be calibrated.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

/// A calibration of a second is within 1 ppm on a busy machine; this is a rate that is not known.
const LIMIT_PPM: f64 = 1000.0;
/// Shorter runs have no good calibration, in seconds.
const LEAST_S: f64 = 0.5;

pub(super) const FAULT: Fault = Fault {
    id: "bad-calibration",
    title: "The counter's rate could not be calibrated",
    about: "The counter was compared with the system's clock in bracketed reads, and they leave no \
            usable rate: one of the two jumped, went backwards or stood still meanwhile. A program \
            that divides by such a difference gets a zero or negative factor, and then a clock \
            that stands still or jumps.",
    fix: "When you calibrate a counter, reject differences that are zero or negative, bracket the \
          reads, and repeat. Here, measure again; if it happens again, read the system's clock and \
          not the counter.",
    reference: "valkey-io/valkey#4345; METHOD.md, Ruler",
    certainty: Certainty::Measured,
    looks_at: "the ruler's calibration",
    needs: &[Need::Noise],
    minor: false,
    look: |report, fault| {
        let ruler = report.ruler.as_ref().filter(|ruler| ruler.is_counter)?;
        let (hz, ppm) = (ruler.hz, ruler.hz_error_ppm);
        // A bound that is not a number is no bound.
        let sound = hz.is_finite() && hz > 0.0 && ppm.is_finite() && ppm.abs() < LIMIT_PPM;
        if sound || report.run.seconds < LEAST_S {
            return None;
        }
        let evidence =
            vec![format!("{}: {hz:.0} Hz ±{ppm:.0} ppm against {}", ruler.id, ruler.reference)];
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};
