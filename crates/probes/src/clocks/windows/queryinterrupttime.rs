use crate::clocks::{Entry, Kind, Language, Range};

/// `QueryInterruptTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/queryinterrupttime",
    call: "QueryInterruptTime(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Time since boot with sleep included, in units of 100 ns, as of the last clock interrupt. Windows 10 \
            and later.",
    references: &["Microsoft Learn, QueryInterruptTime"],
    expect: &["QueryInterruptTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_queryinterrupttime,
        "QueryInterruptTime",
        Range::bits(63)
    ),
};
