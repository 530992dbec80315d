//! The loop of every busy wait.

use crate::waits::os;
use chronoscope::counter;
use chronoscope::machine::{Machine, Native};
use std::time::Instant;

/// The error of a spin whose clock stood still. No system has an error number for that; this one
/// means "timer expired" on every system.
const FROZEN: i32 = 62;

/// Reads a clock until it shows `ticks` more than `start`, and calls `relax` between two reads.
///
/// A clock that stands still must not hang the tool, so the number of iterations is limited too: no
/// iteration takes less than a third of a nanosecond, which is one cycle of a 3 GHz processor, and
/// a hundred thousand more are allowed.
#[inline(always)]
pub(crate) fn spin(
    start: u64,
    ticks: u64,
    ns: u64,
    mut now: impl FnMut() -> u64,
    mut relax: impl FnMut(),
) -> Result<(), i32> {
    let most = ns.saturating_mul(3).saturating_add(100_000);
    for _ in 0..most {
        // A step backwards wraps to a huge number. As a signed number it means that the wait is not
        // over yet.
        if now().wrapping_sub(start) as i64 >= ticks as i64 {
            return Ok(());
        }
        relax();
    }
    Err(FROZEN)
}

/// Spins for `ns` nanoseconds on the counter of this machine, whose rate is `hz`.
#[inline(always)]
pub(crate) fn spin_counter(ns: u64, hz: f64, relax: impl FnMut()) -> Result<(), i32> {
    let start = counter::now();
    spin(start, counter_ticks(ns, hz), ns, counter::now, relax)
}

/// Spins on the clock of Rust's standard library until `ns` have passed since `start`.
#[inline(always)]
pub(crate) fn spin_elapsed(start: Instant, ns: u64, relax: impl FnMut()) -> Result<(), i32> {
    let now = || start.elapsed().as_nanos() as u64;
    spin(0, ns, ns, now, relax)
}

/// Spins on the system's clock until that clock shows `deadline`.
#[inline(always)]
pub(crate) fn spin_until(deadline: u64, relax: impl FnMut()) -> Result<(), i32> {
    let now = os::monotonic();
    let left = deadline.saturating_sub(now);
    if left == 0 {
        return Ok(());
    }
    spin(now, left, left, os::monotonic, relax)
}

/// Nanoseconds in ticks of a counter, rounded up.
pub(crate) fn ticks(ns: u64, hz: f64) -> u64 {
    (ns as f64 * hz / 1e9).ceil() as u64
}

/// Nanoseconds in ticks of this machine's counter, whose rate is `hz`. The value at the start may
/// be as old as one step of the counter, so one more step must pass or the wait is early. A step is
/// nothing on x86-64, and a microsecond if an emulator derives the counter from a coarse clock.
pub(crate) fn counter_ticks(ns: u64, hz: f64) -> u64 {
    ticks(ns, hz).saturating_add(Native.ticks_step())
}

/// Lines of C that spin on the counter of Arm's generic timer with an instruction that waits a
/// little; operand 1 of the instruction is the end.
pub(crate) fn arm_lines(instruction: &str, ns: u64) -> String {
    format!(
        "uint64_t hz, now, end;\n\
         __asm__(\"mrs %0, cntfrq_el0\" : \"=r\"(hz));\n\
         __asm__ volatile(\"mrs %0, cntvct_el0\" : \"=r\"(end));\n\
         end += {ns} * hz / 1000000000;\n\
         do __asm__ volatile(\"{instruction}\\n\\tmrs %0, cntvct_el0\"\n                     \
         : \"=&r\"(now) : \"r\"(end));\n\
         while (now < end);"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_still_ends_the_spin() {
        assert_eq!(spin(7, 10, 10, || 7, || {}), Err(FROZEN));
        let mut now = 100_000;
        let backwards = || {
            now -= 1;
            now
        };
        assert!(spin(100_000, 10, 0, backwards, || {}).is_err());
    }

    #[test]
    fn a_spin_ends_when_the_clock_has_advanced() {
        let mut now = u64::MAX - 3;
        let mut turns = 0;
        let clock = || {
            now = now.wrapping_add(1);
            now
        };
        assert_eq!(spin(u64::MAX - 3, 10, 10, clock, || turns += 1), Ok(()));
        assert_eq!(turns, 9);
        assert_eq!(ticks(1_000, 2.6e9), 2_600);
        assert_eq!(
            counter_ticks(1_000, 2.6e9),
            2_600 + Native.ticks_step(),
            "without one more step it would be early"
        );
    }
}
