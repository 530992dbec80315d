//! The clocks of macOS: those of Mach, and those that Darwin adds to POSIX,
//! `clock_gettime_nsec_np`.

use super::entry::{CPU_TIME, Entry, Facts, Kind, PLAIN, Range, STORED, SYSTEM_CALL, UNDOCUMENTED};
use chronoscope_model::clock::RateFrom;

const SERVICE: Entry = Entry { home: "macOS", ..PLAIN };

clocks! {
    MACH: mach in native_c if target_os = "macos", like SERVICE;

    "clock_get_time-system" =>
        "clock_get_time(system_clock, &t)", Kind::Monotonic, SYSTEM_CALL,
        expect: &["clock_get_time()"], range: Range::seconds(32);
    "clock_get_time-calendar" =>
        "clock_get_time(calendar_clock, &t)", Kind::Wall, SYSTEM_CALL,
        expect: &["clock_get_time()"], range: Range::seconds(32);
    "absolute_time" =>
        "mach_absolute_time()", Kind::Monotonic,
        Facts { rate_from: RateFrom::System, ..UNDOCUMENTED }, common: true,
        expect: &["mach_absolute_time()"];
    "continuous_time" =>
        "mach_continuous_time()", Kind::Monotonic,
        Facts { rate_from: RateFrom::System, ..UNDOCUMENTED }, expect: &["mach_continuous_time()"];
    "approximate_time" =>
        "mach_approximate_time()", Kind::Monotonic, Facts { rate_from: RateFrom::System, ..STORED },
        expect: &["mach_approximate_time()"];
}

const NSEC_NP: Entry = Entry {
    home: "macOS",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    ..PLAIN
};

clocks! {
    CLOCKS: darwin in native_c if target_os = "macos", like NSEC_NP;

    "clock_gettime_nsec_np-realtime" =>
        "clock_gettime_nsec_np(CLOCK_REALTIME)", Kind::Wall, UNDOCUMENTED;
    "clock_gettime_nsec_np-monotonic" =>
        "clock_gettime_nsec_np(CLOCK_MONOTONIC)", Kind::Monotonic, UNDOCUMENTED;
    "clock_gettime_nsec_np-monotonic-raw" =>
        "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)", Kind::Monotonic, UNDOCUMENTED;
    "clock_gettime_nsec_np-monotonic-raw-approx" =>
        "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)", Kind::Monotonic, STORED;
    "clock_gettime_nsec_np-uptime-raw" =>
        "clock_gettime_nsec_np(CLOCK_UPTIME_RAW)", Kind::Monotonic, UNDOCUMENTED, common: true;
    "clock_gettime_nsec_np-uptime-raw-approx" =>
        "clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX)", Kind::Monotonic, STORED;
    "clock_gettime_nsec_np-process-cputime" =>
        "clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)", Kind::Cpu, CPU_TIME;
    "clock_gettime_nsec_np-thread-cputime" =>
        "clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID)", Kind::Cpu, CPU_TIME;
}
