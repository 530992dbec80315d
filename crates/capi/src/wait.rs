//! Waits: never early, seldom late, for little CPU time.

use std::time::Duration;

use chronoscope::Instant;
use chronoscope::wait::{self, Effort, Waited, Waiter};

use crate::border::{guarded, hand_out, offer, own, take_back};
use crate::instant::chronoscope_instant;
use crate::status::{CHRONOSCOPE_INVALID, chronoscope_status};

/// As little CPU time as possible: half of the waits are on time, and the others are as late as the
/// system wakes them.
pub const CHRONOSCOPE_ECONOMY: u32 = 0;
/// Nearly all waits are on time, with up to 14 us of spinning on average
/// (Linux; 46 us on macOS, 112 us on Windows).
pub const CHRONOSCOPE_BALANCED: u32 = 1;
/// All but one wait in a thousand are on time, with up to 150 us of spinning per wait (Linux).
pub const CHRONOSCOPE_PRECISE: u32 = 2;

/// What happened during a wait. Times are in nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_waited {
    /// How long after the deadline it returned, by its clock. A wait for a duration lasts until
    /// that has also passed by the system's monotonic clock; if that clock is slewed, lateness
    /// counts from then.
    pub late_ns: u64,
    /// For how long it slept.
    pub slept_ns: u64,
    /// For how long it spun.
    pub spun_ns: u64,
    /// How often it woke.
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

/// Waits, and learns from its waits how early to wake. One thread at a time may use it.
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

/// Waits for at least this many nanoseconds, with balanced effort.
///
/// # Safety
/// `waited` is null if the result is not wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_sleep_ns(
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        let found = wait::sleep(Duration::from_nanos(ns));
        // SAFETY: guaranteed by the caller.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Waits until a moment, with balanced effort; returns at once if it has passed.
///
/// # Safety
/// `waited` is null if the result is not wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_sleep_until(
    deadline: chronoscope_instant,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        let found = wait::sleep_until(Instant::from_ticks(deadline));
        // SAFETY: guaranteed by the caller.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Makes a waiter of the given effort, one of `CHRONOSCOPE_ECONOMY`, `CHRONOSCOPE_BALANCED`,
/// `CHRONOSCOPE_PRECISE` (`CHRONOSCOPE_INVALID` for any other). Free it with
/// `chronoscope_waiter_free`.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_new(
    effort: u32,
    waiter: *mut *mut chronoscope_waiter,
) -> chronoscope_status {
    guarded(|| {
        let make = || Ok(chronoscope_waiter(Waiter::new(self::effort(effort)?)));
        // SAFETY: guaranteed by the caller.
        unsafe { hand_out(waiter, make) }
    })
}

/// As `chronoscope_sleep_ns`, with this waiter.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used only by
/// this thread; `waited` is null or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_sleep_ns(
    waiter: *mut chronoscope_waiter,
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        let found = unsafe { own(waiter) }?.0.sleep(Duration::from_nanos(ns));
        // SAFETY: guaranteed by the caller.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// As `chronoscope_sleep_until`, with this waiter.
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
        // SAFETY: guaranteed by the caller.
        let waiter = unsafe { own(waiter) }?;
        let found = waiter.0.sleep_until(Instant::from_ticks(deadline));
        // SAFETY: guaranteed by the caller.
        unsafe { offer(waited, found.into()) };
        Ok(())
    })
}

/// Frees a waiter; does nothing for null.
///
/// # Safety
/// `waiter` is null, or came from `chronoscope_waiter_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_waiter_free(waiter: *mut chronoscope_waiter) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(waiter) };
}
