//! A moment, in eight bytes; and the same moment on the standard library's clock and on this
//! library's, with a stated error.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

use crate::clock::{Bounded, Clock, Ticks, duration};
use crate::convert::Scale;

/// A moment of [`Clock::global`], stored as the ticks that were read. The length of a tick matters
/// only for a difference, so it costs nothing when a moment is taken.
///
/// The methods are those of [`std::time::Instant`], and some more. Read it by [`Instant::now`] for
/// times within one thread, by [`Instant::now_ordered`] for moments that threads compare, and by
/// [`Instant::start`] and [`Instant::stop`] around few instructions.
///
/// ```
/// use chronoscope::Instant;
/// let start = Instant::now();
/// let sum: u64 = (0..1000).sum();
/// println!("{sum} took {} ns, or {:?}", start.elapsed_ns(), start.elapsed());
/// assert_eq!(size_of::<Instant>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Instant(u64);

impl Instant {
    /// Returns the present moment, not ordered with the surrounding instructions: for times within
    /// one thread. Threads that compare moments need [`Instant::now_ordered`]; see [`Clock::now`].
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let start = Instant::now();
    /// println!("{:?}", start.elapsed());
    /// ```
    #[inline(always)]
    pub fn now() -> Self {
        Self(Clock::global().now().0)
    }

    /// Returns the present moment, after all earlier instructions of this thread. Use it to compare
    /// moments of several threads.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let sent = Instant::now_ordered();
    /// let received = std::thread::spawn(Instant::now_ordered).join().unwrap();
    /// assert!(received >= sent);
    /// ```
    #[inline(always)]
    pub fn now_ordered() -> Self {
        Self(Clock::global().now_ordered().0)
    }

    /// Returns the start of a timed region: no instruction of the region begins before it.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let start = Instant::start();
    /// let sum: u64 = std::hint::black_box((0..100).sum());
    /// println!("{sum} took {} ns", Instant::stop().ns_since(start));
    /// ```
    #[inline(always)]
    pub fn start() -> Self {
        Self(Clock::global().start().0)
    }

    /// Returns the end of a timed region: all instructions of the region have completed before it.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let start = Instant::start();
    /// let stop = Instant::stop();
    /// println!("{} ns", stop.ns_since(start));
    /// ```
    #[inline(always)]
    pub fn stop() -> Self {
        Self(Clock::global().stop().0)
    }

    /// Returns the nanoseconds since this moment, or zero if it is in the future.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let start = Instant::now();
    /// println!("{} ns", start.elapsed_ns());
    /// assert_eq!(Instant::from_ticks(u64::MAX).elapsed_ns(), 0);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn elapsed_ns(&self) -> u64 {
        Clock::global().ns_since(Ticks(self.0))
    }

    /// Returns the time since this moment, or zero if it is in the future.
    ///
    /// Before a long time is converted, the clock is checked; see [`Clock::ns_between`]. If this
    /// moment is in the future, the system's clock decides whether the counter went back.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// chronoscope::wait::sleep(Duration::from_micros(100));
    /// assert!(start.elapsed() >= Duration::from_micros(99));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn elapsed(&self) -> Duration {
        duration(self.elapsed_ns())
    }

    /// Returns the nanoseconds since this moment, with a bound on the error, after a check of the
    /// counter against the system's clock. Takes about a third of a microsecond; see
    /// [`Clock::bounded_since`].
    ///
    /// ```
    /// let elapsed = chronoscope::Instant::start().elapsed_bounded();
    /// println!("{} ns, plus or minus {} of {}", elapsed.ns, elapsed.bound_ns, elapsed.clock);
    /// ```
    #[must_use]
    pub fn elapsed_bounded(&self) -> Bounded {
        Clock::global().bounded_since(Ticks(self.0))
    }

    /// As [`Instant::elapsed_bounded`], but without a check if the last one is at most `age` old:
    /// it then costs an ordered read and some ten nanoseconds; see
    /// [`Clock::bounded_since_within`].
    ///
    /// ```
    /// use std::time::Duration;
    /// let start = chronoscope::Instant::start();
    /// let elapsed = start.elapsed_bounded_within(Duration::from_millis(10));
    /// println!("{} ns, checked {} ns ago", elapsed.ns, elapsed.unchecked_ns);
    /// ```
    #[must_use]
    #[inline]
    pub fn elapsed_bounded_within(&self, age: Duration) -> Bounded {
        Clock::global().bounded_since_within(Ticks(self.0), age)
    }

    /// Returns the nanoseconds from an earlier moment to this one; zero if it is not earlier.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let (start, stop) = (Instant::start(), Instant::stop());
    /// println!("{} ns", stop.ns_since(start));
    /// assert_eq!(start.ns_since(start), 0);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn ns_since(self, earlier: Self) -> u64 {
        Clock::global().ns_between(Ticks(earlier.0), Ticks(self.0))
    }

    /// Returns the time from an earlier moment to this one; zero if it is not earlier.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// let later = start + Duration::from_secs(2);
    /// // The rate may have been corrected meanwhile.
    /// assert!(later.duration_since(start) > Duration::from_millis(1999));
    /// assert_eq!(start.duration_since(later), Duration::ZERO);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        duration(self.ns_since(earlier))
    }

    /// Returns the time from an earlier moment to this one; `None` if it is later than this one.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// let later = start + Duration::from_secs(2);
    /// assert!(later.checked_duration_since(start).is_some());
    /// assert!(start.checked_duration_since(later).is_none());
    /// ```
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        (*self >= earlier).then(|| self.duration_since(earlier))
    }

    /// The same as [`Instant::duration_since`], under a name that says so.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// let later = start + Duration::from_secs(2);
    /// assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }

    /// Returns this moment plus a duration; `None` if the result cannot be represented.
    ///
    /// Rounded up to the next tick, so the time has always passed at the moment returned.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// assert!(start.checked_add(Duration::from_secs(1)) > Some(start));
    /// assert_eq!(start.checked_add(Duration::MAX), None);
    /// ```
    #[must_use]
    pub fn checked_add(&self, time: Duration) -> Option<Self> {
        Clock::global().after(Ticks(self.0), time).map(|ticks| Self(ticks.0))
    }

    /// Returns this moment minus a duration; `None` before the counter's zero.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let start = Instant::now();
    /// assert!(start.checked_sub(Duration::from_nanos(50)).unwrap() < start);
    /// assert_eq!(start.checked_sub(Duration::MAX), None);
    /// ```
    #[must_use]
    pub fn checked_sub(&self, time: Duration) -> Option<Self> {
        Clock::global().before(Ticks(self.0), time).map(|ticks| Self(ticks.0))
    }

    /// Returns this moment plus a duration, or the last possible moment.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let never = Instant::now().saturating_add(Duration::MAX);
    /// assert_eq!(never.ticks(), u64::MAX);
    /// ```
    #[must_use]
    pub fn saturating_add(&self, time: Duration) -> Self {
        self.checked_add(time).unwrap_or(Self(u64::MAX))
    }

    /// Returns this moment minus a duration, or the first possible moment.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// use std::time::Duration;
    /// let first = Instant::now().saturating_sub(Duration::MAX);
    /// assert_eq!(first.ticks(), 0);
    /// ```
    #[must_use]
    pub fn saturating_sub(&self, time: Duration) -> Self {
        self.checked_sub(time).unwrap_or(Self(0))
    }

    /// Returns the ticks that were read.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let (start, stop) = (Instant::start(), Instant::stop());
    /// println!("{} ticks", stop.ticks() - start.ticks());
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// Returns the moment at which the counter was at `ticks`.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let start = Instant::now();
    /// let kept: u64 = start.ticks();
    /// assert_eq!(Instant::from_ticks(kept), start);
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn from_ticks(ticks: u64) -> Self {
        Self(ticks)
    }

    /// Converts to a moment of the standard library, and returns how far it can be off.
    ///
    /// The error has three parts: the time to read both clocks together; two ticks, because a
    /// moment may be anywhere within its tick; and the difference that the rates of both clocks can
    /// make over the time between this moment and now, which is the bound of the calibration and
    /// the 500 parts per million by which a kernel may slew its clock (`adjtimex(2)`). `None` if
    /// the standard library has no such moment.
    ///
    /// ```
    /// let (moment, error) = chronoscope::Instant::now().to_std().unwrap();
    /// println!("{moment:?} ± {error:?}");
    /// ```
    #[must_use]
    pub fn to_std(self) -> Option<(std::time::Instant, Duration)> {
        let meeting = meet();
        meeting.to_std(self.0, rate())
    }

    /// Converts from a moment of the standard library, and returns how far it can be off, as
    /// [`Instant::to_std`] does. `None` if this clock has no such moment.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let (moment, error) = Instant::from_std(std::time::Instant::now()).unwrap();
    /// assert!(moment <= Instant::now() + error);
    /// ```
    #[must_use]
    pub fn from_std(moment: std::time::Instant) -> Option<(Self, Duration)> {
        let meeting = meet();
        let (ticks, error) = meeting.to_ticks(moment, rate())?;
        Some((Self(ticks), error))
    }
}

/// The length of a tick, and its relative error.
fn rate() -> (Scale, f64) {
    let known = Clock::global().known();
    (known.scale, known.bound())
}

/// Reads both clocks at one moment, after which a rate is known.
fn meet() -> Meeting {
    // The first read chooses the source, and so its resolution.
    Instant::start();
    Meeting::take(|| Instant::start().0, Clock::global().step())
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instant({} ticks)", self.0)
    }
}

/// Moments plus and minus durations, and their differences, as the standard library has them.
macro_rules! arithmetic {
    ($moment:ty) => {
        impl Add<Duration> for $moment {
            type Output = Self;

            /// # Panics
            /// If the result cannot be represented, as the standard library does.
            fn add(self, time: Duration) -> Self {
                self.checked_add(time).expect("overflow when adding a duration to an instant")
            }
        }

        impl AddAssign<Duration> for $moment {
            fn add_assign(&mut self, time: Duration) {
                *self = *self + time;
            }
        }

        impl Sub<Duration> for $moment {
            type Output = Self;

            /// # Panics
            /// If the result cannot be represented, as the standard library does.
            fn sub(self, time: Duration) -> Self {
                self.checked_sub(time)
                    .expect("overflow when subtracting a duration from an instant")
            }
        }

        impl SubAssign<Duration> for $moment {
            fn sub_assign(&mut self, time: Duration) {
                *self = *self - time;
            }
        }

        impl Sub for $moment {
            type Output = Duration;

            fn sub(self, earlier: Self) -> Duration {
                self.duration_since(earlier)
            }
        }
    };
}
pub(crate) use arithmetic;

arithmetic!(Instant);

/// How fast a kernel may slew the clock that the standard library reads (`adjtimex(2)`).
const SLEW: f64 = 500e-6;

/// Both clocks, read together.
#[derive(Clone, Copy)]
pub struct Meeting {
    /// This library's clock just before and just after.
    pub before: u64,
    pub after: u64,
    /// The standard library's clock.
    pub there: std::time::Instant,
    /// The step in which this library's clock advances, in ticks.
    pub step: u64,
}

/// The length of a tick, and its relative error.
type Known = (Scale, f64);

impl Meeting {
    /// Takes the tightest of a few tries.
    pub fn take(ours: impl Fn() -> u64, step: u64) -> Self {
        let once = || {
            let before = ours();
            let there = std::time::Instant::now();
            let after = ours();
            Self { before, after, there, step }
        };
        let first = once();
        (0..7).map(|_| once()).fold(
            first,
            |best, next| {
                if next.width() < best.width() { next } else { best }
            },
        )
    }

    fn width(&self) -> u64 {
        self.after.saturating_sub(self.before)
    }

    /// Converts a moment of this library's clock to the standard library's.
    pub fn to_std(self, ticks: u64, known: Known) -> Option<(std::time::Instant, Duration)> {
        let distance = Duration::from_nanos(known.0.ns(ticks.abs_diff(self.before)));
        let moment = if ticks >= self.before {
            self.there.checked_add(distance)
        } else {
            self.there.checked_sub(distance)
        };
        Some((moment?, self.error(distance, known)))
    }

    /// Converts a moment of the standard library's clock to this library's.
    pub fn to_ticks(self, moment: std::time::Instant, known: Known) -> Option<(u64, Duration)> {
        let ticks = |distance: Duration| {
            let ns = u64::try_from(distance.as_nanos()).ok()?;
            known.0.ticks(ns)
        };
        let (moment, distance) = match moment.checked_duration_since(self.there) {
            Some(ahead) => (self.before.checked_add(ticks(ahead)?), ahead),
            None => {
                let ago = self.there.duration_since(moment);
                (self.before.checked_sub(ticks(ago)?), ago)
            }
        };
        Some((moment?, self.error(distance, known)))
    }

    /// The error: the time between the reads, the difference that the rates can make over the
    /// distance, a step for each of two moments, which lie within a step rather than at its
    /// beginning, and the nanoseconds that both conversions truncate.
    fn error(&self, distance: Duration, (scale, bound): Known) -> Duration {
        let ticks = scale.ns(self.width().saturating_add(2 * self.step));
        let rates = distance.mul_f64((SLEW + bound).min(1.0));
        Duration::from_nanos(ticks.saturating_add(2)).saturating_add(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whichever part of a tick each read falls into.
        #[test]
        fn the_error_is_as_stated(
            hz in prop::sample::select(vec![1_000_000u64, 19_200_000, 54_000_000, 2_600_000_000]),
            begin in 1e9..1e12f64,
            step in prop::sample::select(vec![1.0, 63.0f64]),
            to_there in 0.0..3000.0f64,
            to_after in 0.0..3000.0f64,
            distance in -1e5..1e5f64,
        ) {
            let scale = Scale::from_hz(hz).unwrap();
            let known = (scale, 0.0);
            let tick = scale.ns_per_tick();
            let epoch = std::time::Instant::now();
            let ours = |ns: f64| ((ns / tick / step) as u64) * step as u64;
            let theirs = |ns: f64| epoch + Duration::from_nanos(ns as u64);
            let meeting = Meeting {
                before: ours(begin),
                there: theirs(begin + to_there),
                after: ours(begin + to_there + to_after),
                step: step as u64,
            };
            let moment = begin + distance;

            let (found, error) = meeting.to_std(ours(moment), known).unwrap();
            let right = theirs(moment);
            prop_assert!(found.max(right) - found.min(right) <= error, "to std: {error:?}");

            let (found, error) = meeting.to_ticks(right, known).unwrap();
            let off = scale.ns(found.abs_diff(ours(moment)));
            prop_assert!(u128::from(off) <= error.as_nanos(), "{off} from std: {error:?}");
        }
    }
}
