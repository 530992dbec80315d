//! The system's clock, in nanoseconds, for systems without a counter that user code may read.

use crate::sys::plain;

pub const fn name() -> &'static str {
    plain::NAME
}

pub const fn is_hardware() -> bool {
    false
}

pub fn now() -> u64 {
    plain::monotonic()
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
pub fn step() -> u64 {
    plain::step()
}

pub const fn has_stop() -> bool {
    true
}
