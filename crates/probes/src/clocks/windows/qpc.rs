use crate::clocks::{Entry, Kind, Language, Range};

/// `QueryPerformanceCounter`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/qpc",
    call: "QueryPerformanceCounter(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "Windows' own high-resolution clock: the TSC shifted or scaled where that is invariant, else HPET or the \
            ACPI timer by a system call. Its rate is fixed at boot and told by QueryPerformanceFrequency.",
    references: &["Microsoft Learn, Acquiring high-resolution time stamps"],
    expect: &["QueryPerformanceCounter"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_qpc,
        "QueryPerformanceCounter",
        Range::bits(63)
    ),
};
