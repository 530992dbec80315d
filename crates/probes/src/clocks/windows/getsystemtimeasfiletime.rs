use crate::clocks::{Entry, Kind, Language, Range};

/// `GetSystemTimeAsFileTime`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/getsystemtimeasfiletime",
    call: "GetSystemTimeAsFileTime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Windows",
    about: "Universal time in units of 100 ns since 1601, read from a page that the kernel renews at each clock \
            interrupt: cheap, and no finer than that interrupt, 0.5 to 15.6 ms apart.",
    references: &["Microsoft Learn, GetSystemTimeAsFileTime"],
    expect: &["GetSystemTimeAsFileTime"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_getsystemtimeasfiletime,
        "GetSystemTimeAsFileTime",
        Range::bits(63)
    ),
};
