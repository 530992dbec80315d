use crate::clocks::entry::CPU_TIME;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `getrusage`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "getrusage",
    call: "getrusage(RUSAGE_SELF, &use)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: None,
    home: "Unix",
    about: "CPU time of the process in microseconds, user and system time separately, together \
            with memory use and context switches; the value shown here is the sum of the two \
            times. It is always a system call, and more expensive than the CPU-time clocks, \
            because it walks the threads and fills a large structure. If the kernel accounts CPU \
            time by the tick, only the sum is exact.",
    references: &["POSIX.1-2017 getrusage()", "getrusage(2)", "Linux kernel/sys.c, getrusage()",],
    expect: &["getrusage()"],
    open: here(unix, TIME_T),
});
