use crate::clocks::entry::STORED;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME_COARSE`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "realtime-coarse",
    call: "clock_gettime(CLOCK_REALTIME_COARSE, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: STORED,
    alternative_to: None,
    home: "Linux",
    about: "Universal time as of the last timer tick. A read is a load from memory and not a \
            counter read, for log lines for which milliseconds suffice. Its resolution is the \
            kernel's tick, 1 to 10 ms, which clock_getres returns.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T),
});
