//! Moments, as ticks of the global clock.

use std::time::Duration;

use chronoscope::{Clock, Instant, Steady};

use crate::border::{guarded, put};
use crate::status::{CHRONOSCOPE_OUT_OF_RANGE, chronoscope_status};

/// A moment, in ticks of the global clock since no particular time. Moments of one process compare
/// by `<`; what lies between two is a matter of `chronoscope_ns_between`.
pub type chronoscope_instant = u64;

/// A time in nanoseconds and how far it can be off.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_bounded {
    /// The time.
    pub ns: u64,
    /// The error is at most so much, held against the system's clock.
    pub bound_ns: u64,
}

/// The byte by which the inline reads below decide. Valid for ever; to be read with acquire order.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_mode() -> *const u8 {
    Clock::global().mode_byte().as_ptr()
}

/// The present moment, unordered with the instructions around it: the cheapest read there is.
///
/// The first read of a process chooses the source, in under a millisecond.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_now() -> chronoscope_instant {
    Instant::now().ticks()
}

/// The present moment, after all earlier instructions of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_now_ordered() -> chronoscope_instant {
    Instant::now_ordered().ticks()
}

/// The start of a timed region, of which nothing begins before.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_start() -> chronoscope_instant {
    Instant::start().ticks()
}

/// The end of a timed region, all of which is done before.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_stop() -> chronoscope_instant {
    Instant::stop().ticks()
}

/// Nanoseconds from one moment to a later one; zero if it is not later.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_ns_between(
    earlier: chronoscope_instant,
    later: chronoscope_instant,
) -> u64 {
    Instant::from_ticks(later).ns_since(Instant::from_ticks(earlier))
}

/// Nanoseconds since a moment; zero if it is yet to come.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_elapsed_ns(since: chronoscope_instant) -> u64 {
    Instant::from_ticks(since).elapsed_ns()
}

/// Nanoseconds since a moment, with a bound of the error.
///
/// # Safety
/// `elapsed` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_elapsed_bounded(
    since: chronoscope_instant,
    elapsed: *mut chronoscope_bounded,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(since).elapsed_bounded();
        let answer = chronoscope_bounded {
            ns: found.ns,
            bound_ns: found.bound_ns,
        };
        // SAFETY: the caller's promise.
        unsafe { put(elapsed, answer) }
    })
}

/// The moment so many nanoseconds after another, rounded up to a tick, so that it never is before
/// the time has passed; `CHRONOSCOPE_OUT_OF_RANGE` beyond what can be counted.
///
/// # Safety
/// `later` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_after(
    moment: chronoscope_instant,
    ns: u64,
    later: *mut chronoscope_instant,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(moment).checked_add(Duration::from_nanos(ns));
        // SAFETY: the caller's promise.
        unsafe { put(later, found.ok_or(CHRONOSCOPE_OUT_OF_RANGE)?.ticks()) }
    })
}

/// The moment so many nanoseconds before another; `CHRONOSCOPE_OUT_OF_RANGE` before the first tick.
///
/// # Safety
/// `earlier` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_before(
    moment: chronoscope_instant,
    ns: u64,
    earlier: *mut chronoscope_instant,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(moment).checked_sub(Duration::from_nanos(ns));
        // SAFETY: the caller's promise.
        unsafe { put(earlier, found.ok_or(CHRONOSCOPE_OUT_OF_RANGE)?.ticks()) }
    })
}

/// Nanoseconds since the system's monotonic clock began to count, which never go back: a better
/// rate bends the line they are on, and does not move it. What `std::chrono` takes for a clock.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_steady_ns() -> u64 {
    Steady::now()
}
