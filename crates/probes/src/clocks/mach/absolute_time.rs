use crate::clocks::{Entry, Kind, Language, Range};

/// `mach_absolute_time`
pub(crate) const ENTRY: Entry = Entry {
    id: "mach/absolute_time",
    call: "mach_absolute_time()",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "Ticks since boot without sleep, read without a system call; mach_timebase_info tells how many \
            nanoseconds a tick has: 1 on Intel, 125/3 on Apple silicon.",
    references: &["Apple, mach_absolute_time", "mach/mach_time.h"],
    expect: &["mach_absolute_time"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_mach_absolute_time,
        "mach_absolute_time",
        Range::bits(64)
    ),
};
