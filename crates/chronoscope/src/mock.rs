//! Time that a test advances by hand.
//!
//! Pass a [`Timer`] to the code under test, or let it use [`Scoped`], which finds the mock of the
//! thread or task that it runs in.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::clock::Ticks;
use crate::instant::Instant;
pub use crate::scoped::{Scoped, ScopedMoment, ScopedTask, scope, scope_task};
use crate::sync::AtomicU64;
use crate::wait::{self, Waited};

/// What code needs from time: to read it and to wait. Code that takes a `Timer` can be tested with
/// a [`Mock`] and otherwise runs on [`Real`], which costs nothing.
///
/// ```
/// use chronoscope::mock::{Mock, Real, Timer};
/// use std::time::Duration;
///
/// /// Tries until it works, waiting twice as long each time.
/// fn retry<T: Timer>(timer: &T, mut work: impl FnMut() -> bool) -> Duration {
///     let start = timer.now();
///     let mut pause = Duration::from_millis(1);
///     while !work() {
///         timer.sleep(pause);
///         pause *= 2;
///     }
///     timer.between(start, timer.now())
/// }
///
/// let mut tries = 0;
/// let took = retry(&Mock::new(), || { tries += 1; tries == 4 });
/// assert_eq!(took, Duration::from_millis(1 + 2 + 4));
/// retry(&Real, || true);
/// ```
pub trait Timer {
    /// A moment.
    type Moment: Copy + Ord;

    /// Returns the present moment.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// let timer = Mock::new();
    /// assert_eq!(timer.now(), timer.now());
    /// ```
    fn now(&self) -> Self::Moment;

    /// Returns the time from one moment to a later one; zero if it is not later.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let start = timer.now();
    /// timer.advance(Duration::from_secs(1));
    /// assert_eq!(timer.between(start, timer.now()), Duration::from_secs(1));
    /// assert_eq!(timer.between(timer.now(), start), Duration::ZERO);
    /// ```
    fn between(&self, earlier: Self::Moment, later: Self::Moment) -> Duration;

    /// Returns the moment this long after another, or the last possible one.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let later = timer.after(timer.now(), Duration::from_secs(1));
    /// assert_eq!(timer.between(timer.now(), later), Duration::from_secs(1));
    /// ```
    fn after(&self, moment: Self::Moment, time: Duration) -> Self::Moment;

    /// Waits until a moment, which may have passed.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let deadline = timer.after(timer.now(), Duration::from_secs(1));
    /// timer.sleep_until(deadline);
    /// assert_eq!(timer.now(), deadline);
    /// ```
    fn sleep_until(&self, deadline: Self::Moment) -> Waited;

    /// Waits for this long.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let waited = timer.sleep(Duration::from_millis(3));
    /// assert_eq!((waited.slept_ns, waited.late_ns), (3_000_000, 0));
    /// ```
    fn sleep(&self, time: Duration) -> Waited {
        self.sleep_until(self.after(self.now(), time))
    }
}

/// The time of this machine: [`Instant`] and [`wait`].
///
/// ```
/// use chronoscope::mock::{Real, Timer};
/// let start = Real.now();
/// Real.sleep(std::time::Duration::from_micros(100));
/// assert!(Real.between(start, Real.now()).as_micros() >= 100);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Timer for Real {
    type Moment = Instant;

    #[inline(always)]
    fn now(&self) -> Instant {
        Instant::now()
    }

    #[inline(always)]
    fn between(&self, earlier: Instant, later: Instant) -> Duration {
        later.duration_since(earlier)
    }

    fn after(&self, moment: Instant, time: Duration) -> Instant {
        moment.saturating_add(time)
    }

    fn sleep_until(&self, deadline: Instant) -> Waited {
        wait::sleep_until(deadline)
    }

    fn sleep(&self, time: Duration) -> Waited {
        wait::sleep(time)
    }
}

/// A time that stands still until it is advanced, by [`Mock::advance`] or by a sleep, which returns
/// at once and sets the time to its deadline. A tick is a nanosecond. Threads share it by
/// reference.
///
/// ```
/// use chronoscope::mock::{Mock, Timer};
/// use std::time::Duration;
/// let mock = Mock::new();
/// let start = mock.now();
/// mock.advance(Duration::from_secs(3600));
/// assert_eq!(mock.between(start, mock.now()), Duration::from_secs(3600));
/// ```
#[derive(Debug, Default)]
pub struct Mock(AtomicU64);

impl Mock {
    /// Makes a mock whose time is zero.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// let time = Mock::new();
    /// assert_eq!(time.now(), time.now());
    /// ```
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Advances time, at most to the last possible nanosecond.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let time = Mock::new();
    /// let start = time.now();
    /// time.advance(Duration::from_secs(3));
    /// assert_eq!(time.between(start, time.now()), Duration::from_secs(3));
    /// ```
    pub fn advance(&self, time: Duration) {
        let passed = nanos(time);
        // Never fails: the closure always returns a value.
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
            Some(now.saturating_add(passed))
        });
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Timer for Mock {
    type Moment = Ticks;

    fn now(&self) -> Ticks {
        Ticks(self.0.load(Ordering::SeqCst))
    }

    fn between(&self, earlier: Ticks, later: Ticks) -> Duration {
        Duration::from_nanos(later.0.saturating_sub(earlier.0))
    }

    fn after(&self, moment: Ticks, time: Duration) -> Ticks {
        Ticks(moment.0.saturating_add(nanos(time)))
    }

    fn sleep_until(&self, deadline: Ticks) -> Waited {
        let before = self.0.fetch_max(deadline.0, Ordering::SeqCst);
        let slept_ns = deadline.0.saturating_sub(before);
        Waited {
            slept_ns,
            late_ns: before.saturating_sub(deadline.0),
            wakes: u32::from(slept_ns > 0),
            ..Waited::default()
        }
    }
}
