use crate::clocks::{Entry, Kind, Language, Range};

/// `clock_gettime_nsec_np` of `CLOCK_PROCESS_CPUTIME_ID`
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/clock_gettime_nsec_np-process-cputime",
    call: "clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "macOS",
    about: "Processor time used by the process. Nanoseconds in one integer, without a timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np"],
    open: native!(
        native_c,
        target_os = "macos",
        "macOS",
        cs_darwin_process_cputime,
        "clock_gettime_nsec_np",
        Range::bits(64)
    ),
};
