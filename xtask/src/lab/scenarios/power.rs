//! What delays waits: limits, slack and the scheduler's settings.

use super::super::scenario::{INTEL, Machine, Place, SCENARIO, Scenario, evident, measured};

/// Waits, and why they ended late.
pub(super) const WAITS: &str =
    "waits rust/thread-sleep --wait 1ms --count 100 --why --json --quiet";

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "cpu-quota",
        plants: "a control group with a quota of 20 ms in each 100 ms",
        place: Place::Machine(Machine {
            before: "mount -t cgroup2 none /sys/fs/cgroup\n\
                     echo +cpu > /sys/fs/cgroup/cgroup.subtree_control\n\
                     mkdir /sys/fs/cgroup/small\n\
                     echo 20000 100000 > /sys/fs/cgroup/small/cpu.max\n\
                     echo $$ > /sys/fs/cgroup/small/cgroup.procs",
            ..INTEL
        }),
        proof: "cat /proc/self/cgroup /sys/fs/cgroup/small/cpu.max",
        proves: "0::/small\n20000 100000",
        run: WAITS,
        finds: &[measured("cgroup-throttled", "warning", &["cpu.stat:"])],
        ..SCENARIO
    },
    Scenario {
        name: "rt-throttling",
        plants: "real-time threads may use a tenth of the time only",
        place: Place::Machine(Machine {
            before: "echo 100000 > /proc/sys/kernel/sched_rt_runtime_us",
            ..INTEL
        }),
        proof: "cat /proc/sys/kernel/sched_rt_runtime_us",
        proves: "100000",
        finds: &[evident("rt-throttling", "info", &["sched_rt_runtime_us: 100000 of 1000000"])],
        ..SCENARIO
    },
];
