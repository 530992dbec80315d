//! Nanoseconds that never go back, at the speed of the counter.
//!
//! An [`Instant`](crate::Instant) holds ticks, and the length of a tick is known more and more
//! precisely. If nanoseconds were ticks times the newest rate, they would jump with every
//! calibration, by a millionth of the time since the machine was started. So time is a line of
//! pieces here, each with the rate that was known when it began. A piece ends at a fixed tick and
//! the next begins at exactly that point, whenever it is published. The nanoseconds are therefore a
//! function of the ticks, the same for every thread, and never decrease as the ticks advance.
//!
//! The ticks are read in order, and if the counter itself is set back, the latest time that may
//! have been read counts until the ticks have reached it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::clock::Clock;
use crate::convert::Scale;
use crate::machine::Machine;
use crate::publish::Published;
use crate::sync::AtomicU64;
use crate::sys::process;

/// The longest piece: a better rate takes effect within this time.
const LONGEST: Duration = Duration::from_secs(1);

/// The shortest piece, used at first while the rate is only roughly known.
const SHORTEST: Duration = Duration::from_millis(1);

/// Ticks and nanoseconds at the beginning, multiplier, and length in ticks.
const WORDS: usize = 4;

/// One fewer threads than this can begin a piece at the same moment; others try again.
const SLOTS: usize = 64;

/// A time is noted once it is so much later than the one that was noted before, so threads rarely
/// write where others read. A counter that is set back by less is not noticed.
const CLOSE_NS: u64 = 1_000;

/// Marks a noted time after which no later one was read.
const LAST: u64 = 1 << 63;

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
    /// Returns nanoseconds since the zero of the system's monotonic clock, after all earlier
    /// instructions of this thread, so that a time that another thread has handed over is never
    /// later, as far as [`Clock::now_ordered`] says. It costs about as much as that and a
    /// conversion.
    ///
    /// If the counter is set back, this clock stands still until a check has found that out; if it
    /// is set back by less than a microsecond, nothing notices, and neither does this clock.
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

    /// What [`Steady::now`] returns if that takes no call; for `chronoscope-capi`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn now_at_once() -> Option<u64> {
        GLOBAL.now_at_once(Clock::global())
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
    /// No time was read that is later than this by [`CLOSE_NS`], or at all if it is marked.
    latest: AtomicU64,
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
        Self { line: Published::zero(), latest: AtomicU64::new(0) }
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
        match self.now_at_once(clock) {
            Some(now) => now,
            None => self.beyond(clock),
        }
    }

    #[inline(always)]
    fn now_at_once<M: Machine>(&self, clock: &Clock<M>) -> Option<u64> {
        // Loaded before the counter is read in order, so it was read earlier, too.
        let latest = self.latest.load(Ordering::Relaxed);
        let (_, [ticks, ns, multiplier, length]) = self.line.read();
        // Wraps if the counter is behind the beginning of the piece; that is too many as well.
        let read = clock.if_counted(Clock::READS_COUNTER, M::ticks_ordered)?;
        let since = read.wrapping_sub(ticks);
        let now = ns.wrapping_add(Scale::from_atomic(multiplier).ns_short(since));
        (since < length && now.wrapping_sub(latest) < CLOSE_NS).then_some(now)
    }

    /// Handles a read by another clock than the counter, beyond the piece, or some time after the
    /// one that was noted.
    #[cold]
    #[inline(never)]
    fn beyond<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        let (latest, mut now) = (self.latest(), self.on_the_line(clock));
        if latest.saturating_sub(now) >= CLOSE_NS {
            clock.check_now();
            now = self.on_the_line(clock);
        }
        let mut shown = now;
        let _ = self.latest.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |noted| {
            let (ns, is_last) = (noted & !LAST, noted >= LAST);
            shown = now;
            if let Some(later) = now.checked_sub(ns) {
                return (later >= CLOSE_NS || is_last).then_some(now);
            }
            if now >= latest {
                // Another thread has noted a later time since this one has read the counter.
                return None;
            }
            // The counter is behind: nothing later than this was read, or will be until it is not.
            shown = if is_last { ns } else { ns.saturating_add(CLOSE_NS) };
            (!is_last).then_some(shown | LAST)
        });
        shown
    }

    fn latest(&self) -> u64 {
        self.latest.load(Ordering::Relaxed) & !LAST
    }

    /// Returns the time by the line, and begins its next piece if it ends before. Of several
    /// threads that do so, the fastest decides about the piece, and the others read again.
    fn on_the_line<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        clock.check_if_due();
        loop {
            let (stamp, [ticks, ns, multiplier, length]) = self.line.read();
            let now = clock.now_ordered().0;
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
