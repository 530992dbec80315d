//! The kernel moved the TSC of a CPU that was added.

use super::{Fault, TSC_LOG, logged};
use chronoscope_model::Level;

pub(super) const FAULT: Fault = Fault {
    id: "vcpu-hotplug",
    title: "The TSC of a CPU that was added was out of step",
    about: "A CPU that was plugged in or brought online counted from another start, and the kernel \
            wrote its IA32_TSC_ADJUST to compensate. What is left may be a warp of a few hundred \
            cycles, and programs that ran on that CPU before saw the jump.",
    fix: "Do not add CPUs to a running virtual machine if its programs read the TSC, or use a \
          hypervisor that starts the counter of a new CPU with the others.",
    reference: "Linux arch/x86/kernel/tsc_sync.c, check_tsc_sync_target; Zelin Deng, Guest TSC \
                adjustment on vCPU hotplug, kvm list 2021",
    looks_at: "the kernel log: TSC ADJUST compensate",
    look: |report, fault| logged(report, fault, Level::Warning, &["TSC ADJUST compensate"]),
    ..TSC_LOG
};
