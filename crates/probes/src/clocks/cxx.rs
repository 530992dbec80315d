//! The clocks of the C++ library.

use super::entry::{Entry, Kind, Language, MONOTONIC, PLAIN, Period, Range, VDSO, WALL};

const CHRONO: Entry = Entry {
    language: Language::Cxx,
    facts: VDSO,
    home: "every system",
    range: Range::bits(63),
    ..PLAIN
};

/// The period of a clock, by its place in the table of `native/chrono.cpp`, which takes it from the
/// library's header.
fn period<const CLOCK: usize>() -> Option<Period> {
    #[cfg(native_cxx)]
    {
        // SAFETY: the table has this type, and is never written to.
        unsafe extern "C" {
            safe static cs_cxx_periods: [[i64; 2]; 3];
        }
        let [num, den] = cs_cxx_periods[CLOCK].map(i64::unsigned_abs);
        Some(Period { num, den })
    }
    #[cfg(not(native_cxx))]
    None
}

const STEADY: Option<fn() -> Option<Period>> = Some(period::<0>);
const SYSTEM: Option<fn() -> Option<Period>> = Some(period::<1>);
const HIGH_RESOLUTION: Option<fn() -> Option<Period>> = Some(period::<2>);

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
        period: STEADY,
    }
    "steady_clock-nocast" after super::permission::vdso() => {
        call: "steady_clock::now().time_since_epoch().count()",
        kind: Kind::Monotonic,
        alternative_to: MONOTONIC,
        common: true,
        about: "The C++ library's monotonic clock in its own unit, nanoseconds in libstdc++, \
                libc++ and MSVC's library: the right clock for intervals in C++. The standard \
                leaves the period to the library, so code that takes the count for nanoseconds is \
                right by luck; a cast to the unit that it wants is right everywhere. It costs one \
                call and one multiplication more than clock_gettime.",
        references: &["ISO C++17 [time.clock.steady]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["steady_clock::now()"],
        period: STEADY,
    }
    "system_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        about: "The C++ library's wall clock, cast to milliseconds since 1970. It may be stepped, \
                so use it for dates and not for intervals.",
        references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["system_clock::now()"],
        period: SYSTEM,
    }
    "system_clock-nocast" after super::permission::vdso() => {
        call: "system_clock::now().time_since_epoch().count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        common: true,
        about: "The C++ library's wall clock in its own unit, the period, which the standard \
                leaves to the library: 1 ns in libstdc++, 1 us in libc++, 100 ns in MSVC's \
                library. Code that takes the count for nanoseconds is right with one library and \
                wrong with the next. It may be stepped.",
        references: &["ISO C++17 [time.clock.system]", "libstdc++ src/c++11/chrono.cc"],
        expect: &["system_clock::now()"],
        period: SYSTEM,
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
        period: HIGH_RESOLUTION,
    }
}
