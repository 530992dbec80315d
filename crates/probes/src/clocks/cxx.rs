//! The clocks of the C++ library.

use super::entry::{Entry, Kind, Language, MONOTONIC, PLAIN, Range, VDSO, WALL};

const CHRONO: Entry = Entry {
    language: Language::Cxx,
    facts: VDSO,
    home: "every system",
    range: Range::bits(63),
    ..PLAIN
};

clocks! {
    CLOCKS: cxx in native_cxx if all(), like CHRONO;

    "steady_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()",
        kind: Kind::Monotonic,
        alternative_to: MONOTONIC,
        about: "The C++ library's monotonic clock, cast to milliseconds. The cast is a division by \
                a constant: it costs resolution rather than time. libstdc++ calls \
                clock_gettime(CLOCK_MONOTONIC), or QueryPerformanceCounter on Windows.",
        references: &["ISO C++17 [time.clock.steady]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["steady_clock::now()"],
    }
    "steady_clock-nocast" after super::permission::vdso() => {
        call: "steady_clock::now().time_since_epoch().count()",
        kind: Kind::Monotonic,
        alternative_to: MONOTONIC,
        about: "The C++ library's monotonic clock in its own unit, nanoseconds in libstdc++ and \
                libc++ and with Microsoft's library, but no standard says so: the number means \
                something only together with steady_clock::period. It costs one call and one \
                multiplication more than clock_gettime.",
        references: &["ISO C++17 [time.clock.steady]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["steady_clock::now()"],
    }
    "system_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        about: "The C++ library's wall clock, cast to milliseconds since 1970. It may be stepped, \
                so use it for dates and not for intervals.",
        references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["system_clock::now()"],
    }
    "system_clock-nocast" after super::permission::vdso() => {
        call: "system_clock::now().time_since_epoch().count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        about: "The C++ library's wall clock in its own unit: nanoseconds in libstdc++, \
                microseconds in libc++, 100 ns on Windows. Code that takes the count for \
                nanoseconds is right with one library and wrong with the next. It may be stepped.",
        references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["system_clock::now()"],
    }
    "high_resolution_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(high_resolution_clock::now().time_since_epoch())\
               .count()",
        kind: if cfg!(target_vendor = "apple") { Kind::Monotonic } else { Kind::Wall },
        alternative_to: if cfg!(target_vendor = "apple") { MONOTONIC } else { WALL },
        about: "Another name for one of the two other clocks: system_clock in libstdc++, which may \
                be stepped, and steady_clock in libc++. The name promises what the standard does \
                not. Use steady_clock for intervals.",
        references: &["ISO C++17 [time.clock.hires]", "libstdc++ include/bits/chrono.h"],
        expect: &["system_clock::now()|steady_clock::now()"],
    }
}
