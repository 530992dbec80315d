//! Waits: never early, mostly on time, for little CPU time.

use std::ffi::c_int;
use std::time::Duration;

use chronoscope::Instant;
use chronoscope::machine::{Machine, Native};
use chronoscope::wait::{self, Cause, Effort, NoSlice, Waited, Waiter};

use crate::border::{guarded, guarded_or, hand_out, offer, own, take_back};
use crate::cancel::{self, Paused};
use crate::instant::chronoscope_instant;
use crate::status::{
    CHRONOSCOPE_INTERRUPTED, CHRONOSCOPE_INVALID, CHRONOSCOPE_NULL, CHRONOSCOPE_SYSTEM,
    CHRONOSCOPE_UNSUPPORTED, chronoscope_status,
};

/// As little CPU time as possible: half of the waits end as late as the system wakes them.
pub const CHRONOSCOPE_ECONOMY: u32 = 0;
/// Wakes early enough for 99 % of the thread's own wakes, or later if spinning for that would take
/// more than 14 us on average (Linux; 46 us on macOS, 112 us on Windows).
pub const CHRONOSCOPE_BALANCED: u32 = 1;
/// Wakes early enough for 99.9 % of the thread's own wakes, at most 150 us early (Linux).
pub const CHRONOSCOPE_PRECISE: u32 = 2;

/// The wait was late by at most 100 us.
pub const CHRONOSCOPE_CAUSE_NONE: u32 = 0;
/// The moment had passed before the wait began.
pub const CHRONOSCOPE_CAUSE_PASSED: u32 = 1;
/// The thread was woken, but other threads had its CPU, or the CPU quota of its control group was
/// used up.
pub const CHRONOSCOPE_CAUSE_QUEUE: u32 = 2;
/// The thread was woken late, and no other thread was in its way: the timer, a CPU that slept
/// deeply, interrupts, the hypervisor, or a stop of the process.
pub const CHRONOSCOPE_CAUSE_WAKE: u32 = 3;
/// Other threads took its CPU while it spun for the end of the wait, or the CPU quota of its
/// control group was used up.
pub const CHRONOSCOPE_CAUSE_PREEMPTED: u32 = 4;
/// Its CPU did not run it while it spun, and no other thread was in its way: interrupts, a signal
/// handler, the hypervisor, firmware, or a stop of the process.
pub const CHRONOSCOPE_CAUSE_INTERRUPTED: u32 = 5;
/// The clock that it waited by stopped, was reset, or ran ahead of the system's clock.
pub const CHRONOSCOPE_CAUSE_CLOCK: u32 = 6;
/// This cannot be told apart here.
pub const CHRONOSCOPE_CAUSE_UNKNOWN: u32 = 7;

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
    /// Why it ended late, one of `CHRONOSCOPE_CAUSE_*`. Later versions may return more of them.
    pub cause: u32,
}

fn cause(cause: Option<Cause>) -> u32 {
    match cause {
        None => CHRONOSCOPE_CAUSE_NONE,
        Some(Cause::Passed) => CHRONOSCOPE_CAUSE_PASSED,
        Some(Cause::Queue) => CHRONOSCOPE_CAUSE_QUEUE,
        Some(Cause::Wake) => CHRONOSCOPE_CAUSE_WAKE,
        Some(Cause::Preempted) => CHRONOSCOPE_CAUSE_PREEMPTED,
        Some(Cause::Interrupted) => CHRONOSCOPE_CAUSE_INTERRUPTED,
        Some(Cause::Clock) => CHRONOSCOPE_CAUSE_CLOCK,
        Some(_) => CHRONOSCOPE_CAUSE_UNKNOWN,
    }
}

impl chronoscope_waited {
    /// What happened in a wait that began with a pause of this length.
    pub(crate) fn after_pause(paused_ns: u64, waited: Waited) -> Self {
        Self {
            late_ns: waited.late_ns,
            slept_ns: waited.slept_ns.saturating_add(paused_ns),
            spun_ns: waited.spun_ns,
            wakes: waited.wakes,
            preempted: waited.preempted,
            cause: cause(waited.cause),
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

/// The last part of a wait, in milliseconds, which is made without interruption: a pause is longer
/// than asked for by a millisecond and by whatever the system adds.
const LAST_MS: u64 = 5;

/// The longest pause, after which the clock is checked.
const PAUSE_MS: u64 = 60_000;

/// A wait that has begun. Nothing in it must be dropped, because the thread may be cancelled.
#[derive(Clone, Copy)]
struct Begun {
    start: Instant,
    total_ns: u64,
    /// When it began by the system's monotonic clock, if the time has to pass by both.
    by_system: Option<u64>,
}

/// The clock is read first: its first read determines how the system's may be read.
impl Begun {
    const NEVER: Self = Self { start: Instant::from_ticks(0), total_ns: 0, by_system: None };

    #[inline(always)]
    fn duration(ns: u64) -> Self {
        guarded_or(Self::NEVER, || {
            let start = Instant::now_ordered();
            Self { start, total_ns: ns, by_system: Some(Native.monotonic()) }
        })
    }

    #[inline(always)]
    fn moment(deadline: Instant) -> Self {
        guarded_or(Self::NEVER, || {
            let start = Instant::now_ordered();
            Self { start, total_ns: deadline.ns_since(start), by_system: None }
        })
    }

    /// The nanoseconds that are left.
    #[inline(always)]
    fn left(self) -> u64 {
        guarded_or(0, || {
            let left = self.total_ns.saturating_sub(self.start.elapsed_ns());
            let by_system = self.by_system.map_or(0, |start| {
                let passed = Native.monotonic().saturating_sub(start);
                self.total_ns.saturating_sub(passed)
            });
            left.max(by_system)
        })
    }

    /// Pauses for all but the end. Returns what is left if a signal ended it and may do so.
    fn pause(self, interruptible: bool) -> Result<u64, u64> {
        loop {
            let left = self.left();
            let pause = (left / 1_000_000).saturating_sub(LAST_MS).min(PAUSE_MS);
            if pause == 0 {
                return Ok(left);
            }
            let ended = cancel::pause(pause as c_int);
            if ended == Paused::Signal && interruptible {
                return Err(self.left());
            }
            // The system cannot pause, or has a clock of its own.
            if ended == Paused::Done && self.left() > left.saturating_sub(pause * 500_000) {
                return Ok(left);
            }
        }
    }
}

/// Waits for at least this many nanoseconds, with balanced effort. A signal does not end it.
///
/// The thread can be cancelled (`pthread_cancel`) during all but the last 5 ms.
///
/// # Safety
/// `waited` is null if the result is not wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_sleep_ns(
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    let rest = |left| Ok(wait::sleep(left));
    // SAFETY: guaranteed by the caller.
    unsafe { whole(Begun::duration(ns), waited, rest) }
}

/// Pauses for all but the end of a wait, and lets `rest` wait for what is left.
///
/// # Safety
/// As for [`chronoscope_sleep_ns`].
unsafe fn whole(
    begun: Begun,
    waited: *mut chronoscope_waited,
    rest: impl FnOnce(Duration) -> Result<Waited, chronoscope_status>,
) -> chronoscope_status {
    let (Ok(left) | Err(left)) = begun.pause(false);
    let status = guarded(|| {
        let paused = begun.total_ns.saturating_sub(left);
        let found = chronoscope_waited::after_pause(paused, rest(Duration::from_nanos(left))?);
        // SAFETY: guaranteed by the caller.
        unsafe { offer(waited, found) };
        Ok(())
    });
    cancel::cancel_if_asked();
    status
}

/// Waits as `chronoscope_sleep_ns` does, but returns `CHRONOSCOPE_INTERRUPTED` if a handler of a
/// signal has run, except during the last 5 ms. `left_ns` then receives the nanoseconds that are
/// left, and zero otherwise.
///
/// Interpreters run their own handlers between two calls, so this is the function to wait with
/// there, in a loop over what is left.
///
/// # Safety
/// `left_ns` and `waited` are each null if the result is not wanted, or point to memory for it;
/// `waited` is not written to if the wait was interrupted.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_sleep_interruptible_ns(
    ns: u64,
    left_ns: *mut u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    let begun = Begun::duration(ns).pause(true);
    let status = guarded(|| {
        let left = match begun {
            Ok(left) => left,
            Err(left) => {
                // SAFETY: guaranteed by the caller.
                unsafe { offer(left_ns, left) };
                return Err(CHRONOSCOPE_INTERRUPTED);
            }
        };
        let found = wait::sleep(Duration::from_nanos(left));
        let found = chronoscope_waited::after_pause(ns.saturating_sub(left), found);
        // SAFETY: guaranteed by the caller.
        unsafe {
            offer(left_ns, 0);
            offer(waited, found);
        }
        Ok(())
    });
    cancel::cancel_if_asked();
    status
}

/// Waits until a moment, with balanced effort; returns at once if it has passed. The thread can be
/// cancelled as in `chronoscope_sleep_ns`.
///
/// # Safety
/// `waited` is null if the result is not wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_sleep_until(
    deadline: chronoscope_instant,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    let deadline = Instant::from_ticks(deadline);
    let rest = |_| Ok(wait::sleep_until(deadline));
    // SAFETY: guaranteed by the caller.
    unsafe { whole(Begun::moment(deadline), waited, rest) }
}

/// Makes a waiter of the given effort, one of `CHRONOSCOPE_ECONOMY`, `CHRONOSCOPE_BALANCED`,
/// `CHRONOSCOPE_PRECISE` (`CHRONOSCOPE_INVALID` for any other). Free it with
/// `chronoscope_waiter_free`.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_new(
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
pub unsafe extern "C-unwind" fn chronoscope_waiter_sleep_ns(
    waiter: *mut chronoscope_waiter,
    ns: u64,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    if waiter.is_null() {
        return CHRONOSCOPE_NULL;
    }
    // SAFETY: guaranteed by the caller.
    let rest = |left| Ok(unsafe { own(waiter) }?.0.sleep(left));
    // SAFETY: guaranteed by the caller.
    unsafe { whole(Begun::duration(ns), waited, rest) }
}

/// As `chronoscope_sleep_until`, with this waiter.
///
/// # Safety
/// As for `chronoscope_waiter_sleep_ns`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_sleep_until(
    waiter: *mut chronoscope_waiter,
    deadline: chronoscope_instant,
    waited: *mut chronoscope_waited,
) -> chronoscope_status {
    if waiter.is_null() {
        return CHRONOSCOPE_NULL;
    }
    let deadline = Instant::from_ticks(deadline);
    // SAFETY: guaranteed by the caller.
    let rest = |_| Ok(unsafe { own(waiter) }?.0.sleep_until(deadline));
    // SAFETY: guaranteed by the caller.
    unsafe { whole(Begun::moment(deadline), waited, rest) }
}

/// Sets how long each wait may spin on average, in nanoseconds, in place of what the effort allows.
///
/// # Safety
/// `waiter` is null (`CHRONOSCOPE_NULL`), or came from `chronoscope_waiter_new` and is used only by
/// this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_set_budget_ns(
    waiter: *mut chronoscope_waiter,
    spin_ns: u64,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        let waiter = unsafe { own(waiter) }?;
        waiter.0.set_budget(Duration::from_nanos(spin_ns));
        Ok(())
    })
}

/// Asks the scheduler for a slice of 100 us for the calling thread (Linux 6.12 and later;
/// `CHRONOSCOPE_UNSUPPORTED` elsewhere, and for a thread that is not scheduled under SCHED_OTHER;
/// `CHRONOSCOPE_SYSTEM` if the system refuses). Waits work all the same if this fails.
///
/// Next to busy threads of the same priority, the thread then runs more often as soon as it wakes.
/// It gets no larger share of the CPU. Others are interrupted more often, and so is this thread if
/// it computes between its waits; threads and processes that it starts inherit the slice.
///
/// The previous slice is restored by `chronoscope_waiter_restore_slice` and
/// `chronoscope_waiter_free`, in this thread only: called in another one, they leave this thread's
/// slice short until it ends. Do not call this in a signal handler.
///
/// # Safety
/// As for `chronoscope_waiter_set_budget_ns`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_shorten_slice(
    waiter: *mut chronoscope_waiter,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        let waiter = unsafe { own(waiter) }?;
        waiter.0.shorten_slice().map_err(|reason| match reason {
            NoSlice::Unsupported | NoSlice::OtherPolicy => CHRONOSCOPE_UNSUPPORTED,
            _ => CHRONOSCOPE_SYSTEM,
        })
    })
}

/// Restores the slice that the thread had before `chronoscope_waiter_shorten_slice`; does nothing
/// if that was not called, or in another thread.
///
/// # Safety
/// As for `chronoscope_waiter_set_budget_ns`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_restore_slice(
    waiter: *mut chronoscope_waiter,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        unsafe { own(waiter) }?.0.restore_slice();
        Ok(())
    })
}

/// Frees a waiter; does nothing for null. If this thread has a short slice because of it, the
/// previous one is restored.
///
/// # Safety
/// `waiter` is null, or came from `chronoscope_waiter_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_waiter_free(waiter: *mut chronoscope_waiter) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(waiter) };
}
