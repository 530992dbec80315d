use crate::clocks::entry::{MONOTONIC, VDSO};
use crate::clocks::{Entry, Kind, Range};

/// The monotonic clock, cast to milliseconds.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: cxx / "steady_clock",
    call: "duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()",
    language: Language::Cxx,
    kind: Kind::Monotonic,
    facts: VDSO,
    alternative_to: MONOTONIC,
    home: "every system",
    about: "The C++ library's monotonic clock, cast to milliseconds. The cast is a division by a \
            constant: it costs resolution rather than time. libstdc++ calls \
            clock_gettime(CLOCK_MONOTONIC), or QueryPerformanceCounter on Windows.",
    references: &["ISO C++17 [time.clock.steady]", "libstdc++ src/c++11/chrono.cc",],
    expect: &["steady_clock::now()"],
    open: here(all(), Range::bits(63), crate::clocks::permission::vdso()),
});
