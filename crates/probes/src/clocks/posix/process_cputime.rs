use crate::clocks::entry::CPU_TIME;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_PROCESS_CPUTIME_ID`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: posix / "process-cputime",
    call: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: None,
    home: "Unix and MinGW",
    about: "CPU time used by all threads of the process, in nanoseconds, including the time since \
            the last context switch. On Linux it is a system call that sums over the threads: the \
            more there are, the more it costs. It stands still while the process sleeps.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux kernel/time/posix-cpu-timers.c",
    ],
    expect: &["clock_gettime()"],
    open: here(any(unix, windows), TIME_T),
});
