use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `QueryUnbiasedInterruptTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "queryunbiasedinterrupttime",
    call: "QueryUnbiasedInterruptTime(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "Windows",
    about: "Time since boot, excluding sleep, in units of 100 ns, as of the last clock interrupt. \
            Windows 7 and later.",
    references: &["Microsoft Learn, QueryUnbiasedInterruptTime"],
    expect: &["QueryUnbiasedInterruptTime()"],
    open: here(windows, Range::bits(63)),
});
