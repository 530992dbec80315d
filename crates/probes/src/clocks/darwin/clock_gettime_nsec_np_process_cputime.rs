use crate::clocks::entry::CPU_TIME;
use crate::clocks::{Entry, Kind, Range};

/// `clock_gettime_nsec_np` of `CLOCK_PROCESS_CPUTIME_ID`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: darwin / "clock_gettime_nsec_np-process-cputime",
    call: "clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: None,
    home: "macOS",
    about: "CPU time used by the process. The call returns nanoseconds in one integer, without a \
            timespec.",
    references: &["Darwin clock_gettime_nsec_np(3)"],
    expect: &["clock_gettime_nsec_np()"],
    open: here(target_os = "macos", Range::bits(64)),
});
