use crate::clocks::entry::VDSO;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_BOOTTIME`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "boottime",
    call: "clock_gettime(CLOCK_BOOTTIME, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: None,
    home: "Linux",
    about: "CLOCK_MONOTONIC plus the time that the machine was suspended: the right clock for \
            timeouts that must keep running while a laptop's lid is closed. If the kernel's vDSO \
            is the generic one (Linux 5.3 and later), it is read through the vDSO, at the same \
            cost.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime()"],
    open: here(target_os = "linux", TIME_T, crate::clocks::permission::vdso()),
});
