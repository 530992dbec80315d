//! The atomics of the sequence lock, named here so that its test can put loom's in their place.

pub use core::sync::atomic::{AtomicU64, Ordering, fence};

/// What a reader does between two tries.
#[inline(always)]
pub fn pause() {
    core::hint::spin_loop();
}
