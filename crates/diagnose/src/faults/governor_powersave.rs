//! The frequency governor holds the processor at its lowest frequency.

use super::Fault;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "governor-powersave",
    title: "The governor holds the processor at its lowest frequency",
    about: "Under the powersave governor of cpufreq the core stays at its lowest frequency, so \
            that every read costs more of an invariant counter's ticks than it must. (With \
            intel_pstate or amd-pstate in active mode, `powersave` is another thing: the ordinary \
            governor, which follows the load. That is no fault.)",
    fix: "For a measurement: `cpupower frequency-set -g performance` (root), and back afterwards.",
    reference: "Linux Documentation/admin-guide/pm/cpufreq.rst, powersave; intel_pstate.rst",
    look: |report, fault| {
        let power = &report.environment.power;
        let governor = power.governor.as_deref()?;
        let driver = power.frequency_driver.as_deref().unwrap_or("unknown");
        if governor != "powersave" || matches!(driver, "intel_pstate" | "amd-pstate-epp" | "amd_pstate_epp") {
            return None;
        }
        fault.found(
            Level::Warning,
            Certainty::Evidence,
            vec![
                format!("scaling_governor: {governor}"),
                format!("scaling_driver: {driver}"),
            ],
        )
    },
};
