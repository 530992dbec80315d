use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_MONOTONIC`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-monotonic",
    call: "clock_gettime_nsec_np(CLOCK_MONOTONIC)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Time since boot with sleep included, slewed by adjtime; kept in microseconds. Nanoseconds in one \
            integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_monotonic,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
