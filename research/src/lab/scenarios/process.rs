//! Restricted processes on this machine.

use super::super::scenario::{
    Expected, Place, Process, SCENARIO, Scenario, Tool, WAITS, evident, measured,
};

/// A process of the statically linked tool, with the fault in what it inherits.
const fn inherits(before: &'static str) -> Place {
    Place::Process(Process { tool: Tool::Static, before, around: "" })
}

scenarios! {
    "tsc-forbidden" inherits("\"$plant\" notsc") =>
        "`PR_TSC_SIGSEGV`: a read of the TSC raises SIGSEGV, and so does the vDSO's \
         clock_gettime",
        proof "\"$plant\" show" => "counter: SIGSEGV",
        finds: &[evident("tsc-forbidden", "error", &["PR_TSC_SIGSEGV"])],
        ci: true;
    "clock-denied" inherits("\"$plant\" deny clock_gettime") =>
        "a seccomp filter answers clock_gettime with EPERM; the vDSO still works",
        proof "\"$plant\" show" => "seccomp: 2",
        finds: &[measured("sleeps-refused", "warning", &["not permitted"])],
        ci: true;
    "adjtimex-denied" inherits("\"$plant\" deny adjtimex,clock_adjtime") =>
        "a seccomp filter answers adjtimex and clock_adjtime with EPERM, as in a container",
        proof "\"$plant\" show" => "seccomp: 2",
        finds: &[Expected {
            id: "adjtimex-denied",
            level: "info",
            certainty: "unknown",
            evidence: &["EPERM"],
        }],
        ci: true;
    "time-namespace" inherits("unshare --time --fork --monotonic 86400 --boottime 86400") =>
        "a time namespace whose monotonic clock is a day ahead",
        proof "cat /proc/self/timens_offsets" => "86400",
        finds: &[evident("time-namespace", "info", &["timens_offsets: monotonic", "86400"])],
        ci: true;
    "timer-slack" inherits("\"$plant\" slack 50000000") =>
        "a timer slack of 50 ms, which a child inherits",
        proof "\"$plant\" show" => "slack: 50000000 ns",
        run: WAITS,
        finds: &[measured("timer-slack", "warning", &["rust/thread-sleep"])];
    "no-realtime" inherits("\"$plant\" ordinary") =>
        "no privilege for SCHED_FIFO: RLIMIT_RTPRIO is 0, and CAP_SYS_NICE is gone",
        proof "\"$plant\" show" => "real-time priority: 0, CAP_SYS_NICE: 0",
        ci: true;
    "hidden-proc-sys" inherits(
            "unshare --mount sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && \
             exec \"$@\"' sh",
        ) =>
        "empty folders in place of `/proc` and `/sys`",
        proof "ls /proc /sys" => "/proc:\n\n/sys:\n",
        ci: true;
    "clock-backwards" Place::Process(Process {
            tool: Tool::Dynamic,
            before: "",
            around: "env LD_PRELOAD=\"$backwards\"",
        }) =>
        "a preloaded clock_gettime whose monotonic clock goes back by 1 ms at every \
         1000th read",
        proof "ls \"$backwards\"" => "backwards.so",
        finds: &[measured("clock-backwards", "error", &["posix/monotonic", "1 ms"])],
        // The system call is not preloaded, and does not go back.
        may: &["vdso-disagrees"],
        ci: true;
}
