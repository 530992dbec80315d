use crate::clocks::{Entry, Kind, Language, Range};

/// `QueryUnbiasedInterruptTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/queryunbiasedinterrupttime",
    call: "QueryUnbiasedInterruptTime(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Time since boot without sleep, in units of 100 ns, as of the last clock interrupt. Windows 7 and \
            later.",
    references: &["Microsoft Learn, QueryUnbiasedInterruptTime"],
    expect: &["QueryUnbiasedInterruptTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_queryunbiasedinterrupttime,
        "QueryUnbiasedInterruptTime",
        Range::bits(63)
    ),
};
