use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_BOOTTIME`
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/boottime",
    call: "clock_gettime(CLOCK_BOOTTIME, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Linux",
    about: "CLOCK_MONOTONIC plus the time the machine was suspended: the right clock for timeouts that must hold \
            over a laptop's closed lid. Through the vDSO where the kernel's is the generic one (Linux 5.3 and \
            later), at the same cost.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime"],
    open: native!(
        native_c,
        target_os = "linux",
        "Linux",
        cs_linux_boottime,
        "clock_gettime",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
