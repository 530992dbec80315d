use crate::clocks::entry::CPU_TIME;
use crate::clocks::{Entry, Kind, Range};

/// `times`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "times",
    call: "times(&use)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: None,
    home: "Unix",
    about: "CPU time of the process in ticks of sysconf(_SC_CLK_TCK), usually 10 ms long; the \
            oldest clock of its kind. The value shown here is user plus system time. Its tick is \
            far longer than its cost: getrusage and the CPU-time clocks give the same time in \
            finer units.",
    references: &["POSIX.1-2017 times()", "times(2)"],
    expect: &["times()"],
    open: here(unix, Range::bits(usize::BITS - 1)),
});
