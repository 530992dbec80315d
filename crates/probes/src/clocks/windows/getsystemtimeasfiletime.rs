use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `GetSystemTimeAsFileTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "getsystemtimeasfiletime",
    call: "GetSystemTimeAsFileTime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: STORED,
    alternative_to: None,
    home: "Windows",
    about: "Universal time in units of 100 ns since 1601, read from a page that the kernel updates \
            at each clock interrupt. It is cheap, and no finer than the interval between those \
            interrupts, 0.5 to 15.6 ms.",
    references: &["Microsoft Learn, GetSystemTimeAsFileTime"],
    expect: &["GetSystemTimeAsFileTime()"],
    open: here(windows, Range::bits(63)),
});
