//! The kernel reads time from the ACPI power-management timer.

use super::Fault;
use super::slow_clocksource_hpet::look;

pub(super) const FAULT: Fault = Fault {
    id: "slow-clocksource-acpi-pm",
    title: "The kernel reads time from the ACPI power-management timer",
    about: "Every read of the time is a read of an I/O port (or three, where the chip is old) at \
            3.579545 MHz and goes through a system call: 500 to 800 ns or more. The kernel does so \
            when it has found the TSC unstable and there is no HPET.",
    fix: "See why the kernel left the TSC: `dmesg | grep -i -e tsc -e clocksource`. Without a cause \
          there, remove `clocksource=acpi_pm` or `notsc` from the kernel's command line.",
    reference: "Linux drivers/clocksource/acpi_pm.c; ACPI 6.0, 4.8.2.1",
    look: |report, fault| look(report, fault, "acpi_pm"),
};
