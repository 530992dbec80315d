//! The machine runs on battery power.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "on-battery",
    title: "The machine runs on battery power",
    about: "On battery power most systems lower the frequency, use deeper idle states and coalesce \
            timers: reads cost more, and waits end later.",
    fix: "Connect it to mains power before you compare it with other machines.",
    reference: "Linux Documentation/ABI/testing/sysfs-class-power",
    certainty: Certainty::Evidence,
    looks_at: "/sys/class/power_supply",
    needs: &[Need::Power],
    minor: false,
    look: |report, fault| {
        let source = report.environment.power.source.as_deref()?;
        if source != "battery" {
            return None;
        }
        fault.found(Level::Info, Certainty::Evidence, vec![format!("power source: {source}")])
    },
};
