use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_TAI`
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/tai",
    call: "clock_gettime(CLOCK_TAI, &t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Linux",
    about: "International atomic time: universal time without leap seconds. It equals CLOCK_REALTIME until \
            something (NTP, PTP) has told the kernel the offset, 37 s since 2017; and what steps that clock \
            steps this one.",
    references: &["clock_gettime(2)", "adjtimex(2), ADJ_TAI"],
    expect: &["clock_gettime"],
    open: native!(
        native_c,
        target_os = "linux",
        "Linux",
        cs_linux_tai,
        "clock_gettime",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
