use crate::clocks::entry::VDSO;
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: posix / "realtime",
    call: "clock_gettime(CLOCK_REALTIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: None,
    home: "Unix and MinGW",
    about: "Universal time since 1970: the clock for dates. NTP slews it, and NTP, leap seconds \
            and the administrator step it, so intervals taken from it can be wrong or negative. If \
            the kernel's clock source allows it, the vDSO reads it without a system call.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux lib/vdso/gettimeofday.c",
    ],
    expect: &["clock_gettime()"],
    open: here(any(unix, windows), TIME_T, crate::clocks::permission::vdso()),
});
