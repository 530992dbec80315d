use crate::clocks::entry::CPU_TIME;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::{Counts, RateFrom};

/// `QueryThreadCycleTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "querythreadcycletime",
    call: "QueryThreadCycleTime(GetCurrentThread(), &t)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: Facts { counts: Counts::Cycles, rate_from: RateFrom::Nothing, ..CPU_TIME },
    alternative_to: None,
    home: "Windows",
    about: "Cycles that the thread has been given in user and kernel mode, counted by the \
            processor's counter. Windows promises no fixed relation to seconds.",
    references: &["Microsoft Learn, QueryThreadCycleTime"],
    expect: &["GetCurrentThread()", "QueryThreadCycleTime()"],
    open: here(windows, Range::bits(64)),
});
