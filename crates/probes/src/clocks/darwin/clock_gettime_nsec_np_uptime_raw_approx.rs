use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `clock_gettime_nsec_np` of `CLOCK_UPTIME_RAW_APPROX`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: darwin / "clock_gettime_nsec_np-uptime-raw-approx",
    call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW_APPROX)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "macOS",
    about: "Like CLOCK_UPTIME_RAW, but as of the last time that the kernel stored it. The call \
            returns nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    open: here(target_os = "macos", Range::bits(64)),
});
