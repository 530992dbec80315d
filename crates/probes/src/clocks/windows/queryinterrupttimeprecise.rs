use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Kind, Range};

/// `QueryInterruptTimePrecise`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "queryinterrupttimeprecise",
    call: "QueryInterruptTimePrecise(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: UNDOCUMENTED,
    alternative_to: None,
    home: "Windows",
    about: "Time since boot, including sleep, in units of 100 ns. Between clock interrupts it is \
            interpolated with the performance counter. Windows 10 and later.",
    references: &["Microsoft Learn, QueryInterruptTimePrecise"],
    expect: &["QueryInterruptTimePrecise()"],
    open: here(windows, Range::bits(63)),
});
