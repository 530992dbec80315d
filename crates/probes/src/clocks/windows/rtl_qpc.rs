use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `RtlQueryPerformanceCounter`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "rtl-qpc",
    call: "RtlQueryPerformanceCounter(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
    alternative_to: Some("windows/qpc"),
    home: "Windows",
    about: "The function that QueryPerformanceCounter forwards to, called without the step through \
            kernel32. The clock and its rate are the same.",
    references: &["Microsoft Learn, Acquiring high-resolution time stamps", "ntdll.dll",],
    expect: &["RtlQueryPerformanceCounter()"],
    open: here(windows, Range::bits(63)),
});
