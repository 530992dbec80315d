//! The clocks of `clock_gettime` that POSIX names.

pub(crate) mod monotonic;
