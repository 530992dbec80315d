//! What happens to a machine while the tool runs.

use super::super::scenario::{Host, INTEL, Machine, Place, SCENARIO, Scenario, evident, measured};
use super::source::SOURCE;

/// What happens to a machine from outside is seen while its clocks are watched, which takes most of
/// this run.
pub(super) const WATCH: &str = "trust --json --quiet --duration 20s --checkpoint /tmp/seen";
/// Tells the host when they are watched: the first checkpoint is there.
pub(super) const WATCHING: &str = "while [ ! -s /tmp/seen ]; do sleep 1; done\n\
                                   echo '@@ watching' >&3";

/// A PC to which this happens from outside.
const fn with(host: Host) -> Place {
    Place::Machine(Machine { host, during: WATCHING, ..INTEL })
}

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "cpu-offline",
        plants: "CPU 1 is taken offline during the run",
        place: Place::Machine(Machine {
            during: "sleep 3\n\
                     echo 0 > /sys/devices/system/cpu/cpu1/online\n\
                     cat /sys/devices/system/cpu/online",
            ..INTEL
        }),
        proof: "cat /sys/devices/system/cpu/online",
        proves: "0-1\n0\n",
        finds: &[evident("changed-during-run", "warning", &["CPU"])],
        ..SCENARIO
    },
    Scenario {
        name: "suspended",
        plants: "the machine suspends to memory during the run, until its real-time clock wakes it \
                 after ten seconds",
        place: Place::Machine(Machine {
            during: "sleep 3\n\
                     echo +10 > /sys/class/rtc/rtc0/wakealarm\n\
                     echo mem > /sys/power/state && echo resumed",
            ..INTEL
        }),
        proves: "resumed",
        finds: &[measured("suspended", "warning", &["CLOCK_BOOTTIME advanced"])],
        may: &["vm-paused", "clock-stepped"],
        ..SCENARIO
    },
    Scenario {
        name: "frozen",
        plants: "the emulator is stopped for three seconds, and the machine's clocks go on, as on \
                 a host that suspends or overcommits its CPUs: from inside, that is no different \
                 from a process that was frozen",
        place: with(Host::Freeze(3)),
        proof: SOURCE,
        proves: "tsc",
        run: WATCH,
        ..SCENARIO
    },
    Scenario {
        name: "paused",
        plants: "the machine is stopped for five seconds with its clocks, except its real-time \
                 clock",
        place: with(Host::Pause(5)),
        proof: SOURCE,
        proves: "tsc",
        run: WATCH,
        finds: &[measured("vm-paused", "warning", &["linux/rtc advanced by"])],
        ..SCENARIO
    },
    Scenario {
        name: "restored",
        plants: "the machine is saved, ended, and restored by another emulator five seconds later",
        place: with(Host::Restore { seconds: 5, skewed: None }),
        proof: SOURCE,
        proves: "tsc",
        // Debian's kernel for clouds has no driver for the generation id, which would tell a
        // restore from a pause.
        run: WATCH,
        finds: &[measured("vm-paused", "warning", &["linux/rtc advanced by"])],
        ..SCENARIO
    },
];
