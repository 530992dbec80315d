//! The kernel reads the time from the HPET.

use super::{Fault, Need, slow_clock_source};
use chronoscope_model::Certainty;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-hpet",
    title: "The kernel reads the time from the HPET",
    about: "Every read of the time makes a system call and reads a device on the memory bus: 500 \
            to 800 ns instead of 20 to 35 ns. The kernel does this if it found the TSC unstable, \
            or if it was told to.",
    fix: "Find out why the kernel stopped using the TSC: `dmesg | grep -i -e tsc -e clocksource`. \
          If that shows no cause, remove `clocksource=hpet` or `notsc` from the kernel's command \
          line.",
    reference: "Linux Documentation/admin-guide/kernel-parameters.txt, clocksource=",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource",
    needs: &[Need::Linux, Need::ClockSource],
    minor: false,
    look: |report, fault| slow_clock_source(report, fault, "hpet"),
};
