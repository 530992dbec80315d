use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `mach_approximate_time`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: mach / "approximate_time",
    call: "mach_approximate_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts { rate_from: RateFrom::System, ..STORED },
    alternative_to: None,
    home: "macOS",
    about: "The value of mach_absolute_time as of the last time that the kernel stored it: cheaper \
            and coarser. macOS 10.10 and later.",
    references: &["Apple, mach_approximate_time", "mach/mach_time.h"],
    expect: &["mach_approximate_time()"],
    open: here(target_os = "macos", Range::bits(64)),
});
