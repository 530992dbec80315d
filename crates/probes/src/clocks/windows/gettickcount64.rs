use crate::clocks::{Entry, Kind, Language, Range};

/// `GetTickCount64`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/gettickcount64",
    call: "GetTickCount64()",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Milliseconds since boot, advanced at each clock interrupt by 15.625 ms at most; it counts sleep.",
    references: &["Microsoft Learn, GetTickCount64"],
    expect: &["GetTickCount64"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_gettickcount64,
        "GetTickCount64",
        Range::bits(64)
    ),
};
