use crate::clocks::entry::VDSO;
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
    about: "Time since some starting point (boot, on Linux), slewed by NTP and never stepped. On \
            Linux it does not count the time that the machine is suspended. If the kernel's clock \
            source allows it, the vDSO reads it without a system call.",
    references: &[
        "POSIX.1-2017 clock_gettime()",
        "clock_gettime(2)",
        "Linux lib/vdso/gettimeofday.c",
    ],
    expect: &["clock_gettime()"],
    open: here(any(unix, windows), TIME_T, crate::clocks::permission::vdso()),
});
