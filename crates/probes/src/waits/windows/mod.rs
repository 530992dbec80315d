//! The wait calls of Windows.

pub(crate) mod ntdelayexecution;
#[cfg(windows)]
pub(crate) mod qpc;
pub(crate) mod sleep;
#[cfg(windows)]
pub(crate) mod timer;
pub(crate) mod waitable_timer;
pub(crate) mod waitable_timer_high_resolution;
