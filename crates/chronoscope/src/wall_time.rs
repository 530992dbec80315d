//! Wall time as a type, and its conversions to those of other libraries.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::wall::{Wall, WallInterval};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Wall time: nanoseconds since 1970-01-01 00:00 UTC, without leap seconds, up to the year 2554.
///
/// It converts to [`SystemTime`] and back, and with the features of the same names to
/// `jiff::Timestamp` and `chrono::DateTime<Utc>`. All of them have a resolution of a nanosecond
/// (`SystemTime` has 100 ns on Windows) and a larger range, so the way there cannot fail.
///
/// ```
/// use chronoscope::WallTime;
/// use std::time::SystemTime;
/// let now = WallTime::now();
/// let system = SystemTime::from(now);
/// println!("{now} s since 1970, or {system:?}");
/// if cfg!(unix) {
///     assert_eq!(WallTime::try_from(system), Ok(now));
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct WallTime(u64);

/// The error for a time before 1970 or after 2554, which [`WallTime`] cannot represent.
///
/// ```
/// use chronoscope::{OutOfRange, WallTime};
/// use std::time::{Duration, UNIX_EPOCH};
/// let before = UNIX_EPOCH - Duration::from_secs(1);
/// assert_eq!(WallTime::try_from(before), Err(OutOfRange));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the time is before 1970 or after 2554")
    }
}

impl std::error::Error for OutOfRange {}

impl WallTime {
    /// Returns the present time, as [`Wall::now`] does.
    ///
    /// ```
    /// use chronoscope::{Wall, WallTime};
    /// println!("{}", WallTime::now());
    /// assert!(Wall::now() > 0);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn now() -> Self {
        Self(Wall::now())
    }

    /// Returns the time `ns` nanoseconds after 1970 began.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// assert_eq!(WallTime::from_ns(1_500_000_000).to_string(), "1.500000000");
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns the nanoseconds since 1970 began.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// assert_eq!(WallTime::from_ns(7).ns(), 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// Returns the time since 1970 began.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// use std::time::Duration;
    /// assert_eq!(WallTime::from_ns(7).since_1970(), Duration::from_nanos(7));
    /// ```
    #[must_use]
    pub const fn since_1970(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// Returns the time from an earlier wall time to this one; `None` if it is later than this one,
    /// which happens even for the next read, because a wall clock can be set back.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// use std::time::Duration;
    /// let (earlier, later) = (WallTime::from_ns(1), WallTime::from_ns(3));
    /// assert_eq!(later.checked_duration_since(earlier), Some(Duration::from_nanos(2)));
    /// assert_eq!(earlier.checked_duration_since(later), None);
    /// ```
    #[must_use]
    pub const fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
        match self.0.checked_sub(earlier.0) {
            Some(ns) => Some(Duration::from_nanos(ns)),
            None => None,
        }
    }

    /// Returns this time plus a duration; `None` after 2554.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// use std::time::Duration;
    /// let next = WallTime::from_ns(1).checked_add(Duration::from_nanos(2));
    /// assert_eq!(next, Some(WallTime::from_ns(3)));
    /// assert_eq!(WallTime::from_ns(1).checked_add(Duration::MAX), None);
    /// ```
    #[must_use]
    pub fn checked_add(self, time: Duration) -> Option<Self> {
        let ns = u64::try_from(time.as_nanos()).ok()?;
        self.0.checked_add(ns).map(Self)
    }

    /// Returns this time minus a duration; `None` before 1970.
    ///
    /// ```
    /// use chronoscope::WallTime;
    /// use std::time::Duration;
    /// let time = WallTime::from_ns(3);
    /// assert_eq!(time.checked_sub(Duration::from_nanos(2)), Some(WallTime::from_ns(1)));
    /// assert_eq!(time.checked_sub(Duration::from_nanos(4)), None);
    /// ```
    #[must_use]
    pub fn checked_sub(self, time: Duration) -> Option<Self> {
        let ns = u64::try_from(time.as_nanos()).ok()?;
        self.0.checked_sub(ns).map(Self)
    }

    /// The time `secs` seconds and `nanos` nanoseconds after 1970 began; the nanoseconds may exceed
    /// a second, as chrono's do during a leap second.
    #[cfg(any(feature = "jiff", feature = "chrono"))]
    fn from_parts(secs: i64, nanos: u32) -> Result<Self, OutOfRange> {
        let secs = u64::try_from(secs).map_err(|_| OutOfRange)?;
        let ns = secs.checked_mul(NANOS_PER_SEC);
        let ns = ns.and_then(|ns| ns.checked_add(nanos.into()));
        ns.map(Self).ok_or(OutOfRange)
    }

    /// Whole seconds since 1970 began, and the nanoseconds of the next one. A u64 of nanoseconds
    /// has 1.8·10^10 seconds, so neither cast truncates.
    #[cfg(any(feature = "jiff", feature = "chrono"))]
    const fn parts(self) -> (i64, u32) {
        ((self.0 / NANOS_PER_SEC) as i64, (self.0 % NANOS_PER_SEC) as u32)
    }
}

/// Seconds since 1970 with nine decimals.
impl fmt::Display for WallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / NANOS_PER_SEC, self.0 % NANOS_PER_SEC)
    }
}

impl From<WallTime> for SystemTime {
    fn from(time: WallTime) -> Self {
        UNIX_EPOCH + time.since_1970()
    }
}

impl TryFrom<SystemTime> for WallTime {
    type Error = OutOfRange;

    fn try_from(time: SystemTime) -> Result<Self, OutOfRange> {
        let since = time.duration_since(UNIX_EPOCH).map_err(|_| OutOfRange)?;
        u64::try_from(since.as_nanos()).map(Self).map_err(|_| OutOfRange)
    }
}

/// Needs the feature `jiff`. It cannot fail: jiff's timestamps reach to the year 9999.
#[cfg(feature = "jiff")]
#[cfg_attr(docsrs, doc(cfg(feature = "jiff")))]
impl From<WallTime> for jiff::Timestamp {
    fn from(time: WallTime) -> Self {
        let (secs, nanos) = time.parts();
        Self::new(secs, nanos as i32).unwrap_or(Self::MAX)
    }
}

/// Needs the feature `jiff`.
#[cfg(feature = "jiff")]
#[cfg_attr(docsrs, doc(cfg(feature = "jiff")))]
impl TryFrom<jiff::Timestamp> for WallTime {
    type Error = OutOfRange;

    fn try_from(time: jiff::Timestamp) -> Result<Self, OutOfRange> {
        // Both parts are negative before 1970, and at least the nanoseconds just before.
        let nanos = u32::try_from(time.subsec_nanosecond()).map_err(|_| OutOfRange)?;
        Self::from_parts(time.as_second(), nanos)
    }
}

/// Needs the feature `chrono`. It cannot fail: chrono's times reach beyond the year 262000.
#[cfg(feature = "chrono")]
#[cfg_attr(docsrs, doc(cfg(feature = "chrono")))]
impl From<WallTime> for chrono::DateTime<chrono::Utc> {
    fn from(time: WallTime) -> Self {
        let (secs, nanos) = time.parts();
        Self::from_timestamp(secs, nanos).unwrap_or(Self::MAX_UTC)
    }
}

/// Needs the feature `chrono`. The nanoseconds of a leap second are counted into the next second.
#[cfg(feature = "chrono")]
#[cfg_attr(docsrs, doc(cfg(feature = "chrono")))]
impl TryFrom<chrono::DateTime<chrono::Utc>> for WallTime {
    type Error = OutOfRange;

    fn try_from(time: chrono::DateTime<chrono::Utc>) -> Result<Self, OutOfRange> {
        Self::from_parts(time.timestamp(), time.timestamp_subsec_nanos())
    }
}

impl WallInterval {
    /// Returns the two ends of the interval as typed times: not before the first, not after the
    /// second.
    ///
    /// ```
    /// let (earliest, latest) = chronoscope::Wall::now_bounded().times();
    /// println!("between {earliest} and {latest}");
    /// assert!(earliest <= latest);
    /// ```
    #[must_use]
    pub const fn times(&self) -> (WallTime, WallTime) {
        (WallTime(self.earliest), WallTime(self.latest))
    }
}
