use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_MONOTONIC_RAW`
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/monotonic-raw",
    call: "clock_gettime(CLOCK_MONOTONIC_RAW, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Linux",
    about: "The hardware's rate as the kernel calibrated it at boot, untouched by NTP: good for comparing clocks \
            with each other, and off by the crystal's error against true time. Through the vDSO since Linux 5.3 \
            on x86; a system call before.",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime"],
    open: native!(
        native_c,
        target_os = "linux",
        "Linux",
        cs_linux_monotonic_raw,
        "clock_gettime",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
