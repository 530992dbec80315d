use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_PROCESS_CPUTIME_ID`
pub(crate) const ENTRY: Entry = Entry {
    id: "posix/process-cputime",
    call: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "Unix and MinGW",
    about: "Processor time used by all threads of the process, in nanoseconds, the time since the last switch \
            included. A system call on Linux, which sums over the threads: dearer the more there are. It stands \
            still while the process sleeps.",
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
        cs_posix_process_cputime,
        "clock_gettime",
        TIME_T
    ),
};
