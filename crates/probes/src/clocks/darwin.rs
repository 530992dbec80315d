//! The clocks that Darwin adds to POSIX: `clock_gettime_nsec_np`.

use super::entry::{CPU_TIME, Entry, Kind, PLAIN, STORED, UNDOCUMENTED};

const NSEC_NP: Entry = Entry {
    home: "macOS",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    ..PLAIN
};

clocks! {
    CLOCKS: darwin in native_c if target_os = "macos", like NSEC_NP;

    "clock_gettime_nsec_np-realtime" => {
        call: "clock_gettime_nsec_np(CLOCK_REALTIME)",
        kind: Kind::Wall,
        facts: UNDOCUMENTED,
        about: "Universal time since 1970, kept in microseconds. It may be stepped. The call \
                returns nanoseconds in one integer, without a timespec.",
    }
    "clock_gettime_nsec_np-monotonic" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        about: "Time since boot, including sleep, slewed by adjtime and kept in microseconds. The \
                call returns nanoseconds in one integer, without a timespec.",
    }
    "clock_gettime_nsec_np-monotonic-raw" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        about: "Time since boot, including sleep, from the hardware counter alone. The call \
                returns nanoseconds in one integer, without a timespec.",
    }
    "clock_gettime_nsec_np-monotonic-raw-approx" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)",
        kind: Kind::Monotonic,
        facts: STORED,
        about: "Like CLOCK_MONOTONIC_RAW, but as of the last time that the kernel stored it. The \
                call returns nanoseconds in one integer, without a timespec.",
    }
    "clock_gettime_nsec_np-uptime-raw" => {
        call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        common: true,
        about: "Time since boot, excluding sleep, from the hardware counter alone: \
                mach_absolute_time in nanoseconds. The call returns nanoseconds in one integer, \
                without a timespec.",
    }
    "clock_gettime_nsec_np-uptime-raw-approx" => {
        call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX)",
        kind: Kind::Monotonic,
        facts: STORED,
        about: "Like CLOCK_UPTIME_RAW, but as of the last time that the kernel stored it. The call \
                returns nanoseconds in one integer, without a timespec.",
    }
    "clock_gettime_nsec_np-process-cputime" => {
        call: "clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        about: "CPU time used by the process. The call returns nanoseconds in one integer, without \
                a timespec.",
    }
    "clock_gettime_nsec_np-thread-cputime" => {
        call: "clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        about: "CPU time used by the thread. The call returns nanoseconds in one integer, without \
                a timespec.",
    }
}
