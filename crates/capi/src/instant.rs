//! Moments, as ticks of the global clock.

use std::time::Duration;

use chronoscope::machine::Machine;
use chronoscope::{Bounded, Clock, Instant, Steady, Ticks};

use crate::border::{at_once_or, guarded, put};
use crate::status::{CHRONOSCOPE_OUT_OF_RANGE, chronoscope_status};

/// A moment, in ticks of the global clock since an arbitrary zero. Moments of one process can be
/// compared with `<`; those of different threads only if they were read in order, which is in any
/// way but by `chronoscope_now`. `chronoscope_ns_between` returns the time between two of them.
pub type chronoscope_instant = u64;

/// A time in nanoseconds, and how far it can be off.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_bounded {
    /// The time.
    pub ns: u64,
    /// The error is at most this many nanoseconds, relative to the clock that is calibrated
    /// against (on Linux `CLOCK_MONOTONIC_RAW`) or, if the system's clock is read, to that.
    pub bound_ns: u64,
    /// Whether the counter jumped, drifted or changed its rate meanwhile, so that the bound does
    /// not hold.
    pub disturbed: bool,
    /// For how long before the later moment there was no check, by this clock. The bound does not
    /// cover what happened after that check, such as a counter that was set back, which makes this
    /// too short; nor a change of the rate shortly before it: with checks of 0.1 us, one of 10
    /// parts per million cannot be noticed until 10 ms after it.
    pub unchecked_ns: u64,
}

impl From<Bounded> for chronoscope_bounded {
    fn from(found: Bounded) -> Self {
        Self {
            ns: found.ns,
            bound_ns: found.bound_ns,
            disturbed: found.disturbed,
            unchecked_ns: found.unchecked_ns,
        }
    }
}

/// The byte by which the inline reads below decide. It is always valid, and must be read with
/// acquire order.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_mode() -> *const u8 {
    Clock::global().mode_byte().as_ptr()
}

/// Returns the present moment, not ordered with the surrounding instructions. This is the cheapest
/// read.
///
/// The first read in a process chooses the source.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_now() -> chronoscope_instant {
    let read = Clock::global().if_counted(Clock::READS_COUNTER, Machine::ticks);
    at_once_or(read, || Instant::now().ticks())
}

/// Returns the present moment, after all earlier instructions of this thread.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_now_ordered() -> chronoscope_instant {
    let read = Clock::global().if_counted(Clock::READS_COUNTER, Machine::ticks_ordered);
    at_once_or(read, || Instant::now_ordered().ticks())
}

/// Returns the start of a timed region: no instruction of the region begins before it.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_start() -> chronoscope_instant {
    let read = Clock::global().if_counted(Clock::READS_COUNTER, Machine::ticks_start);
    at_once_or(read, || Instant::start().ticks())
}

/// Returns the end of a timed region: the whole region has completed before it.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_stop() -> chronoscope_instant {
    let read = Clock::global().if_counted(Clock::READS_STOP, Machine::ticks_stop);
    at_once_or(read, || Instant::stop().ticks())
}

/// Returns the nanoseconds from one moment to a later one; zero if it is not later.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_ns_between(
    earlier: chronoscope_instant,
    later: chronoscope_instant,
) -> u64 {
    let (earlier, later) = (Ticks(earlier), Ticks(later));
    let read = Clock::global().ns_at_once(earlier, later);
    at_once_or(read, || Clock::global().ns_between(earlier, later))
}

/// Returns the nanoseconds since a moment; zero if it is in the future.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_elapsed_ns(since: chronoscope_instant) -> u64 {
    let clock = Clock::global();
    let now = clock.if_counted(Clock::READS_COUNTER, Machine::ticks);
    let read = now.and_then(|now| clock.ns_at_once(Ticks(since), Ticks(now)));
    at_once_or(read, || clock.ns_since(Ticks(since)))
}

/// Returns the nanoseconds since a moment, with a bound on the error, after a check of the counter
/// against the system's clock, in about a third of a microsecond.
///
/// If the moment was read by another thread, it must be an ordered read: any but `chronoscope_now`.
///
/// # Safety
/// `elapsed` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_elapsed_bounded(
    since: chronoscope_instant,
    elapsed: *mut chronoscope_bounded,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(since).elapsed_bounded();
        // SAFETY: guaranteed by the caller.
        unsafe { put(elapsed, found.into()) }
    })
}

/// As `chronoscope_elapsed_bounded`, but without a check if the last one is at most `age_ns` old;
/// it then costs an ordered read and some ten nanoseconds.
///
/// # Safety
/// `elapsed` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_elapsed_bounded_within(
    since: chronoscope_instant,
    age_ns: u64,
    elapsed: *mut chronoscope_bounded,
) -> chronoscope_status {
    guarded(|| {
        let age = Duration::from_nanos(age_ns);
        let found = Instant::from_ticks(since).elapsed_bounded_within(age);
        // SAFETY: guaranteed by the caller.
        unsafe { put(elapsed, found.into()) }
    })
}

/// Returns the moment `ns` nanoseconds after another, rounded up to a tick, so that the time has
/// always passed at the moment returned; `CHRONOSCOPE_OUT_OF_RANGE` if it cannot be represented.
///
/// # Safety
/// `later` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_after(
    moment: chronoscope_instant,
    ns: u64,
    later: *mut chronoscope_instant,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(moment).checked_add(Duration::from_nanos(ns));
        // SAFETY: guaranteed by the caller.
        unsafe { put(later, found.ok_or(CHRONOSCOPE_OUT_OF_RANGE)?.ticks()) }
    })
}

/// Returns the moment `ns` nanoseconds before another; `CHRONOSCOPE_OUT_OF_RANGE` before the first
/// tick.
///
/// # Safety
/// `earlier` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_before(
    moment: chronoscope_instant,
    ns: u64,
    earlier: *mut chronoscope_instant,
) -> chronoscope_status {
    guarded(|| {
        let found = Instant::from_ticks(moment).checked_sub(Duration::from_nanos(ns));
        // SAFETY: guaranteed by the caller.
        unsafe { put(earlier, found.ok_or(CHRONOSCOPE_OUT_OF_RANGE)?.ticks()) }
    })
}

/// Returns nanoseconds since the zero of the system's monotonic clock, which never go back, also
/// between threads, as long as the counters of their CPUs differ by less than a hand-over takes: a
/// better rate bends their line without moving it. Suitable as a clock for `std::chrono`. It costs
/// about as much as `chronoscope_now_ordered` and a conversion, because the counter is read after
/// all earlier instructions of this thread.
///
/// If the counter itself is set back, it stands still until a check has found that out; nothing
/// notices a counter that is set back by less than a microsecond.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_steady_ns() -> u64 {
    at_once_or(Steady::now_at_once(), Steady::now)
}
