//! Restricted processes on this machine.

use super::super::scenario::{Place, Process, SCENARIO, Scenario, Tool, evident, measured};
use super::power::WAITS;

/// A process of the statically linked tool, with the fault in what it inherits.
const fn inherits(before: &'static str) -> Place {
    Place::Process(Process { tool: Tool::Static, before, around: "" })
}

pub(super) const ALL: &[Scenario] = &[
    Scenario {
        name: "tsc-forbidden",
        plants: "`PR_TSC_SIGSEGV`: a read of the TSC raises SIGSEGV, and so does the vDSO's \
                 clock_gettime",
        place: inherits("\"$plant\" notsc"),
        proof: "\"$plant\" show",
        proves: "counter: SIGSEGV",
        finds: &[evident("tsc-forbidden", "error", &["PR_TSC_SIGSEGV"])],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "clock-denied",
        plants: "a seccomp filter answers clock_gettime with EPERM; the vDSO still works",
        place: inherits("\"$plant\" deny clock_gettime"),
        proof: "\"$plant\" show",
        proves: "seccomp: 2",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "adjtimex-denied",
        plants: "a seccomp filter answers adjtimex and clock_adjtime with EPERM, as in a container",
        place: inherits("\"$plant\" deny adjtimex,clock_adjtime"),
        proof: "\"$plant\" show",
        proves: "seccomp: 2",
        finds: &[super::super::scenario::Expected {
            id: "adjtimex-denied",
            level: "info",
            certainty: "unknown",
            evidence: &["EPERM"],
        }],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "time-namespace",
        plants: "a time namespace whose monotonic clock is a day ahead",
        place: inherits("unshare --time --fork --monotonic 86400 --boottime 86400"),
        proof: "cat /proc/self/timens_offsets",
        proves: "86400",
        finds: &[evident("time-namespace", "info", &["timens_offsets: monotonic", "86400"])],
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "timer-slack",
        plants: "a timer slack of 50 ms, which a child inherits",
        place: inherits("\"$plant\" slack 50000000"),
        proof: "\"$plant\" show",
        proves: "slack: 50000000 ns",
        run: WAITS,
        finds: &[measured("timer-slack", "warning", &["rust/thread-sleep"])],
        ..SCENARIO
    },
    Scenario {
        name: "no-realtime",
        plants: "no privilege for SCHED_FIFO: RLIMIT_RTPRIO is 0, and CAP_SYS_NICE is gone",
        place: inherits("\"$plant\" ordinary"),
        proof: "\"$plant\" show",
        proves: "real-time priority: 0, CAP_SYS_NICE: 0",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "hidden-proc-sys",
        plants: "empty folders in place of `/proc` and `/sys`",
        place: inherits(
            "unshare --mount sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && \
             exec \"$@\"' sh",
        ),
        proof: "ls /proc /sys",
        proves: "/proc:\n\n/sys:\n",
        ci: true,
        ..SCENARIO
    },
    Scenario {
        name: "clock-backwards",
        plants: "a preloaded clock_gettime whose monotonic clock goes back by 1 ms at every \
                 1000th read",
        place: Place::Process(Process {
            tool: Tool::Dynamic,
            before: "",
            around: "env LD_PRELOAD=\"$backwards\"",
        }),
        proof: "ls \"$backwards\"",
        proves: "backwards.so",
        finds: &[measured("clock-backwards", "error", &["posix/monotonic", "1 ms"])],
        // The system call is not preloaded, and does not go back.
        may: &["vdso-disagrees"],
        ci: true,
        ..SCENARIO
    },
];
