use crate::clocks::entry::{VDSO};
use crate::clocks::native::TIME_T;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: posix / "monotonic",
    call: "clock_gettime(CLOCK_MONOTONIC, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: None,
    home: "Unix and MinGW",
    about: "Time since some start (boot, on Linux), slewed by NTP and never stepped; it does not count suspend \
            on Linux. Read through the vDSO without a system call where the kernel's clock source allows.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux lib/vdso/gettimeofday.c",
    ],
    expect: &["clock_gettime"],
    open: here(any(unix, windows), TIME_T, crate::clocks::permission::vdso()),
});
