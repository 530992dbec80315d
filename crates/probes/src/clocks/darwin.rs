//! The clocks of macOS: those of Mach, and those that Darwin adds to POSIX,
//! `clock_gettime_nsec_np`.

use super::entry::{CPU_TIME, Entry, Facts, Kind, PLAIN, Range, STORED, SYSTEM_CALL, UNDOCUMENTED};
use chronoscope_model::clock::RateFrom;

const SERVICE: Entry = Entry { home: "macOS", ..PLAIN };

clocks! {
    MACH: mach in native_c if target_os = "macos", like SERVICE;

    "clock_get_time-system" => {
        call: "clock_get_time(system_clock, &t)",
        kind: Kind::Monotonic,
        facts: SYSTEM_CALL,
        about: "The kernel's clock service SYSTEM_CLOCK, read with a Mach message: the oldest and \
                slowest way to read the time. The tool gets the service's port before main and \
                releases it at exit.",
        references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "clock_get_time-calendar" => {
        call: "clock_get_time(calendar_clock, &t)",
        kind: Kind::Wall,
        facts: SYSTEM_CALL,
        about: "The kernel's clock service CALENDAR_CLOCK, read with a Mach message: universal \
                time. The tool gets the service's port before main and releases it at exit.",
        references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "absolute_time" => {
        call: "mach_absolute_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        common: true,
        about: "Ticks since boot, excluding sleep, read without a system call. mach_timebase_info \
                gives the length of a tick in nanoseconds: 1 on Intel, 125/3 on Apple silicon.",
        references: &["Apple, mach_absolute_time", "mach/mach_time.h"],
        expect: &["mach_absolute_time()"],
    }
    "continuous_time" => {
        call: "mach_continuous_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        about: "Like mach_absolute_time, but it continues while the machine sleeps. macOS 10.12 \
                and later.",
        references: &["Apple, mach_continuous_time", "mach/mach_time.h"],
        expect: &["mach_continuous_time()"],
    }
    "approximate_time" => {
        call: "mach_approximate_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..STORED },
        about: "The value of mach_absolute_time as of the last time that the kernel stored it: \
                cheaper and coarser. macOS 10.10 and later.",
        references: &["Apple, mach_approximate_time", "mach/mach_time.h"],
        expect: &["mach_approximate_time()"],
    }
}

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
