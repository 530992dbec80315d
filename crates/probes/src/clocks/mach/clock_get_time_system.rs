use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_get_time` of SYSTEM_CLOCK
pub(crate) const ENTRY: Entry = Entry {
    id: "mach/clock_get_time-system",
    call: "clock_get_time(system_clock, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "macOS",
    about: "The kernel's clock service SYSTEM_CLOCK by a Mach message: the oldest and dearest way. The service's \
            port is asked for before main and given back at exit.",
    references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
    expect: &["clock_get_time"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_mach_clock_get_time_system,
        "clock_get_time",
        Range::seconds(32)
    ),
};
