use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_MONOTONIC_RAW_APPROX`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-monotonic-raw-approx",
    call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Like CLOCK_MONOTONIC_RAW, as of the last time the kernel noted it. Nanoseconds in one integer, \
            without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_monotonic_raw_approx,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
