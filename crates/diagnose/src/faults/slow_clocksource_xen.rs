//! The kernel reads time from the Xen clock.

use super::Fault;
use super::slow_clocksource_hpet::look;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-xen",
    title: "The kernel reads time from the Xen clock",
    about: "The Xen clock source is not read by the vDSO on this kernel's path, so every read of \
            the time is a system call: 596 ns against 27 were seen on one cloud machine.",
    fix: "If the TSC is invariant here, have the kernel use it: `echo tsc > \
          /sys/devices/system/clocksource/clocksource0/current_clocksource` (root), and \
          `clocksource=tsc` on its command line to keep it.",
    reference: "Brendan Gregg, The Speed of Time (2021)",
    look: |report, fault| look(report, fault, "xen"),
};
