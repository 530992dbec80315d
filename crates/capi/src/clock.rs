//! Which source is read, how sure its rate is, and clocks of one's own.

use std::ffi::c_char;
use std::time::Duration;

use chronoscope::{AlreadyChosen, Clock, Keeper, Source, Synced, Ticks, Wanted};

use crate::border::{Answer, guarded, guarded_or, hand_out, offer, put, take_back};
use crate::instant::chronoscope_instant;
use crate::status::{
    CHRONOSCOPE_ALREADY_CHOSEN, CHRONOSCOPE_INVALID, CHRONOSCOPE_SYSTEM, chronoscope_status,
};

/// The counter if it can be trusted, else the system's clock.
pub const CHRONOSCOPE_WANT_AUTO: u32 = 0;
/// The counter, unless reading it would kill the process or it does not count.
pub const CHRONOSCOPE_WANT_COUNTER: u32 = 1;
/// The system's clock.
pub const CHRONOSCOPE_WANT_OS: u32 = 2;

/// The processor's counter is read.
pub const CHRONOSCOPE_SOURCE_COUNTER: u32 = 0;
/// The system's monotonic clock is read.
pub const CHRONOSCOPE_SOURCE_OS: u32 = 1;
/// The system's clock is read in the counter's place, since that was caught at something that a
/// clock does not do.
pub const CHRONOSCOPE_SOURCE_OS_INSTEAD: u32 = 2;

/// The system's clock is read, and there is nothing to calibrate; `value` is zero.
pub const CHRONOSCOPE_SYNC_NOT_NEEDED: u32 = 0;
/// All is as it was; `value` is the bound of the rate in parts per million.
pub const CHRONOSCOPE_SYNC_AGREES: u32 = 1;
/// What was seen was impossible and did not last; nothing was changed, and `value` is zero.
pub const CHRONOSCOPE_SYNC_REJECTED: u32 = 2;
/// The clocks drift apart; `value` is the bound that covers it, in parts per million.
pub const CHRONOSCOPE_SYNC_DRIFTED: u32 = 3;
/// The counter jumped ahead; `value` is by how many nanoseconds.
pub const CHRONOSCOPE_SYNC_JUMPED: u32 = 4;
/// The counter runs at another rate; `value` is the change in parts per million.
pub const CHRONOSCOPE_SYNC_RATE_CHANGED: u32 = 5;
/// The counter went back or stands, and the system's clock is read from now on; `value` is zero.
pub const CHRONOSCOPE_SYNC_GIVEN_UP: u32 = 6;
/// The counter jumped a little or changed its rate a little; `value` is the bound that covers both
/// until the next look tells which, in parts per million.
pub const CHRONOSCOPE_SYNC_UNSURE: u32 = 7;

/// What came of a look at the reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_synced {
    /// One of `CHRONOSCOPE_SYNC_…`.
    pub outcome: u32,
    /// What goes with it.
    pub value: f64,
}

/// How a clock is read and how well.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_description {
    /// One of `CHRONOSCOPE_SOURCE_…`.
    pub source: u32,
    /// Ticks a second.
    pub hz: f64,
    /// How far the rate can be off, in parts per million of the system's undisciplined clock.
    pub bound_ppm: f64,
    /// How long the rate has been observed.
    pub observed_ns: u64,
    /// Time since the last calibration; zero where there is none.
    pub calibrated_ns: u64,
    /// Samples that went into the rate.
    pub samples: u32,
    /// Samples that were refused as absurd.
    pub rejected: u64,
    /// Jumps of the counter that were noticed.
    pub jumps: u64,
    /// Changes of the rate that were noticed.
    pub rate_changes: u64,
}

/// A clock with its own source and calibration. Any number of threads may use one at once.
pub struct chronoscope_clock(Clock);

/// A thread that calibrates the global clock now and then.
pub struct chronoscope_keeper {
    /// Ends the thread when it is dropped.
    _keeper: Keeper,
}

/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
unsafe fn clock<'a>(clock: *const chronoscope_clock) -> &'a Clock {
    // SAFETY: null is looked for; else it is a box of ours, which is never changed.
    unsafe { clock.as_ref() }.map_or(Clock::global(), |own| &own.0)
}

fn choose(clock: &Clock, wanted: u32) -> Answer {
    let wanted = match wanted {
        CHRONOSCOPE_WANT_AUTO => Wanted::Auto,
        CHRONOSCOPE_WANT_COUNTER => Wanted::Counter,
        CHRONOSCOPE_WANT_OS => Wanted::Os,
        _ => return Err(CHRONOSCOPE_INVALID),
    };
    clock
        .choose(wanted)
        .map_err(|AlreadyChosen(_)| CHRONOSCOPE_ALREADY_CHOSEN)
}

/// Chooses the source of the global clock, one of `CHRONOSCOPE_WANT_…`, instead of the environment
/// variable `CHRONOSCOPE_SOURCE`. `CHRONOSCOPE_ALREADY_CHOSEN` when the clock has been read before,
/// `CHRONOSCOPE_INVALID` for any other number.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_choose(wanted: u32) -> chronoscope_status {
    guarded(|| choose(Clock::global(), wanted))
}

/// Makes a clock with the source that is wanted, one of `CHRONOSCOPE_WANT_…`; to be ended by
/// `chronoscope_clock_free`. `CHRONOSCOPE_INVALID` for any other number.
///
/// # Safety
/// `new_clock` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_clock_new(
    wanted: u32,
    new_clock: *mut *mut chronoscope_clock,
) -> chronoscope_status {
    guarded(|| {
        let make = || {
            let clock = Clock::new();
            choose(&clock, wanted).map(|()| chronoscope_clock(clock))
        };
        // SAFETY: the caller's promise.
        unsafe { hand_out(new_clock, make) }
    })
}

/// Ends a clock; nothing for null.
///
/// # Safety
/// `clock` is null, or came from `chronoscope_clock_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_clock_free(clock: *mut chronoscope_clock) {
    // SAFETY: the caller's promise.
    unsafe { take_back(clock) };
}

/// Reads a clock; null is the global one. Moments of different clocks do not compare.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_clock_now(
    clock: *const chronoscope_clock,
) -> chronoscope_instant {
    // SAFETY: the caller's promise.
    unsafe { self::clock(clock) }.now().0
}

/// As `chronoscope_ns_between`, for moments of that clock; null is the global one.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_clock_ns_between(
    clock: *const chronoscope_clock,
    earlier: chronoscope_instant,
    later: chronoscope_instant,
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { self::clock(clock) }.ns_between(Ticks(earlier), Ticks(later))
}

/// Looks at the system's clock, in about a microsecond, and makes the calibration better: the longer
/// since the first read, the smaller the bound. Null is the global clock.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `synced` is null, where what came of it is
/// not wanted, or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_sync(
    clock: *const chronoscope_clock,
    synced: *mut chronoscope_synced,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (outcome, value) = match unsafe { self::clock(clock) }.sync() {
            Synced::NotNeeded => (CHRONOSCOPE_SYNC_NOT_NEEDED, 0.0),
            Synced::Agrees(ppm) => (CHRONOSCOPE_SYNC_AGREES, ppm),
            Synced::Rejected => (CHRONOSCOPE_SYNC_REJECTED, 0.0),
            Synced::Drifted(ppm) => (CHRONOSCOPE_SYNC_DRIFTED, ppm),
            Synced::Jumped(ns) => (CHRONOSCOPE_SYNC_JUMPED, ns as f64),
            Synced::RateChanged(ppm) => (CHRONOSCOPE_SYNC_RATE_CHANGED, ppm),
            Synced::Unsure(ppm) => (CHRONOSCOPE_SYNC_UNSURE, ppm),
            Synced::GivenUp => (CHRONOSCOPE_SYNC_GIVEN_UP, 0.0),
        };
        // SAFETY: the caller's promise.
        unsafe { offer(synced, chronoscope_synced { outcome, value }) };
        Ok(())
    })
}

/// How a clock is read and how well; null is the global one.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `description` is null (`CHRONOSCOPE_NULL`)
/// or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_clock_description(
    clock: *const chronoscope_clock,
    description: *mut chronoscope_description,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let found = unsafe { self::clock(clock) }.describe();
        let answer = chronoscope_description {
            source: match found.source {
                Source::Counter => CHRONOSCOPE_SOURCE_COUNTER,
                Source::Os => CHRONOSCOPE_SOURCE_OS,
                Source::OsInstead => CHRONOSCOPE_SOURCE_OS_INSTEAD,
            },
            hz: found.hz,
            bound_ppm: found.bound_ppm,
            observed_ns: nanoseconds(found.observed),
            calibrated_ns: found.calibrated.map_or(0, nanoseconds),
            samples: found.samples,
            rejected: found.rejected,
            jumps: found.jumps,
            rate_changes: found.rate_changes,
        };
        // SAFETY: the caller's promise.
        unsafe { put(description, answer) }
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What a clock reads, why, and how well, in some lines of text; null is the global clock.
///
/// As `snprintf`: writes as much as fits into `size` bytes, with a zero at the end, and returns how
/// many bytes all of it takes without that zero. Zero in case of a fault of this library.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `text` is null, where only the length is
/// wanted, or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_describe(
    clock: *const chronoscope_clock,
    text: *mut c_char,
    size: usize,
) -> usize {
    guarded_or(0, || {
        // SAFETY: the caller's promise.
        let words = unsafe { self::clock(clock) }.describe().to_string();
        if !text.is_null() && size > 0 {
            // A character is left out rather than cut: the text is UTF-8.
            let fits = words.floor_char_boundary(size - 1);
            // SAFETY: `fits` is less than `size`, so there is a place for each byte and the zero.
            unsafe {
                text.cast::<u8>()
                    .copy_from_nonoverlapping(words.as_ptr(), fits);
                text.add(fits).write(0);
            }
        }
        words.len()
    })
}

/// Starts a thread that calibrates the global clock every `period_ns` nanoseconds until
/// `chronoscope_keeper_free`. `CHRONOSCOPE_INVALID` for zero, `CHRONOSCOPE_SYSTEM` when no thread
/// could be started.
///
/// # Safety
/// `keeper` is null (`CHRONOSCOPE_NULL`) or points to a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_keep(
    period_ns: u64,
    keeper: *mut *mut chronoscope_keeper,
) -> chronoscope_status {
    guarded(|| {
        let make = || {
            if period_ns == 0 {
                return Err(CHRONOSCOPE_INVALID);
            }
            let started = Clock::global().keep(Duration::from_nanos(period_ns));
            let keeper = started.map_err(|_| CHRONOSCOPE_SYSTEM)?;
            Ok(chronoscope_keeper { _keeper: keeper })
        };
        // SAFETY: the caller's promise.
        unsafe { hand_out(keeper, make) }
    })
}

/// Ends the thread, and waits until it has ended; nothing for null.
///
/// # Safety
/// `keeper` is null, or came from `chronoscope_keep` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chronoscope_keeper_free(keeper: *mut chronoscope_keeper) {
    // SAFETY: the caller's promise.
    unsafe { take_back(keeper) };
}
