//! The time of the world.

use chronoscope::Wall;

use crate::border::{guarded, put};
use crate::status::chronoscope_status;

/// An interval in which the time is, in nanoseconds since 1970-01-01 00:00 UTC.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_wall_interval {
    /// It is not earlier than this.
    pub earliest: u64,
    /// The best guess.
    pub now: u64,
    /// It is not later than this.
    pub latest: u64,
    /// The part of the error that is this library's: how far `now` can be from the system's clock.
    pub tracking_ns: u64,
    /// The part that the kernel states for its own clock, if `kernel_known`.
    pub kernel_ns: u64,
    /// Whether the kernel states an error; if not, the interval is one around the system's clock.
    pub kernel_known: bool,
}

/// Nanoseconds since 1970-01-01 00:00 UTC, by the system's clock, at the cost of the counter.
///
/// It steps when the system's clock steps: for durations, take moments.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_wall_ns() -> u64 {
    Wall::now()
}

/// The interval in which the time is.
///
/// # Safety
/// `interval` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_wall_bounded(
    interval: *mut chronoscope_wall_interval,
) -> chronoscope_status {
    guarded(|| {
        let found = Wall::now_bounded();
        let answer = chronoscope_wall_interval {
            earliest: found.earliest,
            now: found.now,
            latest: found.latest,
            tracking_ns: found.tracking,
            kernel_ns: found.kernel.unwrap_or(0),
            kernel_known: found.kernel.is_some(),
        };
        // SAFETY: the caller's promise.
        unsafe { put(interval, answer) }
    })
}

/// Looks at the system's clock now, and not only when the last look is 100 ms old.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_wall_sync() -> chronoscope_status {
    guarded(|| {
        Wall::sync();
        Ok(())
    })
}
