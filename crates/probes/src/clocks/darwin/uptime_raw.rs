use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_UPTIME_RAW`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-uptime-raw",
    call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Time since boot without sleep, by the hardware counter alone: mach_absolute_time in nanoseconds. \
            Nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_uptime_raw,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
