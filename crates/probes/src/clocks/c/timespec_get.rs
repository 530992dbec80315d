use crate::clocks::entry::{VDSO, WALL};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `timespec_get`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "timespec_get",
    call: "timespec_get(&t, TIME_UTC)",
    language: Language::C,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    home: "every system",
    about: "The wall clock of the C standard since C11, and so the portable way to get a date with \
            nanoseconds. glibc passes the call on to clock_gettime(CLOCK_REALTIME). NTP and the \
            administrator may step it, so do not use it for intervals.",
    references: &["ISO C11 7.27.2.5", "timespec_get(3)", "glibc time/timespec_get.c",],
    expect: &["timespec_get()"],
    open: here(all(), TIME_T, crate::clocks::permission::vdso()),
});
