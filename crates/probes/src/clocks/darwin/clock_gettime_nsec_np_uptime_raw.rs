use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Kind, Range};

/// `clock_gettime_nsec_np` of `CLOCK_UPTIME_RAW`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: darwin / "clock_gettime_nsec_np-uptime-raw",
    call: "clock_gettime_nsec_np(CLOCK_UPTIME_RAW)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: UNDOCUMENTED,
    alternative_to: None,
    home: "macOS",
    about: "Time since boot, excluding sleep, from the hardware counter alone: mach_absolute_time \
            in nanoseconds. The call returns nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    open: here(target_os = "macos", Range::bits(64)),
});
