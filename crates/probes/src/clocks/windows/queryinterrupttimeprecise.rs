use crate::clocks::{Entry, Kind, Language, Range};

/// `QueryInterruptTimePrecise`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/queryinterrupttimeprecise",
    call: "QueryInterruptTimePrecise(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Time since boot with sleep included, in units of 100 ns, interpolated by the performance counter \
            between clock interrupts. Windows 10 and later.",
    references: &["Microsoft Learn, QueryInterruptTimePrecise"],
    expect: &["QueryInterruptTimePrecise"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_queryinterrupttimeprecise,
        "QueryInterruptTimePrecise",
        Range::bits(63)
    ),
};
