//! Waiting: never early, seldom late, for little CPU time.

use std::time::Duration;

use chronoscope::Instant;
use chronoscope::wait::{self, Effort, Waited, Waiter};

use crate::border::{guarded, hand_out, offer, own, take_back};
use crate::instant::chronoscope_instant;
use crate::status::{CHRONOSCOPE_INVALID, chronoscope_status};

/// As little CPU time as possible: half of the waits are on time, the others as late as the system
/// wakes them.
pub const CHRONOSCOPE_ECONOMY: u32 = 0;
/// Nearly all waits are on time, for up to 14 us of spinning on average
/// (Linux; 46 us on macOS, 112 us on Windows).
pub const CHRONOSCOPE_BALANCED: u32 = 1;
/// All but one in a thousand are on time, for up to 150 us of spinning a wait (Linux).
pub const CHRONOSCOPE_PRECISE: u32 = 2;

/// What a wait was like. Times are in nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_waited {
    /// How long after the deadline it returned, by its clock. A wait for a time lasts until that has
    /// passed by the system's monotonic clock, too: where that is slewed, it is late from then on.
    pub late_ns: u64,
    /// How long it was asleep.
    pub slept_ns: u64,
    /// How long it spun.
    pub spun_ns: u64,
    /// How often it was woken.
    pub wakes: u32,
    /// How often something else ran instead.
    pub preempted: u32,
}

impl From<Waited> for chronoscope_waited {
    fn from(waited: Waited) -> Self {
        Self {
            late_ns: waited.late_ns,
            slept_ns: waited.slept_ns,
            spun_ns: waited.spun_ns,
            wakes: waited.wakes,
            preempted: waited.preempted,
        }
    }
}

/// Waits, and learns from it how early to wake. One thread at a time may use it.
pub struct chronoscope_waiter(Waiter<'static>);

/// One of `CHRONOSCOPE_ECONOMY`, `_BALANCED`, `_PRECISE`.
pub(crate) fn effort(number: u32) -> Result<Effort, chronoscope_status> {
    match number {
        CHRONOSCOPE_ECONOMY => Ok(Effort::Economy),
        CHRONOSCOPE_BALANCED => Ok(Effort::Balanced),
        CHRONOSCOPE_PRECISE => Ok(Effort::Precise),
        _ => Err(CHRONOSCOPE_INVALID),
    }
}

/// Waits for at least so many nanoseconds, balanced.
///
/// # Safety
/// `waited` is null, where what it was like is not wanted, or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_sleep_ns(
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        let found = wait::sleep(Duration::from_nanos(ns));
        // SAFETY: the caller's promise.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Waits until a moment, balanced; returns at once if it has passed.
///
/// # Safety
/// `waited` is null, where what it was like is not wanted, or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_sleep_until(
    deadline: chronoscope_instant,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        let found = wait::sleep_until(Instant::from_ticks(deadline));
        // SAFETY: the caller's promise.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Makes a waiter of that effort, one of `CHRONOSCOPE_ECONOMY`, `CHRONOSCOPE_BALANCED`,
/// `CHRONOSCOPE_PRECISE` (`CHRONOSCOPE_INVALID` for any other); to be ended by
/// `chronoscope_waiter_free`.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_new(
    effort: u32,
    waiter: *mut *mut chronoscope_waiter,
) -> chronoscope_status {
    guarded(|| {
        let make = || Ok(chronoscope_waiter(Waiter::new(self::effort(effort)?)));
        // SAFETY: the caller's promise.
        unsafe { hand_out(waiter, make) }
    })
}

/// As `chronoscope_sleep_ns`, by that waiter.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used by this
/// thread alone; `waited` is null or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_sleep_ns(
    waiter: *mut chronoscope_waiter,
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let found = unsafe { own(waiter) }?.0.sleep(Duration::from_nanos(ns));
        // SAFETY: the caller's promise.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// As `chronoscope_sleep_until`, by that waiter.
///
/// # Safety
/// As for `chronoscope_waiter_sleep_ns`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_sleep_until(
    waiter: *mut chronoscope_waiter,
    deadline: chronoscope_instant,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let waiter = unsafe { own(waiter) }?;
        let found = waiter.0.sleep_until(Instant::from_ticks(deadline));
        // SAFETY: the caller's promise.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Ends a waiter; nothing for null.
///
/// # Safety
/// `waiter` is null, or came from `chronoscope_waiter_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_free(waiter: *mut chronoscope_waiter) {
    // SAFETY: the caller's promise.
    unsafe { take_back(waiter) };
}
