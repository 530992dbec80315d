//! Faults of the processor's counter.

use super::super::scenario::{
    AMD, Host, Machine, Place, SCENARIO, SOURCE, Scenario, WATCH, booted, evident, happens,
    measured,
};

scenarios! {
    "tsc-unstable" booted("tsc=unstable") =>
        "`tsc=unstable`: the kernel does not use the TSC, as if its watchdog had found a \
         fault",
        proof SOURCE => "hpet",
        finds: &[evident(
            "slow-clocksource-hpet",
            "warning",
            &["available_clocksource: hpet acpi_pm"],
        )];
    "tsc-variant" Place::Machine(AMD) =>
        "two CPUs of AMD without an invariant TSC, which the kernel does not use",
        proof "dmesg" => "Marking TSC unstable due to TSCs unsynchronized",
        finds: &[
            evident("tsc-variant", "warning", &["CPUID 0x80000007 EDX[8]=0"]),
            evident("slow-clocksource-hpet", "warning", &["current_clocksource: hpet"]),
        ];
    "tsc-reliable" Place::Machine(Machine { append: "tsc=reliable", ..AMD }) =>
        "`tsc=reliable`: the kernel trusts a TSC that is not invariant, and does not watch \
         it",
        proof SOURCE => "tsc",
        finds: &[
            evident("tsc-forced-reliable", "warning", &["tsc=reliable"]),
            evident("tsc-variant", "warning", &["CPUID 0x80000007 EDX[8]=0"]),
        ];
    "tsc-rate" booted("tsc=nowatchdog tsc_early_khz=1000000") =>
        "`tsc_early_khz=1000000`, which is half of the TSC's rate at most: all of the \
         kernel's clocks run fast, and only the real-time clock is right",
        proof "dmesg" => "tsc: mask: 0xffffffffffffffff max_cycles: 0x1cd42e4dffb",
        run: WATCH,
        finds: &[measured("watchdog-off", "warning", &["ppm", "tsc=nowatchdog"])],
        may: &["tsc-forced-reliable", "tsc-rate-mismatch"];
    "tsc-out-of-step" happens(Host::Restore { seconds: 1, skewed: Some((1, 50_000_000)) }) =>
        "the machine is saved and restored with the TSC of CPU 1 ahead by 50 million ticks",
        proof SOURCE => "tsc",
        run: WATCH,
        finds: &[measured(
            "counter-out-of-step",
            "warning",
            &["ahead of CPU 0", "hand-overs backwards"],
        )],
        may: &[
            "clock-backwards",
            "clocksource-changed",
            "changed-during-run",
            "vm-paused",
            "vm-restored",
        ];
}
