//! The atomics of the sequence lock, named here so that its test can replace them with loom's.

pub use core::sync::atomic::{AtomicU64, Ordering, fence};

/// What a reader does between two tries.
#[inline(always)]
pub fn pause() {
    core::hint::spin_loop();
}
