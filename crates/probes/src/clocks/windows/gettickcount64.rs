use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Range};

/// `GetTickCount64`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "gettickcount64",
    call: "GetTickCount64()",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: None,
    home: "Windows",
    about: "Milliseconds since boot, including sleep. Each clock interrupt advances it, by 15.625 \
            ms at most.",
    references: &["Microsoft Learn, GetTickCount64"],
    expect: &["GetTickCount64()"],
    open: here(windows, Range::bits(64)),
});
