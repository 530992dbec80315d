//! The clocks of `clock_gettime` that POSIX names.

pub(crate) mod monotonic;
pub(crate) mod process_cputime;
pub(crate) mod realtime;
pub(crate) mod thread_cputime;
