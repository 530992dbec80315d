use crate::clocks::entry::{VDSO, WALL};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `gettimeofday`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "gettimeofday",
    call: "gettimeofday(&t, NULL)",
    language: Language::C,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    home: "Unix",
    about: "The wall clock in microseconds. It is older than clock_gettime, marked obsolescent by \
            POSIX.1-2008, and still everywhere. It costs as much as CLOCK_REALTIME and discards \
            three digits, and it may be stepped.",
    references: &[
        "POSIX.1-2017 gettimeofday()",
        "gettimeofday(2)",
        "Linux lib/vdso/gettimeofday.c, __cvdso_gettimeofday()",
    ],
    expect: &["gettimeofday()"],
    open: here(unix, TIME_T, crate::clocks::permission::vdso()),
});
