use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `gettimeofday`
pub(crate) const ENTRY: Entry = Entry {
    id: "c/gettimeofday",
    call: "gettimeofday(&t, NULL)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Unix",
    about: "The wall clock in microseconds: older than clock_gettime, marked obsolescent by POSIX.1-2008 and \
            still everywhere. It costs what CLOCK_REALTIME costs and throws three digits away, and it may be \
            stepped.",
    references: &[
        "POSIX.1-2017 gettimeofday()",
        "gettimeofday(2)",
        "Linux lib/vdso/gettimeofday.c, __cvdso_gettimeofday()",
    ],
    expect: &["gettimeofday"],
    open: native!(
        native_c,
        unix,
        "Unix",
        cs_c_gettimeofday,
        "gettimeofday()",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
