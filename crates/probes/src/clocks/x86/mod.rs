//! The time-stamp counter of x86, unordered and ordered.

pub(crate) mod rdtsc_intrinsic;
