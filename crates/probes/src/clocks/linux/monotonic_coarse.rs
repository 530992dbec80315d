use crate::clocks::entry::STORED;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC_COARSE`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-coarse",
    call: "clock_gettime(CLOCK_MONOTONIC_COARSE, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "Linux",
    about: "CLOCK_MONOTONIC as of the last timer tick. A read is a load from memory and not a \
            counter read, which makes it good for timeouts and caches. Its resolution is the \
            kernel's tick, 1 to 10 ms; an interval is wrong by up to that.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T),
});
