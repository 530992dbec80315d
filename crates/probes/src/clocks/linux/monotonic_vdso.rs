use crate::clocks::entry::VDSO;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC` through the vDSO's own symbol
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-vdso",
    call: if cfg!(target_arch = "aarch64") {
        "__kernel_clock_gettime(CLOCK_MONOTONIC, &t)"
    } else {
        "__vdso_clock_gettime(CLOCK_MONOTONIC, &t)"
    },
    language: Language::C,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: Some("posix/monotonic"),
    home: "Linux",
    about: "The function that the kernel maps into every process, found by name and called without \
            the C library in between. It shows what bypassing the wrapper gains over \
            posix/monotonic. Programs without a C library read the clock this way; others gain a \
            nanosecond or two at best.",
    references: &["vdso(7)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["(*)"],
    open: here(target_os = "linux", KERNEL_TIME, super::vdso::clock_gettime()),
});
