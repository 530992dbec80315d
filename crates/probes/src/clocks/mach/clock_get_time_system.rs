use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::{Entry, Kind, Range};

/// `clock_get_time` of SYSTEM_CLOCK
pub(crate) const ENTRY: Entry = native!(Entry {
    id: mach / "clock_get_time-system",
    call: "clock_get_time(system_clock, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: SYSTEM_CALL,
    alternative_to: None,
    home: "macOS",
    about: "The kernel's clock service SYSTEM_CLOCK, read with a Mach message: the oldest and \
            slowest way to read the time. The tool gets the service's port before main and \
            releases it at exit.",
    references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
    expect: &["clock_get_time()"],
    open: here(target_os = "macos", Range::seconds(32)),
});
