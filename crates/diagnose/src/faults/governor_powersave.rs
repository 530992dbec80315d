//! The frequency governor keeps the processor at its lowest frequency.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

/// Drivers whose `powersave` follows the load.
const ACTIVE: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

pub(super) const FAULT: Fault = Fault {
    id: "governor-powersave",
    title: "The governor keeps the processor at its lowest frequency",
    about: "Under cpufreq's powersave governor the core stays at its lowest frequency, so every \
            read costs more ticks of an invariant counter than it needs to. (With intel_pstate or \
            amd-pstate in active mode, `powersave` is the ordinary governor, which follows the \
            load. That is not a problem.)",
    fix: "For a measurement: `cpupower frequency-set -g performance` (root), and back afterwards.",
    reference: "Linux Documentation/admin-guide/pm/cpufreq.rst, powersave; intel_pstate.rst",
    certainty: Certainty::Evidence,
    looks_at: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
    needs: &[Need::Linux, Need::Governor],
    minor: false,
    look: |report, fault| {
        let power = &report.environment.power;
        let governor = power.governor.as_deref()?;
        let driver = power.frequency_driver.as_deref().unwrap_or("unknown");
        if governor != "powersave" || ACTIVE.contains(&driver) {
            return None;
        }
        fault.found(
            Level::Warning,
            Certainty::Evidence,
            vec![format!("scaling_governor: {governor}"), format!("scaling_driver: {driver}")],
        )
    },
};
