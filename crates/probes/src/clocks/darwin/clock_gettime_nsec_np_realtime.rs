use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Kind, Range};

/// `clock_gettime_nsec_np` of `CLOCK_REALTIME`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: darwin / "clock_gettime_nsec_np-realtime",
    call: "clock_gettime_nsec_np(CLOCK_REALTIME)",
    language: Language::C,
    kind: Kind::Wall,
    facts: UNDOCUMENTED,
    alternative_to: None,
    home: "macOS",
    about: "Universal time since 1970, kept in microseconds. It may be stepped. The call returns \
            nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    open: here(target_os = "macos", Range::bits(64)),
});
