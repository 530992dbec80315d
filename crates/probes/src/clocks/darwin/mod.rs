//! The clocks that Darwin adds to POSIX: `clock_gettime_nsec_np`.

pub(crate) mod monotonic;
pub(crate) mod monotonic_raw;
pub(crate) mod monotonic_raw_approx;
pub(crate) mod process_cputime;
pub(crate) mod realtime;
pub(crate) mod thread_cputime;
pub(crate) mod uptime_raw;
pub(crate) mod uptime_raw_approx;
