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
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "clock_get_time-calendar" => {
        call: "clock_get_time(calendar_clock, &t)",
        kind: Kind::Wall,
        facts: SYSTEM_CALL,
        expect: &["clock_get_time()"],
        range: Range::seconds(32),
    }
    "absolute_time" => {
        call: "mach_absolute_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        common: true,
        expect: &["mach_absolute_time()"],
    }
    "continuous_time" => {
        call: "mach_continuous_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
        expect: &["mach_continuous_time()"],
    }
    "approximate_time" => {
        call: "mach_approximate_time()",
        kind: Kind::Monotonic,
        facts: Facts { rate_from: RateFrom::System, ..STORED },
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
    }
    "clock_gettime_nsec_np-monotonic" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
    }
    "clock_gettime_nsec_np-monotonic-raw" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
    }
    "clock_gettime_nsec_np-monotonic-raw-approx" => {
        call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)",
        kind: Kind::Monotonic,
        facts: STORED,
    }
    "clock_gettime_nsec_np-uptime-raw" => {
        call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW)",
        kind: Kind::Monotonic,
        facts: UNDOCUMENTED,
        common: true,
    }
    "clock_gettime_nsec_np-uptime-raw-approx" => {
        call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX)",
        kind: Kind::Monotonic,
        facts: STORED,
    }
    "clock_gettime_nsec_np-process-cputime" => {
        call: "clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
    }
    "clock_gettime_nsec_np-thread-cputime" => {
        call: "clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
    }
}
