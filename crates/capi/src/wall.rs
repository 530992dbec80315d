//! Wall time.

use chronoscope::{Wall, WallInterval, WallState};

use crate::border::{at_once_or, guarded, put};
use crate::status::chronoscope_status;

/// Nothing states a bound, so the interval contains the time of the system's clock only.
pub const CHRONOSCOPE_WALL_UNKNOWN: u32 = 0;
/// Something keeps the clock and states a bound, so the interval contains UTC.
pub const CHRONOSCOPE_WALL_SYNCHRONISED: u32 = 1;
/// As above, but nothing has renewed the bound for half an hour, so it grows.
pub const CHRONOSCOPE_WALL_FREE_RUNNING: u32 = 2;
/// A pause, a restored snapshot, a step or a changed rate was noticed since the bound was stated:
/// the interval contains every time until another one is stated.
pub const CHRONOSCOPE_WALL_DISRUPTED: u32 = 3;

/// An interval that contains the time, in nanoseconds since 1970-01-01 00:00 UTC, unless the
/// system's clock was stepped within the last `age_ns`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_wall_interval {
    /// The time is not earlier than this.
    pub earliest: u64,
    /// The best guess.
    pub now: u64,
    /// The time is not later than this.
    pub latest: u64,
    /// The part of the error that is due to this library: how far `now` can be from the system's
    /// clock.
    pub tracking_ns: u64,
    /// The part that the kernel states for its own clock, if `kernel_known`.
    pub kernel_ns: u64,
    /// Whether the kernel states an error; if not, the interval contains the time of the system's
    /// clock.
    pub kernel_known: bool,
    /// How long ago the system's clock was looked at: at most 100 ms.
    pub age_ns: u64,
    /// Whether the interval contains UTC: `CHRONOSCOPE_WALL_…`.
    pub state: u32,
}

impl From<WallInterval> for chronoscope_wall_interval {
    fn from(found: WallInterval) -> Self {
        Self {
            earliest: found.earliest,
            now: found.now,
            latest: found.latest,
            tracking_ns: found.tracking,
            kernel_ns: found.kernel.unwrap_or(0),
            kernel_known: found.kernel.is_some(),
            age_ns: found.age,
            state: match found.state {
                WallState::Synchronised => CHRONOSCOPE_WALL_SYNCHRONISED,
                WallState::FreeRunning => CHRONOSCOPE_WALL_FREE_RUNNING,
                WallState::Disrupted => CHRONOSCOPE_WALL_DISRUPTED,
                _ => CHRONOSCOPE_WALL_UNKNOWN,
            },
        }
    }
}

/// Returns nanoseconds since 1970-01-01 00:00 UTC, by the system's clock, at the cost of the
/// counter.
///
/// It steps when the system's clock steps. For durations, use moments.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_wall_ns() -> u64 {
    at_once_or(Wall::now_at_once(), Wall::now)
}

/// Returns the interval that contains the time, unless the system's clock was stepped since the
/// last check of it, at most 100 ms ago; `chronoscope_wall_checked` covers steps.
///
/// # Safety
/// `interval` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_wall_bounded(
    interval: *mut chronoscope_wall_interval,
) -> chronoscope_status {
    guarded(|| {
        let found = Wall::now_bounded();
        // SAFETY: guaranteed by the caller.
        unsafe { put(interval, found.into()) }
    })
}

/// Returns the interval that contains the time, after a look at the system's clock, which takes
/// two reads of that clock.
///
/// # Safety
/// `interval` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_wall_checked(
    interval: *mut chronoscope_wall_interval,
) -> chronoscope_status {
    guarded(|| {
        let found = Wall::now_checked();
        // SAFETY: guaranteed by the caller.
        unsafe { put(interval, found.into()) }
    })
}

/// Checks the system's clock now, even if the last check is less than 100 ms old.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_wall_sync() -> chronoscope_status {
    guarded(|| {
        Wall::sync();
        Ok(())
    })
}
