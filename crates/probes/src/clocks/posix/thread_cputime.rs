use crate::clocks::entry::CPU_TIME;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_THREAD_CPUTIME_ID`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: posix / "thread-cputime",
    call: "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: None,
    home: "Unix and MinGW",
    about: "CPU time used by the calling thread, in nanoseconds: what a piece of code costs, \
            without what other threads did in the meantime. On Linux it is a system call, and so \
            of no use for regions shorter than a microsecond.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux kernel/time/posix-cpu-timers.c",
    ],
    expect: &["clock_gettime()"],
    open: here(any(unix, windows), TIME_T),
});
