//! The kernel's clock source, and the path to it.

use super::super::scenario::{INTEL, Machine, Place, SCENARIO, Scenario, evident};

/// The kernel's clock source.
pub(super) const SOURCE: &str =
    "cat /sys/devices/system/clocksource/clocksource0/current_clocksource";

/// A PC with these words on the kernel's command line.
pub(super) const fn booted(append: &'static str) -> Place {
    Place::Machine(Machine { append, ..INTEL })
}

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "hpet",
        plants: "`clocksource=hpet`: each read is a system call and a read of a device",
        place: booted("tsc=nowatchdog clocksource=hpet"),
        proof: SOURCE,
        proves: "hpet",
        finds: &[evident(
            "slow-clocksource-hpet",
            "warning",
            &["current_clocksource: hpet", "available_clocksource: tsc hpet acpi_pm", " per read"],
        )],
        ..SCENARIO
    },
    Scenario {
        name: "acpi-pm",
        plants: "`clocksource=acpi_pm`",
        place: booted("clocksource=acpi_pm"),
        proof: SOURCE,
        proves: "acpi_pm",
        finds: &[evident(
            "slow-clocksource-acpi-pm",
            "warning",
            &["current_clocksource: acpi_pm", " per read"],
        )],
        ..SCENARIO
    },
    Scenario {
        name: "jiffies",
        plants: "`clocksource=jiffies highres=off`: the clock advances once in a timer tick",
        place: booted("clocksource=jiffies highres=off"),
        proof: SOURCE,
        proves: "jiffies",
        finds: &[evident("slow-clocksource-jiffies", "warning", &["current_clocksource: jiffies"])],
        may: &["hrtimers-off", "coarse-tick"],
        ..SCENARIO
    },
    Scenario {
        name: "vdso-off",
        plants: "`vdso=0`: programs get no vDSO, so each read is a system call",
        place: booted("tsc=nowatchdog vdso=0"),
        proof: "grep -c vdso /proc/self/maps",
        proves: "0",
        finds: &[evident("no-vdso", "warning", &["AT_SYSINFO_EHDR is 0"])],
        ..SCENARIO
    },
    Scenario {
        name: "highres-off",
        plants: "`highres=off`: timers expire at the timer tick",
        place: booted("tsc=nowatchdog highres=off"),
        proof: "grep -m 1 resolution: /proc/timer_list",
        proves: "4000000 nsecs",
        finds: &[evident(
            "hrtimers-off",
            "warning",
            &["clock_getres(CLOCK_MONOTONIC): 4000000 ns", "highres=off"],
        )],
        may: &["coarse-tick"],
        ..SCENARIO
    },
    Scenario {
        name: "source-changed",
        plants: "the clock source changes from `tsc` to `hpet` during the run",
        place: Place::Machine(Machine {
            during: "cd /sys/devices/system/clocksource/clocksource0\n\
                     sleep 3\n\
                     echo hpet > current_clocksource\n\
                     cat current_clocksource",
            ..INTEL
        }),
        proof: SOURCE,
        proves: "tsc\nhpet",
        finds: &[evident(
            "clocksource-changed",
            "warning",
            &["current_clocksource: tsc, later hpet"],
        )],
        // The change clears the kernel's synchronisation, and the HPET is not read in user space.
        may: &["changed-during-run", "clock-not-in-vdso"],
        ..SCENARIO
    },
];
