use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_THREAD_CPUTIME_ID`
pub(crate) const ENTRY: Entry = Entry {
    id: "posix/thread-cputime",
    call: "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "Unix and MinGW",
    about: "Processor time used by the calling thread, in nanoseconds: what a piece of code costs, without what \
            others did meanwhile. A system call on Linux, and so of no use for regions shorter than a \
            microsecond.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux kernel/time/posix-cpu-timers.c",
    ],
    expect: &["clock_gettime"],
    open: native!(
        native_c,
        any(unix, windows),
        "Unix and MinGW",
        cs_posix_thread_cputime,
        "clock_gettime",
        TIME_T
    ),
};
