use crate::clocks::{Entry, Kind, Language, Range};

/// The wall clock in its own unit.
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/system_clock-nocast",
    call: "system_clock::now().time_since_epoch().count()",
    language: Language::Cxx,
    kind: Kind::Wall,
    home: "every system",
    about: "The C++ library's wall clock in the unit it has itself: nanoseconds in libstdc++, microseconds in \
            libc++, 100 ns on Windows. Code that takes the count for nanoseconds is right with one library and \
            wrong with the next. It may be stepped.",
    references: &[
        "ISO C++17 [time.clock.system]",
        "libstdc++ src/c++11/chrono.cc",
    ],
    expect: &["system_clock"],
    open: native!(
        native_cxx,
        all(),
        "every system",
        cs_cxx_system_clock_nocast,
        "system_clock::now()",
        Range::bits(63),
        crate::clocks::x86::tsc::vdso_readable()
    ),
};
