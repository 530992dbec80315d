//! The standard library's clock, for systems on which reading it cannot be forbidden.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the first call.
pub fn monotonic_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
