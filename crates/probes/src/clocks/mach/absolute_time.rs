use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `mach_absolute_time`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: mach / "absolute_time",
    call: "mach_absolute_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
    alternative_to: None,
    home: "macOS",
    about: "Ticks since boot, excluding sleep, read without a system call. mach_timebase_info \
            gives the length of a tick in nanoseconds: 1 on Intel, 125/3 on Apple silicon.",
    references: &["Apple, mach_absolute_time", "mach/mach_time.h"],
    expect: &["mach_absolute_time()"],
    open: here(target_os = "macos", Range::bits(64)),
});
