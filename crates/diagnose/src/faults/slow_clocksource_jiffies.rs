//! The kernel reads time from its own tick interrupt.

use super::Fault;
use super::slow_clocksource_hpet::look;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-jiffies",
    title: "The kernel reads time from its own tick interrupt",
    about: "There is no counter that the kernel would use: time moves only with the tick, 1 to 10 \
            ms at a time. Seen in guests to whom the hypervisor tells no TSC rate.",
    fix: "Have the hypervisor expose the TSC's rate (CPUID leaf 0x15 or 0x40000010), kvm-clock or \
          an HPET; then see `dmesg | grep -i clocksource`.",
    reference: "Linux kernel/time/jiffies.c",
    look: |report, fault| look(report, fault, "jiffies"),
};
