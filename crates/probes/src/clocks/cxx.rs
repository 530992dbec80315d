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
        expect: &["steady_clock::now()"],
        period: STEADY,
    }
    "steady_clock-nocast" after super::permission::vdso() => {
        call: "steady_clock::now().time_since_epoch().count()",
        kind: Kind::Monotonic,
        alternative_to: MONOTONIC,
        common: true,
        expect: &["steady_clock::now()"],
        period: STEADY,
    }
    "system_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        expect: &["system_clock::now()"],
        period: SYSTEM,
    }
    "system_clock-nocast" after super::permission::vdso() => {
        call: "system_clock::now().time_since_epoch().count()",
        kind: Kind::Wall,
        alternative_to: WALL,
        common: true,
        expect: &["system_clock::now()"],
        period: SYSTEM,
    }
    "high_resolution_clock" after super::permission::vdso() => {
        call: "duration_cast<milliseconds>(high_resolution_clock::now().time_since_epoch())\
               .count()",
        kind: if cfg!(target_vendor = "apple") { Kind::Monotonic } else { Kind::Wall },
        alternative_to: if cfg!(target_vendor = "apple") { MONOTONIC } else { WALL },
        expect: &["system_clock::now()|steady_clock::now()"],
        period: HIGH_RESOLUTION,
    }
}
