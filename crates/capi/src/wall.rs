//! Wall time.

use std::ffi::{CStr, c_char};
use std::io::ErrorKind;
use std::path::Path;

use chronoscope::wall::BoundBy;
use chronoscope::{Wall, WallInterval, WallState};

use crate::border::{at_once_or, guarded, put};
use crate::status::{
    CHRONOSCOPE_ALREADY_CHOSEN, CHRONOSCOPE_INVALID, CHRONOSCOPE_NULL, CHRONOSCOPE_UNSUPPORTED,
    chronoscope_status,
};

/// Nothing states a bound, so the interval contains the time of the system's clock only.
pub const CHRONOSCOPE_WALL_UNKNOWN: u32 = 0;
/// Something keeps the clock and states a bound, so the interval contains UTC.
pub const CHRONOSCOPE_WALL_SYNCHRONISED: u32 = 1;
/// As above, but nothing has renewed the bound for half an hour, or ClockBound's for a minute, so
/// it grows.
pub const CHRONOSCOPE_WALL_FREE_RUNNING: u32 = 2;
/// A pause, a restored snapshot, a step or a changed rate was noticed since the bound was stated:
/// the interval contains every time until another one is stated.
pub const CHRONOSCOPE_WALL_DISRUPTED: u32 = 3;

/// The daemon of ClockBound 3, by its shared segment, usually `/var/run/clockbound/shm1`.
pub const CHRONOSCOPE_BOUND_BY_CLOCKBOUND: u32 = 1;
/// The hypervisor, by its page, usually `/dev/vmclock0` (Linux 6.13).
pub const CHRONOSCOPE_BOUND_BY_VMCLOCK: u32 = 2;

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
    /// The part that the kernel states for its own clock, or whoever is asked in its place, if
    /// `kernel_known`.
    pub kernel_ns: u64,
    /// Whether an error is stated; if not, the interval contains the time of the system's clock.
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

/// Lets `chronoscope_wall_bounded` and `chronoscope_wall_checked` return what another than the
/// kernel states from now on: one of `CHRONOSCOPE_BOUND_BY_…`, by the page at this path, which is
/// read each time. If its counter cannot be read here, the state is unknown. Opens a file, so it
/// may not be called in a signal handler. Returns `CHRONOSCOPE_INVALID` for any other number,
/// `CHRONOSCOPE_ALREADY_CHOSEN` if one was asked for before, and `CHRONOSCOPE_UNSUPPORTED` if there
/// is no such page or a filter of system calls is active.
///
/// # Safety
/// `path` is null (`CHRONOSCOPE_NULL`) or points to a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_wall_bound_by(
    by: u32,
    path: *const c_char,
) -> chronoscope_status {
    guarded(|| {
        if path.is_null() {
            return Err(CHRONOSCOPE_NULL);
        }
        // SAFETY: not null, and so a string by the contract of this function.
        let path = unsafe { CStr::from_ptr(path) }.to_str();
        let path = Path::new(path.or(Err(CHRONOSCOPE_INVALID))?);
        let by = match by {
            CHRONOSCOPE_BOUND_BY_CLOCKBOUND => BoundBy::ClockBound(path),
            CHRONOSCOPE_BOUND_BY_VMCLOCK => BoundBy::VmClock(path),
            _ => return Err(CHRONOSCOPE_INVALID),
        };
        Wall::bound_by(by).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => CHRONOSCOPE_ALREADY_CHOSEN,
            _ => CHRONOSCOPE_UNSUPPORTED,
        })
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
