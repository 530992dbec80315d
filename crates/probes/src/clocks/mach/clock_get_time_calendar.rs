use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::{Entry, Kind, Range};

/// `clock_get_time` of CALENDAR_CLOCK
pub(crate) const ENTRY: Entry = native!(Entry {
    id: mach / "clock_get_time-calendar",
    call: "clock_get_time(calendar_clock, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: SYSTEM_CALL,
    alternative_to: None,
    home: "macOS",
    about: "The kernel's clock service CALENDAR_CLOCK, read with a Mach message: universal time. \
            The tool gets the service's port before main and releases it at exit.",
    references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
    expect: &["clock_get_time()"],
    open: here(target_os = "macos", Range::seconds(32)),
});
