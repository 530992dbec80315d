//! The kernel reads the time from the Xen clock.

use super::{Fault, Need, slow_clock_source};
use chronoscope_model::Certainty;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-xen",
    title: "The kernel reads the time from the Xen clock",
    about: "The vDSO of this kernel cannot read the Xen clock source, so every read of the time is \
            a system call: 596 ns instead of 27 ns on one cloud machine.",
    fix: "If the TSC is invariant here, make the kernel use it: `echo tsc > \
          /sys/devices/system/clocksource/clocksource0/current_clocksource` (root), and \
          `clocksource=tsc` on its command line to keep it.",
    reference: "Brendan Gregg, The Speed of Time (2021)",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource",
    needs: &[Need::Linux, Need::ClockSource],
    minor: false,
    look: |report, fault| slow_clock_source(report, fault, "xen"),
};
