//! A replacement for [`std::time::Instant`] that keeps what the standard library promises between
//! threads.
//!
//! ```
//! use chronoscope::ordered::Instant; // instead of std::time::Instant
//! let start = Instant::now();
//! let later = std::thread::spawn(Instant::now).join().unwrap();
//! assert!(later >= start);
//! ```

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

/// A moment whose reads are ordered, so that a moment that another thread has handed over is never
/// later than the present one, as far as [`Clock::now_ordered`](crate::Clock::now_ordered) says.
///
/// It has the methods of [`std::time::Instant`]. A read costs a fence more than that of
/// [`chronoscope::Instant`](crate::Instant), to which it converts. Unlike the standard library's
/// under Linux, it cannot hold a moment before the counter's zero, which often is the start of the
/// machine: `now - time` panics there, and [`checked_sub`](Self::checked_sub) returns `None`.
///
/// ```
/// use chronoscope::ordered::Instant;
/// let start = Instant::now();
/// println!("{:?}", start.elapsed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Instant(crate::Instant);

impl Instant {
    /// Returns the present moment; see [`crate::Instant::now_ordered`].
    ///
    /// ```
    /// let start = chronoscope::ordered::Instant::now();
    /// assert!(chronoscope::ordered::Instant::now() >= start);
    /// ```
    #[inline(always)]
    pub fn now() -> Self {
        Self(crate::Instant::now_ordered())
    }

    /// Returns the time since this moment; zero if it is in the future.
    ///
    /// ```
    /// println!("{:?}", chronoscope::ordered::Instant::now().elapsed());
    /// ```
    #[inline(always)]
    pub fn elapsed(&self) -> Duration {
        let now = Self::now();
        if now < *self {
            // The future, or a counter that went back: the other type finds out.
            return self.0.elapsed();
        }
        now.duration_since(*self)
    }

    /// Returns the time from an earlier moment to this one; zero if it is not earlier.
    ///
    /// ```
    /// use chronoscope::ordered::Instant;
    /// let start = Instant::now();
    /// assert_eq!(start.duration_since(start).as_nanos(), 0);
    /// ```
    #[inline(always)]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.0.duration_since(earlier.0)
    }

    /// Returns the time from an earlier moment to this one; `None` if it is later than this one.
    ///
    /// ```
    /// use chronoscope::ordered::Instant;
    /// let start = Instant::now();
    /// assert!(start.checked_duration_since(start).is_some());
    /// ```
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// The same as [`Instant::duration_since`], under a name that says so.
    ///
    /// ```
    /// use chronoscope::ordered::Instant;
    /// let start = Instant::now();
    /// assert!(start.saturating_duration_since(Instant::now()).is_zero());
    /// ```
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }

    /// Returns this moment plus a duration; `None` if the result cannot be represented.
    ///
    /// ```
    /// use chronoscope::ordered::Instant;
    /// use std::time::Duration;
    /// assert_eq!(Instant::now().checked_add(Duration::MAX), None);
    /// ```
    pub fn checked_add(&self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }

    /// Returns this moment minus a duration; `None` before the counter's zero.
    ///
    /// ```
    /// use chronoscope::ordered::Instant;
    /// use std::time::Duration;
    /// assert_eq!(Instant::now().checked_sub(Duration::MAX), None);
    /// ```
    pub fn checked_sub(&self, time: Duration) -> Option<Self> {
        self.0.checked_sub(time).map(Self)
    }
}

impl From<crate::Instant> for Instant {
    fn from(moment: crate::Instant) -> Self {
        Self(moment)
    }
}

impl From<Instant> for crate::Instant {
    fn from(moment: Instant) -> Self {
        moment.0
    }
}

crate::instant::arithmetic!(Instant);
