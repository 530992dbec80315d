use crate::clocks::entry::VDSO;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC_RAW`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-raw",
    call: "clock_gettime(CLOCK_MONOTONIC_RAW, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: None,
    home: "Linux",
    about: "The hardware's rate as the kernel calibrated it at boot, untouched by NTP. It is good \
            for comparing clocks with each other; against true time it is off by the crystal's \
            error. On x86 it is read through the vDSO since Linux 5.3, and was a system call \
            before.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T, crate::clocks::permission::vdso()),
});
