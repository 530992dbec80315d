//! The kernel reads the time from the ACPI power-management timer.

use super::{Fault, Need, slow_clock_source};
use chronoscope_model::Certainty;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-acpi-pm",
    title: "The kernel reads the time from the ACPI power-management timer",
    about: "Every read of the time makes a system call and reads an I/O port (three times on old \
            chipsets) that counts at 3.579545 MHz: 500 to 800 ns or more. The kernel does this if \
            it found the TSC unstable and there is no HPET.",
    fix: "Find out why the kernel stopped using the TSC: `dmesg | grep -i -e tsc -e clocksource`. \
          If that shows no cause, remove `clocksource=acpi_pm` or `notsc` from the kernel's \
          command line.",
    reference: "Linux drivers/clocksource/acpi_pm.c; ACPI 6.0, 4.8.2.1",
    certainty: Certainty::Evidence,
    looks_at: "current_clocksource",
    needs: &[Need::Linux, Need::ClockSource],
    minor: false,
    look: |report, fault| slow_clock_source(report, fault, "acpi_pm"),
};
