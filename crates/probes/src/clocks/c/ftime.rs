use crate::clocks::entry::{VDSO, WALL};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `ftime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "ftime",
    call: "ftime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    home: "Unix (C libraries with ftime)",
    about: "The wall clock in milliseconds, from the Seventh Edition of Unix. POSIX dropped it in \
            2008, glibc deprecates it, and newer ports no longer have it. clock_gettime does \
            everything it does, and better.",
    references: &["POSIX.1-2001 ftime()", "ftime(3)", "glibc 2.31 NEWS"],
    expect: &["ftime()"],
    open: here(unix, TIME_T, crate::clocks::permission::vdso()),
});
