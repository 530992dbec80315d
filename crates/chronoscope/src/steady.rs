//! Nanoseconds that never go back, at the speed of the counter.
//!
//! An [`Instant`](crate::Instant) is ticks, and what a tick lasts is known better and better: ticks
//! times the newest rate would jump with every calibration, by a millionth of the time since the
//! machine was started. So time is a line of pieces here, each with the rate that was known when it
//! was begun. A piece ends at a fixed tick and the next begins at that very point, whenever that
//! is published: the nanoseconds are a function of the ticks, the same for every thread, and rise
//! wherever the ticks do.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;
use crate::convert::Scale;
use crate::machine::Machine;
use crate::seqlock::SeqLock;

/// The longest piece: a better rate takes effect within this time.
const LONGEST: Duration = Duration::from_secs(1);

/// The shortest, at first, while the rate is hardly known.
const SHORTEST: Duration = Duration::from_millis(1);

/// Ticks and nanoseconds at the beginning, multiplier, and the length in ticks.
const WORDS: usize = 4;

/// The steady clock of the process: what `std::chrono::steady_clock` is in C++.
///
/// It begins at the value of the system's monotonic clock, and then follows [`Clock::global`]:
/// its rate is no slewed one.
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
    /// Nanoseconds, since the system's monotonic clock began to count.
    ///
    /// Unordered with the instructions around it, as [`Clock::now`] is.
    ///
    /// ```
    /// use chronoscope::Steady;
    /// let earlier = Steady::now();
    /// assert!(Steady::now() >= earlier);
    /// ```
    #[inline(always)]
    pub fn now() -> u64 {
        GLOBAL.now(Clock::global())
    }
}

/// A steady clock over a clock of the caller's, always the same; [`Steady`] is that of the global
/// one.
///
/// ```
/// use chronoscope::{Clock, steady::SteadyClock};
/// let (clock, steady) = (Clock::new(), SteadyClock::new());
/// let before = steady.now(&clock);
/// assert!(steady.now(&clock) >= before);
/// ```
pub struct SteadyClock {
    line: SeqLock<WORDS>,
    renewal: Mutex<()>,
}

impl std::fmt::Debug for SteadyClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SteadyClock")
            .field(&self.line.read())
            .finish()
    }
}

impl Default for SteadyClock {
    fn default() -> Self {
        Self::new()
    }
}

impl SteadyClock {
    /// A clock that begins with its first read.
    ///
    /// ```
    /// use chronoscope::{Clock, steady::SteadyClock};
    /// static CLOCK: Clock = Clock::new();
    /// static STEADY: SteadyClock = SteadyClock::new();
    /// println!("{} ns", STEADY.now(&CLOCK));
    /// ```
    pub const fn new() -> Self {
        Self {
            line: SeqLock::new(AtomicU64::new(0), [const { AtomicU64::new(0) }; WORDS]),
            renewal: Mutex::new(()),
        }
    }

    /// As [`Steady::now`].
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
        let [ticks, ns, multiplier, length] = self.line.read();
        // Wraps when the piece began after this read, which is too many ticks, too.
        let since = clock.now().0.wrapping_sub(ticks);
        if since < length {
            ns.wrapping_add(Scale::from_atomic(multiplier).ns_short(since))
        } else {
            self.beyond(clock)
        }
    }

    /// A read beyond the piece, which begins the next.
    #[cold]
    #[inline(never)]
    fn beyond<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        let _alone = self.renewal.lock().unwrap_or_else(PoisonError::into_inner);
        clock.sync_if_older(SHORTEST);
        let [ticks, ns, multiplier, length] = self.line.read();
        let now = clock.now().0;
        let (end, end_ns) = if length == 0 {
            (now, clock.machine().monotonic())
        } else {
            let old = Scale::from_atomic(multiplier);
            // A processor whose counter is a little behind is where the piece began.
            let since = now.saturating_sub(ticks);
            if since < length {
                return ns.saturating_add(old.ns(since));
            }
            (
                ticks.saturating_add(length),
                ns.saturating_add(old.ns(length)),
            )
        };
        let scale = clock.scale();
        let ahead = clock.observed().clamp(SHORTEST, LONGEST);
        let ahead = scale.ticks(ahead.as_nanos() as u64).unwrap_or(1);
        let since = now.saturating_sub(end);
        let length = since.saturating_add(ahead);
        self.line.write([end, end_ns, scale.multiplier(), length]);
        end_ns.saturating_add(scale.ns(since))
    }
}
