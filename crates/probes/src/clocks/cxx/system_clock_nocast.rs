use crate::clocks::entry::{VDSO, WALL};
use crate::clocks::{Entry, Kind, Range};

/// The wall clock in its own unit.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: cxx / "system_clock-nocast",
    call: "system_clock::now().time_since_epoch().count()",
    language: Language::Cxx,
    kind: Kind::Wall,
    facts: VDSO,
    alternative_to: WALL,
    home: "every system",
    about: "The C++ library's wall clock in its own unit: nanoseconds in libstdc++, microseconds \
            in libc++, 100 ns on Windows. Code that takes the count for nanoseconds is right with \
            one library and wrong with the next. It may be stepped.",
    references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc",],
    expect: &["system_clock::now()"],
    open: here(all(), Range::bits(63), crate::clocks::permission::vdso()),
});
