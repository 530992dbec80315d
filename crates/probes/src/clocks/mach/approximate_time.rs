use crate::clocks::{Entry, Kind, Language, Range};

/// `mach_approximate_time`
pub(crate) const ENTRY: Entry = Entry {
    id: "mach/approximate_time",
    call: "mach_approximate_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "The value of mach_absolute_time as of the last time the kernel noted it: cheaper and coarser. macOS \
            10.10 and later.",
    references: &["Apple, mach_approximate_time", "mach/mach_time.h"],
    expect: &["mach_approximate_time"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_mach_approximate_time,
        "mach_approximate_time",
        Range::bits(64)
    ),
};
