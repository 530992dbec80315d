use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `timeGetTime`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "timegettime",
    call: "timeGetTime()",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "Windows",
    about: "Milliseconds since boot in 32 bits, which return to zero after 49.7 days. Each clock \
            interrupt updates it, so timeBeginPeriod(1) makes it finer.",
    references: &["Microsoft Learn, timeGetTime"],
    expect: &["timeGetTime()"],
    open: here(windows, Range::bits(32)),
});
