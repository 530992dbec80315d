//! The machine runs on its battery.

use super::Fault;
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "on-battery",
    title: "The machine runs on its battery",
    about: "On battery most systems lower the frequency, deepen idle states and coalesce timers: \
            reads cost more, and waits end later.",
    fix: "Plug it in to compare with other machines or with servers.",
    reference: "Linux Documentation/ABI/testing/sysfs-class-power",
    look: |report, fault| {
        let source = report.environment.power.source.as_deref()?;
        if source != "battery" {
            return None;
        }
        fault.found(
            Level::Info,
            Certainty::Evidence,
            vec![format!("power source: {source}")],
        )
    },
};
