use crate::clocks::entry::{SYSTEM_CALL};
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
    about: "The kernel's clock service SYSTEM_CLOCK by a Mach message: the oldest and dearest way. The service's \
            port is asked for before main and given back at exit.",
    references: &["XNU osfmk/man/clock_get_time.html", "mach/clock.h"],
    expect: &["clock_get_time"],
    open: here(target_os = "macos", Range::seconds(32)),
});
