//! The core changed its frequency while it was measured on.

use super::Fault;
use chronoscope_model::{Certainty, Level};

/// Below this spread of the frequency nobody would notice: costs differ by more for other reasons.
const SPREAD: f64 = 0.05;

pub(super) const FAULT: Fault = Fault {
    id: "frequency-changed",
    title: "The core changed its frequency during the run",
    about: "A core at a lower frequency takes longer for everything, so that a cost in nanoseconds \
            is that of one moment. Each round gauges the frequency by a chain of dependent \
            additions, one a cycle, and costs that follow it are brought to the usual one. Within \
            the run they can be compared; between runs, compare the cycles of the core \
            (`core_cycles`). Under a hypervisor the frequency is the host's, and goes with what its \
            other guests do.",
    fix: "For figures in nanoseconds that repeat, fix the frequency: the performance governor, turbo \
          off; under a hypervisor only the host can.",
    reference: "METHOD.md, Rounds",
    look: |report, fault| {
        let core = report.ruler.as_ref()?.noise.core?;
        if core.hz <= 0.0 || (core.high_hz - core.low_hz) / core.hz <= SPREAD {
            return None;
        }
        fault.found(
            Level::Info,
            Certainty::Measured,
            vec![format!(
                "{:.2} GHz in the median, {:.2} to {:.2} in 98 of 100 rounds",
                core.hz / 1e9,
                core.low_hz / 1e9,
                core.high_hz / 1e9
            )],
        )
    },
};
