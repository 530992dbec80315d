//! The kernel found the TSCs of two CPUs out of step.

use super::{Fault, TSC_LOG, logged};
use chronoscope_model::Level;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-warp",
    title: "The kernel found the TSC out of step between CPUs",
    about: "While a CPU came up, the kernel saw the counter of one CPU ahead of that of another, \
            by what it calls a warp. It then stops using the TSC, and every read of the time \
            becomes a slow one.",
    fix: "Update the firmware: it must start the counters together and leave IA32_TSC_ADJUST \
          alone. In a virtual machine, have the host's TSC checked.",
    reference: "Linux arch/x86/kernel/tsc_sync.c, check_tsc_sync_source",
    looks_at: "the kernel log: TSC warp",
    look: |report, fault| {
        logged(
            report,
            fault,
            Level::Warning,
            &["TSC warp between CPUs", "check_tsc_sync_source failed"],
        )
    },
    ..TSC_LOG
};
