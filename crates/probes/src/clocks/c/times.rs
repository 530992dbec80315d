use crate::clocks::{Entry, Kind, Language, Range};

/// `times`
pub(crate) const ENTRY: Entry = Entry {
    id: "c/times",
    call: "times(&use)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "Unix",
    about: "Processor time of the process in ticks of sysconf(_SC_CLK_TCK), usually 10 ms long, the oldest of \
            its kind; the value shown here is user plus system time. Its tick is far longer than its cost: \
            getrusage and the CPU-time clocks tell the same more finely.",
    references: &["POSIX.1-2017 times()", "times(2)"],
    expect: &["times"],
    open: native!(
        native_c,
        unix,
        "Unix",
        cs_c_times,
        "times()",
        Range::bits(usize::BITS - 1)
    ),
};
