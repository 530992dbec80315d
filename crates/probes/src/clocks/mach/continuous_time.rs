use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `mach_continuous_time`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: mach / "continuous_time",
    call: "mach_continuous_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
    alternative_to: None,
    home: "macOS",
    about: "Like mach_absolute_time, but it continues while the machine sleeps. macOS 10.12 and \
            later.",
    references: &["Apple, mach_continuous_time", "mach/mach_time.h"],
    expect: &["mach_continuous_time()"],
    open: here(target_os = "macos", Range::bits(64)),
});
