//! The kernel could not check its clock source for long.

use super::{Fault, Need, logged};
use chronoscope_model::{Certainty, Level};

pub(super) const FAULT: Fault = Fault {
    id: "readout-stall",
    title: "The kernel was kept from checking its clock source",
    about: "The check that should run twice a second was late by more than a second, so the kernel \
            skipped it: the machine was paused or suspended, or something kept a CPU busy for that \
            long, such as the firmware, a debugger or a console.",
    fix: "Look for pauses: a snapshot, a migration, `chronoscope trust --duration 10min`. If the \
          machine was not paused, look in the kernel log for what ran before that line.",
    reference: "Linux kernel/time/clocksource.c, clocksource_watchdog: Long readout interval",
    certainty: Certainty::Evidence,
    looks_at: "the kernel log: Long readout interval",
    needs: &[Need::Linux, Need::Log],
    minor: true,
    look: |report, fault| logged(report, fault, Level::Info, &["Long readout interval"]),
};
