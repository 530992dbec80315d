use crate::clocks::{Entry, Kind, Language, Range};

/// `RtlQueryPerformanceCounter`
pub(crate) const ENTRY: Entry = Entry {
    id: "windows/rtl-qpc",
    call: "RtlQueryPerformanceCounter(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Windows",
    about: "What QueryPerformanceCounter forwards to, called without the step through kernel32. The same clock \
            and rate.",
    references: &[
        "Microsoft Learn, Acquiring high-resolution time stamps",
        "ntdll.dll",
    ],
    expect: &["RtlQueryPerformanceCounter"],
    open: native!(
        native_c,
        windows,
        "Windows",
        cs_windows_rtl_qpc,
        "RtlQueryPerformanceCounter",
        Range::bits(63)
    ),
};
