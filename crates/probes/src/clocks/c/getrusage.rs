use crate::clocks::entry::{SYSTEM_CALL};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `getrusage`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "getrusage",
    call: "getrusage(RUSAGE_SELF, &use)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: SYSTEM_CALL,
    alternative_to: None,
    home: "Unix",
    about: "Processor time of the process, user and system apart, in microseconds, with memory and context \
            switches beside it; the value shown here is the sum of both times. Always a system call, and dearer \
            than the CPU-time clocks, as it walks the threads and fills a large structure. Where the kernel \
            accounts by the tick, only the sum is exact.",
    references: &[
        "POSIX.1-2017 getrusage()",
        "getrusage(2)",
        "Linux kernel/sys.c, getrusage()",
    ],
    expect: &["getrusage"],
    open: here(unix, TIME_T),
});
