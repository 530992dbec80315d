//! The waits of C++'s standard library, compiled as C++ in `native/waits.cpp`.

waits! {
    sleep_for,
    sleep_until,
}

use crate::waits::Facts;

/// The facts of a sleep of the C++ library. MinGW's is built on its own nanosleep, which cuts a
/// duration to whole milliseconds.
const fn sleeps(facts: Facts) -> Facts {
    Facts { early_by_design_ns: if cfg!(windows) { 1_000_000 } else { 0 }, ..facts }
}
