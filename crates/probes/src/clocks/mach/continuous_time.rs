use crate::clocks::{Entry, Kind, Language, Range};

/// `mach_continuous_time`
pub(crate) const ENTRY: Entry = Entry {
    id: "mach/continuous_time",
    call: "mach_continuous_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Like mach_absolute_time, but it goes on while the machine sleeps. macOS 10.12 and later.",
    references: &["Apple, mach_continuous_time", "mach/mach_time.h"],
    expect: &["mach_continuous_time"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_mach_continuous_time,
        "mach_continuous_time",
        Range::bits(64)
    ),
};
