//! The standard library's clock, in nanoseconds since the first read in this process, for systems
//! without a counter that user code may read.

use std::sync::OnceLock;
use std::time::Instant;

pub const fn name() -> &'static str {
    "std::time::Instant"
}

pub const fn is_hardware() -> bool {
    false
}

pub fn now() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

pub fn now_ordered() -> u64 {
    now()
}

pub fn start() -> u64 {
    now()
}

pub fn stop() -> u64 {
    now()
}

/// The step in which it advances, in ticks.
#[cfg(feature = "std")]
pub const fn step() -> u64 {
    1
}

pub const fn has_stop() -> bool {
    true
}
