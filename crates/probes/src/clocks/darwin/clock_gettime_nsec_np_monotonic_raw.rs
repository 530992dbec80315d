use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Kind, Range};

/// `clock_gettime_nsec_np` of `CLOCK_MONOTONIC_RAW`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: darwin / "clock_gettime_nsec_np-monotonic-raw",
    call: "clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: UNDOCUMENTED,
    alternative_to: None,
    home: "macOS",
    about: "Time since boot, including sleep, from the hardware counter alone. The call returns \
            nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    open: here(target_os = "macos", Range::bits(64)),
});
