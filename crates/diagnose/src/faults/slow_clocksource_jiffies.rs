//! The kernel reads the time from its own tick interrupt.

use super::{Fault, Need, slow_clock_source};
use chronoscope_model::Certainty;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-jiffies",
    title: "The kernel reads the time from its own tick interrupt",
    about: "The kernel has no counter that it could use, so time moves only with the tick, 1 to 10 \
            ms at a time. This happens in guests whose hypervisor does not report the TSC's rate.",
    fix: "Have the hypervisor provide the TSC's rate (CPUID leaf 0x15 or 0x40000010), kvm-clock or \
          an HPET; then check `dmesg | grep -i clocksource`.",
    reference: "Linux kernel/time/jiffies.c",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource",
    needs: &[Need::Linux, Need::ClockSource],
    minor: false,
    look: |report, fault| slow_clock_source(report, fault, "jiffies"),
};
