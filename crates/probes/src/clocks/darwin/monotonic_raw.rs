use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_MONOTONIC_RAW`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-monotonic-raw",
    call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Time since boot with sleep included, by the hardware counter alone. Nanoseconds in one integer, \
            without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_monotonic_raw,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
