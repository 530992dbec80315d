//! Machines without a fault, some of which look as if they had one.

use super::super::scenario::{AMD, INTEL, Machine, Place, SCENARIO, SOURCE, Scenario, before};

scenarios! {
    "healthy" Place::Machine(INTEL) =>
        "nothing: two CPUs, the TSC as clock source, a clock that is synchronised",
        proof SOURCE => "tsc",
        ci: true;
    "single-cpu" Place::Machine(Machine {
            cpu: &["-cpu", "Skylake-Client-v1", "-smp", "1"],
            ..INTEL
        }) =>
        "nothing, on a machine with a single CPU",
        proof "grep -c ^processor /proc/cpuinfo" => "1\n",
        ci: true;
    "undisciplined" before("plant undisciplined") =>
        "`STA_UNSYNC` and a return of 5 from `adjtimex`, with a maximum error of 1 ms, as \
         chrony without `rtcsync` leaves them: the clock is synchronised",
        proof "adjtimex" => "return value: 5",
        ci: true;
    "forged-log" before(
            "echo 'tsc: Marking TSC unstable due to clocksource watchdog' > /dev/kmsg\n\
             echo 'TSC synchronization [CPU#0 -> CPU#1]: Measured 5000 cycles TSC warp \
             between CPUs, turning off TSC clock.' > /dev/kmsg\n\
             echo 'clocksource: Long readout interval, skipping watchdog check' > \
             /dev/kmsg",
        ) =>
        "lines in the kernel's log that a program wrote, about a TSC warp and a watchdog \
         that gave up the TSC",
        proof "dmesg" => "Measured 5000 cycles";
    "amd-single-cpu" Place::Machine(Machine { cpu: &["-cpu", "EPYC-v1", "-smp", "1"], ..AMD }) =>
        "nothing but a TSC that QEMU does not declare constant, on a single CPU of AMD",
        proof SOURCE => "tsc",
        may: &["tsc-variant"];
}
