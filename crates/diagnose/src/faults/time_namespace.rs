//! This process is in a time namespace.

use super::{Fault, Need};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "time-namespace",
    title: "Monotonic and boot time are shifted in this time namespace",
    about: "CLOCK_MONOTONIC and CLOCK_BOOTTIME of this process have an offset from those of the \
            machine. Values from inside and outside cannot be compared. Before Linux 5.11 some \
            system calls and files ignore it.",
    fix: "Nothing is wrong if a container was meant to have it, such as one that was restored by \
          CRIU. Compare such times only within the namespace.",
    reference: "time_namespaces(7); /proc/self/timens_offsets",
    certainty: Certainty::Evidence,
    looks_at: "/proc/self/timens_offsets",
    needs: &[Need::Linux, Need::Namespace],
    minor: false,
    look: |report, fault| {
        let shifted = report.environment.keeping.as_ref()?.time_namespace.as_ref()?;
        if shifted.is_empty() {
            return None;
        }
        let lines = shifted.iter().map(|line| format!("/proc/self/timens_offsets: {line}"));
        fault.found(Level::Info, Certainty::Evidence, lines.collect())
    },
};
