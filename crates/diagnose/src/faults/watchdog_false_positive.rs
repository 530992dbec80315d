//! The kernel's watchdog gave up the TSC for a slow read of the other timer.

use super::{Fault, TSC_LOG, logged};
use chronoscope_model::Level;

pub(super) const FAULT: Fault = Fault {
    id: "watchdog-false-positive",
    title: "The kernel gave up a clock source because the other timer was slow to read",
    about: "The kernel checks the TSC with the HPET or the ACPI timer, three reads in a row. On \
            large machines those reads can take too long, and kernels before 6.9 then take the TSC \
            for unstable although nothing is wrong with it.",
    fix: "Use a kernel with commit 2ed08e4bc532 (Linux 6.9, and stable kernels of that time), \
          which retries according to the number of CPUs. Before that: \
          `clocksource.max_cswd_read_retries=` with a larger number, or `tsc=nowatchdog` once the \
          TSC has proved to be sound.",
    reference: "Linux commit 2ed08e4bc532; kernel/time/clocksource.c, cs_watchdog_read",
    looks_at: "the kernel log: excessive read-back delay",
    look: |report, fault| logged(report, fault, Level::Warning, &["excessive read-back delay"]),
    ..TSC_LOG
};
