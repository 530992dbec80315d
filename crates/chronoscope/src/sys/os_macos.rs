//! macOS: `mach_absolute_time` and related calls (Apple, Technical Q&A QA1398).

use std::sync::atomic::{AtomicU64, Ordering};

use mach2::mach_time::{
    mach_absolute_time, mach_timebase_info, mach_timebase_info_data_t, mach_wait_until,
};

pub use super::other::lacking::*;
pub use super::plain::wall;

use crate::machine::Kernel;

/// Nanoseconds per mach tick, as numerator and denominator: 1/1 on Intel, 125/3 on Apple's own
/// processors.
fn timebase() -> (u64, u64) {
    // Both in one word, so that no thread waits for another to fill it in.
    static TIMEBASE: AtomicU64 = AtomicU64::new(0);
    let mut known = TIMEBASE.load(Ordering::Relaxed);
    if known == 0 {
        let mut info = mach_timebase_info_data_t { numer: 0, denom: 0 };
        // SAFETY: `info` is a valid place for the result.
        unsafe { mach_timebase_info(&mut info) };
        // A failed call leaves zeros, which would divide by zero or stop the clock.
        known = u64::from(info.numer.max(1)) << 32 | u64::from(info.denom.max(1));
        TIMEBASE.store(known, Ordering::Relaxed);
    }
    (known >> 32, known & 0xffff_ffff)
}

fn scaled(value: u64, by: u64, over: u64) -> u64 {
    u64::try_from(u128::from(value) * u128::from(by) / u128::from(over)).unwrap_or(u64::MAX)
}

/// The name of the clock that [`reference`] reads.
pub const REFERENCE: &str = "mach_absolute_time";

/// The name of the clock that [`monotonic`] reads.
pub const MONOTONIC: &str = "mach_absolute_time";

/// `mach_absolute_time`, which is never slewed.
pub fn reference() -> u64 {
    let (numer, denom) = timebase();
    // SAFETY: the call has no preconditions.
    scaled(unsafe { mach_absolute_time() }, numer, denom)
}

pub fn reference_step() -> u64 {
    let (numer, denom) = timebase();
    numer.div_ceil(denom)
}

pub fn monotonic() -> u64 {
    reference()
}

pub fn monotonic_step() -> u64 {
    reference_step()
}

/// The real-time clock is in whole microseconds (Darwin's `gettimeofday`, which `CLOCK_REALTIME` is
/// derived from).
pub const WALL_STEP: u64 = 1000;

/// The kernel has one counter and no choice: `mach_absolute_time` reads it.
pub fn first_view(names: &[&str]) -> Kernel {
    match names.first() {
        Some(_) => Kernel::Uses("mach_absolute_time".into()),
        None => Kernel::Silent,
    }
}

/// Sleeps until [`monotonic`] is at `deadline`, or until a signal arrives.
pub fn sleep_until(deadline: u64, _remaining: u64) {
    let (numer, denom) = timebase();
    // SAFETY: the call has no preconditions. Rounding down may wake early, which the caller
    // expects.
    unsafe { mach_wait_until(scaled(deadline, denom, numer)) };
}

/// Coalescing of timers makes late wakes common. This is a guess that could not be measured.
pub const MARGIN_CAP: u64 = 500_000;
