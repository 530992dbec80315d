use crate::clocks::entry::{STORED};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `time`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "time",
    call: "time(NULL)",
    language: Language::C,
    kind: Kind::Wall,
    facts: STORED,
    alternative_to: None,
    home: "every system",
    about: "Whole seconds since 1970. On Linux it is a load from the page that the kernel updates each timer \
            tick, without a counter read, so it can lag behind the other wall clocks by a tick: a second may be \
            seen by clock_gettime before time() shows it. Right for dates, useless for intervals.",
    references: &[
        "ISO C11 7.27.2.4",
        "time(2)",
        "Linux lib/vdso/gettimeofday.c, __cvdso_time()",
    ],
    expect: &["time"],
    open: here(all(), TIME_T),
});
