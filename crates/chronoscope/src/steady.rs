//! Nanoseconds that never go back, at the speed of the counter.
//!
//! An [`Instant`](crate::Instant) holds ticks, and the length of a tick is known more and more
//! precisely. If nanoseconds were ticks times the newest rate, they would jump with every
//! calibration, by a millionth of the time since the machine was started. So time is a line of
//! pieces here, each with the rate that was known when it began. A piece ends at a fixed tick and
//! the next begins at exactly that point, whenever it is published. The nanoseconds are therefore a
//! function of the ticks, the same for every thread, and never decrease as the ticks advance.

use std::time::Duration;

use crate::clock::Clock;
use crate::convert::Scale;
use crate::machine::Machine;
use crate::publish::Published;
use crate::sys::process;

/// The longest piece: a better rate takes effect within this time.
const LONGEST: Duration = Duration::from_secs(1);

/// The shortest piece, used at first while the rate is only roughly known.
const SHORTEST: Duration = Duration::from_millis(1);

/// Ticks and nanoseconds at the beginning, multiplier, and length in ticks.
const WORDS: usize = 4;

/// One fewer threads than this can begin a piece at the same moment; others try again.
const SLOTS: usize = 64;

/// The steady clock of the process, as `std::chrono::steady_clock` in C++.
///
/// It begins at the value of the system's monotonic clock and then follows [`Clock::global`], so
/// its rate is not slewed.
///
/// ```
/// use chronoscope::Steady;
/// let before = Steady::now();
/// assert!(Steady::now() >= before);
/// ```
#[derive(Debug)]
pub struct Steady;

static GLOBAL: SteadyClock = SteadyClock::new();

impl Steady {
    /// Returns nanoseconds since the zero of the system's monotonic clock.
    ///
    /// Not ordered with the surrounding instructions, like [`Clock::now`].
    ///
    /// ```
    /// use chronoscope::Steady;
    /// let earlier = Steady::now();
    /// assert!(Steady::now() >= earlier);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn now() -> u64 {
        GLOBAL.now(Clock::global())
    }
}

/// A steady clock over a clock of your own, which must always be the same one; [`Steady`] is the
/// one over the global clock.
///
/// ```
/// use chronoscope::{Clock, steady::SteadyClock};
/// let (clock, steady) = (Clock::new(), SteadyClock::new());
/// let before = steady.now(&clock);
/// assert!(steady.now(&clock) >= before);
/// ```
pub struct SteadyClock {
    line: Published<WORDS, SLOTS>,
}

impl std::fmt::Debug for SteadyClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SteadyClock").field(&self.line.read().1).finish()
    }
}

impl Default for SteadyClock {
    fn default() -> Self {
        Self::new()
    }
}

impl SteadyClock {
    /// Makes a clock that begins with its first read.
    ///
    /// ```
    /// use chronoscope::{Clock, steady::SteadyClock};
    /// static CLOCK: Clock = Clock::new();
    /// static STEADY: SteadyClock = SteadyClock::new();
    /// println!("{} ns", STEADY.now(&CLOCK));
    /// ```
    pub const fn new() -> Self {
        Self { line: Published::zero() }
    }

    /// Returns the time as [`Steady::now`] does.
    ///
    /// ```
    /// use chronoscope::{Clock, steady::SteadyClock};
    /// let (clock, steady) = (Clock::new(), SteadyClock::new());
    /// let before = steady.now(&clock);
    /// clock.sync();
    /// assert!(steady.now(&clock) >= before);
    /// ```
    #[inline(always)]
    pub fn now<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        let (_, [ticks, ns, multiplier, length]) = self.line.read();
        if let Some(now) = clock.now_by_counter() {
            // Wraps if the piece began after this read; that is too many ticks as well.
            let since = now.wrapping_sub(ticks);
            if since < length {
                return ns.wrapping_add(Scale::from_atomic(multiplier).ns_short(since));
            }
        }
        self.beyond(clock)
    }

    /// Handles a read by another clock than the counter or beyond the piece, and begins the next
    /// piece. Of several threads that do so, the fastest decides about the piece, and the others
    /// read again.
    #[cold]
    #[inline(never)]
    fn beyond<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        clock.check_if_due();
        loop {
            let (stamp, [ticks, ns, multiplier, length]) = self.line.read();
            let now = clock.now().0;
            let (end, end_ns) = if length == 0 {
                (now, clock.machine().monotonic())
            } else {
                let old = Scale::from_atomic(multiplier);
                // A CPU whose counter is slightly behind reads the value at which the piece began.
                let since = now.saturating_sub(ticks);
                if since < length {
                    return ns.saturating_add(old.ns(since));
                }
                (ticks.saturating_add(length), ns.saturating_add(old.ns(length)))
            };
            let scale = clock.scale();
            let ahead = clock.observed().clamp(SHORTEST, LONGEST);
            let ahead = scale.ticks(ahead.as_nanos() as u64).unwrap_or(1);
            let since = now.saturating_sub(end);
            let length = since.saturating_add(ahead);
            let piece = [end, end_ns, scale.multiplier(), length];
            if self.line.replace(stamp, &piece, process::number()) {
                return end_ns.saturating_add(scale.ns(since));
            }
            std::hint::spin_loop();
        }
    }
}
