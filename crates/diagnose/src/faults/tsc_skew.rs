//! The kernel found the TSC at another rate than its other timer.

use super::{Fault, TSC_LOG, logged};
use chronoscope_model::Level;

pub(super) const FAULT: Fault = Fault {
    id: "tsc-skew",
    title: "The TSC and the kernel's other timer ran apart",
    about: "The kernel compares the TSC with the HPET, the ACPI timer or the hypervisor's clock \
            twice a second. They ran apart by more than their uncertainty, so it no longer uses \
            the TSC. Either may be the wrong one, and a paused virtual machine looks the same.",
    fix: "Compare with a source outside the machine (`chronoscope trust`, NTP). If the TSC is \
          right, the other timer is at fault: another one, or `tsc=nowatchdog`. If it is wrong: \
          firmware, or the host of the virtual machine.",
    reference: "Linux kernel/time/clocksource.c, clocksource_watchdog; oxidecomputer/propolis#328",
    looks_at: "the kernel log: the skew is too large",
    look: |report, fault| {
        const WORDS: &[&str] = &["skew is too large", "Clocksource tsc unstable"];
        logged(report, fault, Level::Warning, WORDS)
    },
    ..TSC_LOG
};
