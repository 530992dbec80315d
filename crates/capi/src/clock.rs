//! The source that is read, the accuracy of its rate, and clocks of your own.

use std::ffi::c_char;
use std::time::Duration;

use chronoscope::machine::Machine;
use chronoscope::{AlreadyChosen, Clock, Keeper, Source, Synced, Ticks, Wanted};

use crate::border::{Answer, at_once_or, guarded, guarded_or, hand_out, offer, put, take_back};
use crate::cancel;
use crate::instant::chronoscope_instant;
use crate::status::{
    CHRONOSCOPE_ALREADY_CHOSEN, CHRONOSCOPE_INVALID, CHRONOSCOPE_SYSTEM, chronoscope_status,
};

/// The counter if it can be trusted, otherwise the system's clock.
pub const CHRONOSCOPE_WANT_AUTO: u32 = 0;
/// The counter, unless reading it would kill the process or it does not count.
pub const CHRONOSCOPE_WANT_COUNTER: u32 = 1;
/// The system's clock.
pub const CHRONOSCOPE_WANT_OS: u32 = 2;

/// The processor's counter is read.
pub const CHRONOSCOPE_SOURCE_COUNTER: u32 = 0;
/// The system's monotonic clock is read.
pub const CHRONOSCOPE_SOURCE_OS: u32 = 1;
/// The system's clock is read in the counter's place, after the counter did something that a clock
/// must not do.
pub const CHRONOSCOPE_SOURCE_OS_INSTEAD: u32 = 2;

/// The system's clock is read, and there is nothing to calibrate; `value` is zero.
pub const CHRONOSCOPE_SYNC_NOT_NEEDED: u32 = 0;
/// Nothing has changed; `value` is the bound of the rate in parts per million.
pub const CHRONOSCOPE_SYNC_AGREES: u32 = 1;
/// What was observed was impossible but did not persist; nothing was changed, and `value` is zero.
pub const CHRONOSCOPE_SYNC_REJECTED: u32 = 2;
/// The clocks drift apart; `value` is the bound that covers it, in parts per million.
pub const CHRONOSCOPE_SYNC_DRIFTED: u32 = 3;
/// The counter jumped ahead; `value` is the jump in nanoseconds.
pub const CHRONOSCOPE_SYNC_JUMPED: u32 = 4;
/// The counter runs at another rate; `value` is the change in parts per million.
pub const CHRONOSCOPE_SYNC_RATE_CHANGED: u32 = 5;
/// The counter went back or stands still, and the system's clock is read from now on; `value` is
/// zero.
pub const CHRONOSCOPE_SYNC_GIVEN_UP: u32 = 6;
/// The counter jumped slightly or its rate changed slightly, and the next check will show which;
/// `value` is the bound that covers both until then, in parts per million.
pub const CHRONOSCOPE_SYNC_UNSURE: u32 = 7;
/// Another thread published the result of its own check at the same moment; `value` is zero.
pub const CHRONOSCOPE_SYNC_BUSY: u32 = 8;
/// The system's clock went back and has stayed there for three checks, at least a millisecond
/// apart, so it counts again from the first of them on; `value` is by how many nanoseconds.
pub const CHRONOSCOPE_SYNC_REFERENCE_MOVED: u32 = 9;
/// The hypervisor reports that it has disrupted the clock, by a migration for example, and nothing
/// else shows it; `value` is zero.
pub const CHRONOSCOPE_SYNC_DISRUPTED: u32 = 10;

/// The result of a check against the reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_synced {
    /// One of `CHRONOSCOPE_SYNC_…`.
    pub outcome: u32,
    /// The figure that belongs to the outcome.
    pub value: f64,
}

/// What a clock reads, and how accurately.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct chronoscope_description {
    /// One of `CHRONOSCOPE_SOURCE_…`.
    pub source: u32,
    /// Ticks per second.
    pub hz: f64,
    /// How far the rate can be off, in parts per million of the system's undisciplined clock.
    pub bound_ppm: f64,
    /// The lowest rate that is consistent with everything observed, in ticks per second.
    pub hz_low: f64,
    /// The highest such rate.
    pub hz_high: f64,
    /// For how long the rate has been observed.
    pub observed_ns: u64,
    /// The time since the last calibration; zero if there is none.
    pub calibrated_ns: u64,
    /// How many samples the rate is based on.
    pub samples: u32,
    /// How many samples were rejected as impossible.
    pub rejected: u64,
    /// How many jumps of the counter were noticed.
    pub jumps: u64,
    /// How many changes of the rate were noticed.
    pub rate_changes: u64,
    /// How often the system's clock went back for good.
    pub reference_moves: u32,
    /// How often the hypervisor reported that it had disrupted the clock.
    pub disruptions: u32,
}

/// A clock with its own source and calibration. Any number of threads may use it at the same time.
pub struct chronoscope_clock(Clock);

/// A thread that calibrates the global clock periodically.
pub struct chronoscope_keeper {
    /// Ends the thread when it is dropped.
    keeper: Option<Keeper>,
}

impl Drop for chronoscope_keeper {
    fn drop(&mut self) {
        cancel::held(|| drop(self.keeper.take()));
    }
}

/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
unsafe fn clock<'a>(clock: *const chronoscope_clock) -> &'a Clock {
    // SAFETY: null is checked; otherwise it is a box of this library, which is never changed.
    unsafe { clock.as_ref() }.map_or(Clock::global(), |own| &own.0)
}

fn choose(clock: &Clock, wanted: u32) -> Answer {
    let wanted = match wanted {
        CHRONOSCOPE_WANT_AUTO => Wanted::Auto,
        CHRONOSCOPE_WANT_COUNTER => Wanted::Counter,
        CHRONOSCOPE_WANT_OS => Wanted::Os,
        _ => return Err(CHRONOSCOPE_INVALID),
    };
    clock.choose(wanted).map_err(|AlreadyChosen(_)| CHRONOSCOPE_ALREADY_CHOSEN)
}

/// Chooses the source of the global clock, one of `CHRONOSCOPE_WANT_…`, and overrides the
/// environment variable `CHRONOSCOPE_SOURCE`. Returns `CHRONOSCOPE_ALREADY_CHOSEN` if the clock has
/// been read before, and `CHRONOSCOPE_INVALID` for any other number.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_choose(wanted: u32) -> chronoscope_status {
    guarded(|| choose(Clock::global(), wanted))
}

/// Makes a clock with the wanted source, one of `CHRONOSCOPE_WANT_…`. Free it with
/// `chronoscope_clock_free`. Returns `CHRONOSCOPE_INVALID` for any other number.
///
/// # Safety
/// `new_clock` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_clock_new(
    wanted: u32,
    new_clock: *mut *mut chronoscope_clock,
) -> chronoscope_status {
    guarded(|| {
        let make = || {
            let clock = Clock::new();
            choose(&clock, wanted).map(|()| chronoscope_clock(clock))
        };
        // SAFETY: guaranteed by the caller.
        unsafe { hand_out(new_clock, make) }
    })
}

/// Frees a clock; does nothing for null.
///
/// # Safety
/// `clock` is null, or came from `chronoscope_clock_new` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_clock_free(clock: *mut chronoscope_clock) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(clock) };
}

/// Reads a clock; null is the global one. Moments of different clocks cannot be compared.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_clock_now(
    clock: *const chronoscope_clock,
) -> chronoscope_instant {
    // SAFETY: guaranteed by the caller.
    let clock = unsafe { self::clock(clock) };
    let read = clock.if_counted(Clock::READS_COUNTER, Machine::ticks);
    at_once_or(read, || clock.now().0)
}

/// As `chronoscope_ns_between`, for moments of that clock; null is the global one.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_clock_ns_between(
    clock: *const chronoscope_clock,
    earlier: chronoscope_instant,
    later: chronoscope_instant,
) -> u64 {
    // SAFETY: guaranteed by the caller.
    let clock = unsafe { self::clock(clock) };
    let (earlier, later) = (Ticks(earlier), Ticks(later));
    at_once_or(clock.ns_at_once(earlier, later), || clock.ns_between(earlier, later))
}

/// Checks a clock against the system's clock, and improves the
/// calibration: the longer since the first read, the smaller the bound. Null is the global clock.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `synced` is null if the result is not
/// wanted, or points to memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_sync(
    clock: *const chronoscope_clock,
    synced: *mut chronoscope_synced,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        let clock = unsafe { self::clock(clock) };
        let (outcome, value) = match clock.sync() {
            Synced::NotNeeded => (CHRONOSCOPE_SYNC_NOT_NEEDED, 0.0),
            Synced::Agrees(ppm) => (CHRONOSCOPE_SYNC_AGREES, ppm),
            Synced::Rejected => (CHRONOSCOPE_SYNC_REJECTED, 0.0),
            Synced::Drifted(ppm) => (CHRONOSCOPE_SYNC_DRIFTED, ppm),
            Synced::Jumped(ns) => (CHRONOSCOPE_SYNC_JUMPED, ns as f64),
            Synced::RateChanged(ppm) => (CHRONOSCOPE_SYNC_RATE_CHANGED, ppm),
            Synced::Unsure(ppm) => (CHRONOSCOPE_SYNC_UNSURE, ppm),
            Synced::GivenUp => (CHRONOSCOPE_SYNC_GIVEN_UP, 0.0),
            Synced::Disrupted => (CHRONOSCOPE_SYNC_DISRUPTED, 0.0),
            Synced::ReferenceMoved(ns) => (CHRONOSCOPE_SYNC_REFERENCE_MOVED, ns as f64),
            // The list may grow, and nothing that is not in it says anything about the clock.
            _ => (CHRONOSCOPE_SYNC_BUSY, 0.0),
        };
        // SAFETY: guaranteed by the caller.
        unsafe { offer(synced, chronoscope_synced { outcome, value }) };
        Ok(())
    })
}

/// Returns what a clock reads, and how accurately; null is the global one.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `description` is null (`CHRONOSCOPE_NULL`)
/// or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_clock_description(
    clock: *const chronoscope_clock,
    description: *mut chronoscope_description,
) -> chronoscope_status {
    guarded(|| {
        // SAFETY: guaranteed by the caller.
        let found = unsafe { self::clock(clock) }.describe();
        let answer = chronoscope_description {
            source: match found.source {
                Source::Counter => CHRONOSCOPE_SOURCE_COUNTER,
                Source::Os => CHRONOSCOPE_SOURCE_OS,
                // Like any other source in the counter's place.
                _ => CHRONOSCOPE_SOURCE_OS_INSTEAD,
            },
            hz: found.hz,
            bound_ppm: found.bound_ppm,
            hz_low: found.hz_range.0,
            hz_high: found.hz_range.1,
            observed_ns: nanoseconds(found.observed),
            calibrated_ns: found.calibrated.map_or(0, nanoseconds),
            samples: found.samples,
            rejected: found.rejected,
            jumps: found.jumps,
            rate_changes: found.rate_changes,
            reference_moves: found.reference_moves,
            disruptions: found.disruptions,
        };
        // SAFETY: guaranteed by the caller.
        unsafe { put(description, answer) }
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Describes what a clock reads, why, and how accurately, in a few lines of text; null is the
/// global clock.
///
/// Like `snprintf`, it writes as much as fits into `size` bytes, including a terminating zero, and
/// returns the number of bytes of the whole text without that zero. Returns zero after an internal
/// error of this library.
///
/// # Safety
/// `clock` is null or came from `chronoscope_clock_new`; `text` is null if only the length is
/// wanted, or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_describe(
    clock: *const chronoscope_clock,
    text: *mut c_char,
    size: usize,
) -> usize {
    guarded_or(0, || {
        // SAFETY: guaranteed by the caller.
        let words = unsafe { self::clock(clock) }.describe().to_string();
        if !text.is_null() && size > 0 {
            // The text is UTF-8, so a character that does not fit is left out rather than cut.
            let fits = words.floor_char_boundary(size - 1);
            // SAFETY: `fits` is less than `size`, so there is room for each byte and the zero.
            unsafe {
                text.cast::<u8>().copy_from_nonoverlapping(words.as_ptr(), fits);
                text.add(fits).write(0);
            }
        }
        words.len()
    })
}

/// Starts a thread that calibrates the global clock every `period_ns` nanoseconds until
/// `chronoscope_keeper_free`; a period below a millisecond is raised to one. Returns
/// `CHRONOSCOPE_INVALID` for zero, and `CHRONOSCOPE_SYSTEM` if no thread could be started.
///
/// # Safety
/// `keeper` is null (`CHRONOSCOPE_NULL`) or points to memory for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_keep(
    period_ns: u64,
    keeper: *mut *mut chronoscope_keeper,
) -> chronoscope_status {
    guarded(|| {
        let make = || {
            if period_ns == 0 {
                return Err(CHRONOSCOPE_INVALID);
            }
            let period = Duration::from_nanos(period_ns);
            let started = cancel::held(|| Clock::global().keep(period));
            let keeper = started.map_err(|_| CHRONOSCOPE_SYSTEM)?;
            Ok(chronoscope_keeper { keeper: Some(keeper) })
        };
        // SAFETY: guaranteed by the caller.
        unsafe { hand_out(keeper, make) }
    })
}

/// Ends the thread, and waits until it has ended; does nothing for null.
///
/// # Safety
/// `keeper` is null, or came from `chronoscope_keep` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn chronoscope_keeper_free(keeper: *mut chronoscope_keeper) {
    // SAFETY: guaranteed by the caller.
    unsafe { take_back(keeper) };
}
