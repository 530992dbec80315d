//! What delays waits: limits, slack and the scheduler's settings.

use super::super::scenario::{SCENARIO, Scenario, WAITS, before, evident, measured};

scenarios! {
    "cpu-quota" before(
            "mount -t cgroup2 none /sys/fs/cgroup\n\
             echo +cpu > /sys/fs/cgroup/cgroup.subtree_control\n\
             mkdir /sys/fs/cgroup/small\n\
             echo 20000 100000 > /sys/fs/cgroup/small/cpu.max\n\
             echo $$ > /sys/fs/cgroup/small/cgroup.procs",
        ) =>
        "a control group with a quota of 20 ms in each 100 ms",
        proof "cat /proc/self/cgroup /sys/fs/cgroup/small/cpu.max" => "0::/small\n20000 100000",
        run: WAITS,
        finds: &[measured("cgroup-throttled", "warning", &["cpu.stat:"])];
    "rt-throttling" before("echo 100000 > /proc/sys/kernel/sched_rt_runtime_us") =>
        "real-time threads may use a tenth of the time only",
        proof "cat /proc/sys/kernel/sched_rt_runtime_us" => "100000",
        finds: &[evident("rt-throttling", "info", &["sched_rt_runtime_us: 100000 of 1000000"])];
}
