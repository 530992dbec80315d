use crate::clocks::{Entry, Kind, Language, Range};

/// The monotonic clock, cast to milliseconds.
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/steady_clock",
    call: "duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()",
    language: Language::Cxx,
    kind: Kind::Monotonic,
    home: "every system",
    about: "The C++ library's monotonic clock, cast to milliseconds: the cast is a division by a constant, and \
            costs resolution rather than time. libstdc++ calls clock_gettime(CLOCK_MONOTONIC), or \
            QueryPerformanceCounter on Windows.",
    references: &[
        "ISO C++17 [time.clock.steady]",
        "libstdc++ src/c++11/chrono.cc",
    ],
    expect: &["steady_clock"],
    open: native!(
        native_cxx,
        all(),
        "every system",
        cs_cxx_steady_clock,
        "steady_clock::now()",
        Range::bits(63),
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
