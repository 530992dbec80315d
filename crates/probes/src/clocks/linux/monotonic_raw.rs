use crate::clocks::entry::{VDSO};
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
    about: "The hardware's rate as the kernel calibrated it at boot, untouched by NTP: good for comparing clocks \
            with each other, and off by the crystal's error against true time. Through the vDSO since Linux 5.3 \
            on x86; a system call before.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime"],
    open: here(target_os = "linux", TIME_T, crate::clocks::permission::vdso()),
});
