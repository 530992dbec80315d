//! The core changed its frequency during the measurement.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

/// A smaller spread of the frequency does not matter: costs differ by more for other reasons.
const SPREAD: f64 = 0.05;

pub(super) const FAULT: Fault = Fault {
    id: "frequency-changed",
    title: "The core changed its frequency during the run",
    about: "At a lower frequency a core takes longer for everything, so a cost in nanoseconds \
            holds for one moment. Each round measures the frequency with a chain of dependent \
            additions, one per cycle, and costs that depend on it are normalised to the median \
            frequency. Costs can be compared within the run; between runs, compare core cycles \
            (`core_cycles`). Under a hypervisor the host sets the frequency, and the load of other \
            guests changes it.",
    fix: "For figures in nanoseconds that repeat, fix the frequency: performance governor, turbo \
          off. Under a hypervisor only the host can do that.",
    reference: "METHOD.md, Rounds",
    certainty: Certainty::Measured,
    looks_at: "the core's frequency in each round",
    needs: &[Need::Noise],
    minor: false,
    look: |report, fault| {
        let core = report.ruler.as_ref()?.noise.core?;
        if core.hz <= 0.0 || (core.high_hz - core.low_hz) / core.hz <= SPREAD {
            return None;
        }
        fault.found(
            Level::Info,
            Certainty::Measured,
            vec![format!(
                "median {:.2} GHz, {:.2} to {:.2} GHz in 98 % of the rounds",
                core.hz / 1e9,
                core.low_hz / 1e9,
                core.high_hz / 1e9
            )],
        )
    },
};
