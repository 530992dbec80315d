//! The kernel's clock source, and the path to it.

use super::super::scenario::{
    INTEL, Machine, Place, SCENARIO, SOURCE, Scenario, booted, during, evident,
};

/// A processor with everything that QEMU can emulate, and a slow clock source.
const MAX: Machine =
    Machine { cpu: &["-cpu", "max", "-smp", "2"], append: "clocksource=hpet", ..INTEL };

scenarios! {
    "every-clock" Place::Machine(MAX) =>
        "`clocksource=hpet` next to a TSC that is not invariant: each clock must be measured",
        proof SOURCE => "hpet",
        run: "--all --json --quiet --budget 5s",
        finds: &[
            evident("emulated-cpu", "warning", &[]),
            evident("slow-clocksource-hpet", "warning", &["current_clocksource: hpet"]),
            // How bad that is depends on what QEMU's processor claims to be.
            evident("tsc-variant", "", &[]),
        ],
        may: &["clock-not-in-vdso", "coarse-tick"],
        complete: "clocks",
        ci: true;
    "every-wait" Place::Machine(MAX) =>
        "`clocksource=hpet`: each wait must be measured",
        proof SOURCE => "hpet",
        run: "waits --wait 1ms --count 2 --json --quiet",
        may: &["slow-clocksource-hpet", "tsc-variant", "clock-not-in-vdso", "coarse-tick"],
        complete: "waits",
        ci: true;
    "hpet" booted("tsc=nowatchdog clocksource=hpet") =>
        "`clocksource=hpet`: each read is a system call and a read of a device",
        proof SOURCE => "hpet",
        finds: &[evident(
            "slow-clocksource-hpet",
            "warning",
            &["current_clocksource: hpet", "available_clocksource: tsc hpet acpi_pm", " per read"],
        )];
    "acpi-pm" booted("clocksource=acpi_pm") =>
        "`clocksource=acpi_pm`",
        proof SOURCE => "acpi_pm",
        finds: &[evident(
            "slow-clocksource-acpi-pm",
            "warning",
            &["current_clocksource: acpi_pm", " per read"],
        )];
    "jiffies" booted("clocksource=jiffies highres=off") =>
        "`clocksource=jiffies highres=off`: the clock advances once in a timer tick",
        proof SOURCE => "jiffies",
        finds: &[evident("slow-clocksource-jiffies", "warning", &["current_clocksource: jiffies"])],
        may: &["hrtimers-off", "coarse-tick"];
    "vdso-off" booted("tsc=nowatchdog vdso=0") =>
        "`vdso=0`: programs get no vDSO, so each read is a system call",
        proof "grep -c vdso /proc/self/maps" => "0",
        finds: &[evident("no-vdso", "warning", &["AT_SYSINFO_EHDR is 0"])];
    "highres-off" booted("tsc=nowatchdog highres=off") =>
        "`highres=off`: timers expire at the timer tick",
        proof "grep -m 1 resolution: /proc/timer_list" => "4000000 nsecs",
        finds: &[evident(
            "hrtimers-off",
            "warning",
            &["clock_getres(CLOCK_MONOTONIC): 4000000 ns", "highres=off"],
        )],
        may: &["coarse-tick"];
    "source-changed" during(
            "cd /sys/devices/system/clocksource/clocksource0\n\
             sleep 3\n\
             echo hpet > current_clocksource\n\
             cat current_clocksource",
        ) =>
        "the clock source changes from `tsc` to `hpet` during the run",
        proof SOURCE => "tsc\nhpet",
        finds: &[evident(
            "clocksource-changed",
            "warning",
            &["current_clocksource: tsc, later hpet"],
        )],
        // The change clears the kernel's synchronisation, and the HPET is not read in user space.
        may: &["changed-during-run", "clock-not-in-vdso"];
}
