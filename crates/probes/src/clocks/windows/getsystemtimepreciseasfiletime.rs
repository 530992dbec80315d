use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Kind, Range};

/// `GetSystemTimePreciseAsFileTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "getsystemtimepreciseasfiletime",
    call: "GetSystemTimePreciseAsFileTime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: UNDOCUMENTED,
    alternative_to: None,
    home: "Windows",
    about: "Universal time in units of 100 ns since 1601. Between clock interrupts it is \
            interpolated with the performance counter. Windows 8 and later.",
    references: &["Microsoft Learn, GetSystemTimePreciseAsFileTime"],
    expect: &["GetSystemTimePreciseAsFileTime()"],
    open: here(windows, Range::bits(63)),
});
