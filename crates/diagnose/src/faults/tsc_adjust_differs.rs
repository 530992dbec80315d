//! The firmware set the TSC of CPUs differently.

use super::{Fault, TSC_LOG, logged};
use chronoscope_model::Level;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-adjust-differs",
    title: "The firmware set the TSCs of CPUs differently",
    about: "IA32_TSC_ADJUST differs between CPUs, or changed while the machine ran: the firmware \
            wrote the counter of some CPUs. The kernel restores the values, as far as it notices.",
    fix: "Update the firmware. Until then, do not use `tsc=reliable`, which switches the kernel's \
          repair off.",
    reference: "Linux arch/x86/kernel/tsc_sync.c, tsc_verify_tsc_adjust and \
                tsc_store_and_check_tsc_adjust",
    looks_at: "the kernel log: TSC ADJUST",
    look: |report, fault| {
        logged(report, fault, Level::Warning, &["TSC ADJUST differs", "TSC ADJUST: CPU"])
    },
    ..TSC_LOG
};
