use crate::clocks::entry::{STORED};
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
    about: "Milliseconds since boot, advanced at each clock interrupt by 15.625 ms at most; it counts sleep.",
    references: &["Microsoft Learn, GetTickCount64"],
    expect: &["GetTickCount64"],
    open: here(windows, Range::bits(64)),
});
