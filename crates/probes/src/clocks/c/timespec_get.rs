use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `timespec_get`
pub(crate) const ENTRY: Entry = Entry {
    id: "c/timespec_get",
    call: "timespec_get(&t, TIME_UTC)",
    language: Language::C,
    kind: Kind::Wall,
    home: "every system",
    about: "The wall clock by the C standard since C11, and so the portable way to a date with nanoseconds. \
            glibc passes it on to clock_gettime(CLOCK_REALTIME). NTP and the administrator may step it: not for \
            intervals.",
    references: &[
        "ISO C11 7.27.2.5",
        "timespec_get(3)",
        "glibc time/timespec_get.c",
    ],
    expect: &["timespec_get"],
    open: native!(
        native_c,
        all(),
        "every system",
        cs_c_timespec_get,
        "timespec_get()",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
