use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind, Language};

/// `ftime`
pub(crate) const ENTRY: Entry = Entry {
    id: "c/ftime",
    call: "ftime(&t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Unix with a C library that still has it",
    about: "The wall clock in milliseconds, from the seventh edition of Unix. POSIX dropped it in 2008 and glibc \
            deprecates it; newer ports no longer have it. It tells nothing that clock_gettime does not tell \
            better.",
    references: &["POSIX.1-2001 ftime()", "ftime(3)", "glibc 2.31 NEWS"],
    expect: &["ftime"],
    open: native!(
        native_c,
        unix,
        "Unix with a C library that still has it",
        cs_c_ftime,
        "ftime()",
        TIME_T,
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
