//! The atomics of [`crate::publish`], named here so that its test can replace them with loom's, and
//! so that processors without 64-bit atomics can use those of `portable-atomic`.

#[cfg(target_has_atomic = "64")]
pub use core::sync::atomic::AtomicU64;
#[cfg(all(not(target_has_atomic = "64"), feature = "portable-atomic"))]
pub use portable_atomic::AtomicU64;

pub use core::sync::atomic::{AtomicU8, Ordering, fence};

#[cfg(not(any(target_has_atomic = "64", feature = "portable-atomic")))]
compile_error!(
    "this processor has no 64-bit atomics: enable chronoscope's feature `portable-atomic`, or \
     disable its default features"
);
