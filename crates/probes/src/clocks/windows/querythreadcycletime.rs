use crate::clocks::{Entry, Kind, Language, Range};

/// `QueryThreadCycleTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/querythreadcycletime",
    call: "QueryThreadCycleTime(GetCurrentThread(), &t)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "Windows",
    about: "Cycles that the thread has been given, in user and kernel mode, counted by the processor's counter: \
            no fixed relation to seconds is promised.",
    references: &["Microsoft Learn, QueryThreadCycleTime"],
    expect: &["QueryThreadCycleTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_querythreadcycletime,
        "QueryThreadCycleTime",
        Range::bits(64)
    ),
};
