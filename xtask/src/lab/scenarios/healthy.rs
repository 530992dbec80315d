//! Machines without a fault, some of which look as if they had one.

use super::super::scenario::{AMD, INTEL, Machine, Place, SCENARIO, Scenario};

/// The kernel's clock source.
const SOURCE: &str = "cat /sys/devices/system/clocksource/clocksource0/current_clocksource";

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "healthy",
        plants: "nothing: two CPUs, the TSC as clock source, a clock that is synchronised",
        proof: SOURCE,
        proves: "tsc",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "single-cpu",
        plants: "nothing, on a machine with a single CPU",
        place: Place::Machine(Machine {
            cpu: &["-cpu", "Skylake-Client-v1", "-smp", "1"],
            ..INTEL
        }),
        proof: "grep -c ^processor /proc/cpuinfo",
        proves: "1\n",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "undisciplined",
        plants: "`STA_UNSYNC` and a return of 5 from `adjtimex`, with a maximum error of 1 ms, as \
                 chrony without `rtcsync` leaves them: the clock is synchronised",
        place: Place::Machine(Machine { before: "plant undisciplined", ..INTEL }),
        proof: "adjtimex",
        proves: "return value: 5",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "forged-log",
        plants: "lines in the kernel's log that a program wrote, about a TSC warp and a watchdog \
                 that gave up the TSC",
        place: Place::Machine(Machine {
            before: "echo 'tsc: Marking TSC unstable due to clocksource watchdog' > /dev/kmsg\n\
                     echo 'TSC synchronization [CPU#0 -> CPU#1]: Measured 5000 cycles TSC warp \
                     between CPUs, turning off TSC clock.' > /dev/kmsg\n\
                     echo 'clocksource: Long readout interval, skipping watchdog check' > \
                     /dev/kmsg",
            ..INTEL
        }),
        proof: "dmesg",
        proves: "Measured 5000 cycles",
        ..SCENARIO
    },
    Scenario {
        name: "amd-single-cpu",
        plants: "nothing but a TSC that QEMU does not declare constant, on a single CPU of AMD",
        place: Place::Machine(Machine { cpu: &["-cpu", "EPYC-v1", "-smp", "1"], ..AMD }),
        proof: SOURCE,
        proves: "tsc",
        may: &["tsc-variant"],
        ..SCENARIO
    },
];
