use crate::clocks::{Entry, Kind, Language, Range};

/// `timeGetTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/timegettime",
    call: "timeGetTime()",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Milliseconds since boot in 32 bits, which return to zero after 49.7 days; renewed at each clock \
            interrupt, so that timeBeginPeriod(1) makes it finer.",
    references: &["Microsoft Learn, timeGetTime"],
    expect: &["timeGetTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_timegettime,
        "timeGetTime",
        Range::bits(32)
    ),
};
