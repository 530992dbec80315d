use crate::clocks::entry::UNDOCUMENTED;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// `QueryPerformanceCounter`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: windows / "qpc",
    call: "QueryPerformanceCounter(&t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts { rate_from: RateFrom::System, ..UNDOCUMENTED },
    alternative_to: None,
    home: "Windows",
    about: "Windows' own high-resolution clock: the TSC, shifted or scaled, if it is invariant; \
            otherwise the HPET or the ACPI timer, through a system call. Its rate is fixed at \
            boot, and QueryPerformanceFrequency returns it.",
    references: &["Microsoft Learn, Acquiring high-resolution time stamps"],
    expect: &["QueryPerformanceCounter()"],
    open: here(windows, Range::bits(63)),
});
