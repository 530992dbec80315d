use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `QueryInterruptTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "queryinterrupttime",
    call: "QueryInterruptTime(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "Windows",
    about: "Time since boot, including sleep, in units of 100 ns, as of the last clock interrupt. \
            Windows 10 and later.",
    references: &["Microsoft Learn, QueryInterruptTime"],
    expect: &["QueryInterruptTime()"],
    open: here(windows, Range::bits(63)),
});
