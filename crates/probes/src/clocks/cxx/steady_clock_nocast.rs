use crate::clocks::entry::{MONOTONIC, VDSO};
use crate::clocks::{Entry, Kind, Range};

/// The monotonic clock in its own unit.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: cxx / "steady_clock-nocast",
    call: "steady_clock::now().time_since_epoch().count()",
    language: Language::Cxx,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: MONOTONIC,
    home: "every system",
    about: "The C++ library's monotonic clock in its own unit, nanoseconds in libstdc++ and \
            libc++: the right clock for intervals in C++. It costs one call and one multiplication \
            more than clock_gettime.",
    references: &["ISO C++17 [time.clock.steady]", "libstdc++ src/c++11/chrono.cc",],
    expect: &["steady_clock::now()"],
    open: here(all(), Range::bits(63), crate::clocks::permission::vdso()),
});
