use crate::clocks::{Entry, Kind, Language, Range};

/// `GetSystemTimePreciseAsFileTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/getsystemtimepreciseasfiletime",
    call: "GetSystemTimePreciseAsFileTime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Windows",
    about: "Universal time in units of 100 ns since 1601, interpolated by the performance counter between clock \
            interrupts. Windows 8 and later.",
    references: &["Microsoft Learn, GetSystemTimePreciseAsFileTime"],
    expect: &["GetSystemTimePreciseAsFileTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_getsystemtimepreciseasfiletime,
        "GetSystemTimePreciseAsFileTime",
        Range::bits(63)
    ),
};
