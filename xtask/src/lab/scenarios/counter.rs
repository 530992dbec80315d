//! The processor's counter.

use super::super::scenario::{
    AMD, Host, INTEL, Machine, Place, SCENARIO, Scenario, evident, measured,
};
use super::events::{WATCH, WATCHING};
use super::source::{SOURCE, booted};

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "tsc-unstable",
        plants: "`tsc=unstable`: the kernel does not use the TSC, as if its watchdog had found a \
                 fault",
        place: booted("tsc=unstable"),
        proof: SOURCE,
        proves: "hpet",
        finds: &[evident(
            "slow-clocksource-hpet",
            "warning",
            &["available_clocksource: hpet acpi_pm"],
        )],
        ..SCENARIO
    },
    Scenario {
        name: "tsc-variant",
        plants: "two CPUs of AMD without an invariant TSC, which the kernel does not use",
        place: Place::Machine(AMD),
        proof: "dmesg",
        proves: "Marking TSC unstable due to TSCs unsynchronized",
        finds: &[
            evident("tsc-variant", "warning", &["CPUID 0x80000007 EDX[8]=0"]),
            evident("slow-clocksource-hpet", "warning", &["current_clocksource: hpet"]),
        ],
        ..SCENARIO
    },
    Scenario {
        name: "tsc-reliable",
        plants: "`tsc=reliable`: the kernel trusts a TSC that is not invariant, and does not watch \
                 it",
        place: Place::Machine(Machine { append: "tsc=reliable", ..AMD }),
        proof: SOURCE,
        proves: "tsc",
        finds: &[
            evident("tsc-forced-reliable", "warning", &["tsc=reliable"]),
            evident("tsc-variant", "warning", &["CPUID 0x80000007 EDX[8]=0"]),
        ],
        ..SCENARIO
    },
    Scenario {
        name: "tsc-rate",
        plants: "`tsc_early_khz=1000000`, which is half of the TSC's rate at most: all of the \
                 kernel's clocks run fast, and only the real-time clock is right",
        place: booted("tsc=nowatchdog tsc_early_khz=1000000"),
        proof: "dmesg",
        proves: "tsc: mask: 0xffffffffffffffff max_cycles: 0x1cd42e4dffb",
        run: WATCH,
        finds: &[measured("watchdog-off", "warning", &["ppm", "tsc=nowatchdog"])],
        may: &["tsc-forced-reliable", "tsc-rate-mismatch"],
        ..SCENARIO
    },
    Scenario {
        name: "tsc-out-of-step",
        plants: "the machine is saved and restored with the TSC of CPU 1 ahead by 50 million ticks",
        place: Place::Machine(Machine {
            during: WATCHING,
            host: Host::Restore { seconds: 1, skewed: Some((1, 50_000_000)) },
            ..INTEL
        }),
        proof: SOURCE,
        proves: "tsc",
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
        ],
        ..SCENARIO
    },
];
