use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_REALTIME`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-realtime",
    call: "clock_gettime_nsec_np(CLOCK_REALTIME)",
    language: Language::C,
    kind: Kind::Wall,
    home: "macOS",
    about: "Universal time since 1970, which may step; kept in microseconds. Nanoseconds in one integer, without \
            a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_realtime,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
