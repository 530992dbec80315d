use crate::clocks::{Entry, Kind, Language, Range};

/// The monotonic clock in its own unit.
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/steady_clock-nocast",
    call: "steady_clock::now().time_since_epoch().count()",
    language: Language::Cxx,
    kind: Kind::Monotonic,
    home: "every system",
    about: "The C++ library's monotonic clock in the unit it has itself, nanoseconds in libstdc++ and libc++: \
            the right clock for intervals in C++. Beyond clock_gettime it costs one call and a multiplication.",
    references: &[
        "ISO C++17 [time.clock.steady]",
        "libstdc++ src/c++11/chrono.cc",
    ],
    expect: &["steady_clock"],
    open: native!(
        native_cxx,
        all(),
        "every system",
        cs_cxx_steady_clock_nocast,
        "steady_clock::now()",
        Range::bits(63),
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
