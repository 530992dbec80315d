use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_REALTIME`
pub(crate) const ENTRY: Entry = Entry {
    id: "posix/realtime",
    call: "clock_gettime(CLOCK_REALTIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Unix and MinGW",
    about: "Time since 1970 by universal time: the clock for dates. NTP slews it, and NTP, leap seconds and the \
            administrator step it, so intervals taken from it can be wrong or negative. Read through the vDSO \
            without a system call where the kernel's clock source allows.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux lib/vdso/gettimeofday.c",
    ],
    expect: &["clock_gettime"],
    open: native!(
        native_c,
        any(unix, windows),
        "Unix and MinGW",
        cs_posix_realtime,
        "clock_gettime",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
