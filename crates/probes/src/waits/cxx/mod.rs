//! The waits of C++'s standard library, compiled as C++ in `native/waits.cpp`.

pub(crate) mod sleep_for;
pub(crate) mod sleep_until;
