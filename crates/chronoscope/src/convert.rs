//! From ticks to nanoseconds and back, in integers.
//!
//! One tick lasts `multiplier / 2^54` nanoseconds. The exponent is the largest with which every
//! rate from 1 MHz (1000 ns per tick, `1000 · 2^54 < 2^64`) to 10 GHz fits into 64 bits, so it need
//! not be stored: a conversion is one load, one widening multiplication and one shift. At 10 GHz
//! the multiplier still has 50 significant bits, an error of 6·10⁻¹⁶, or 20 ns in a year.

use core::fmt;

/// Binary digits after the point of [`Scale::multiplier`].
///
/// ```
/// use chronoscope::convert::{SHIFT, Scale};
/// let scale = Scale::from_hz(2_000_000_000).unwrap();
/// assert_eq!(scale.multiplier(), (1 << SHIFT) / 2);
/// ```
pub const SHIFT: u32 = 54;

/// The slowest counter that is used, in ticks per second: one per microsecond.
///
/// ```
/// use chronoscope::convert::{MIN_HZ, Scale};
/// assert!(Scale::from_hz(MIN_HZ).is_some());
/// assert!(Scale::from_hz(MIN_HZ / 2).is_none());
/// ```
pub const MIN_HZ: u64 = 1_000_000;

/// The fastest counter that is used, in ticks per second.
///
/// ```
/// use chronoscope::convert::{MAX_HZ, Scale};
/// assert!(Scale::from_hz(MAX_HZ).is_some());
/// assert!(Scale::from_hz(MAX_HZ * 2).is_none());
/// ```
pub const MAX_HZ: u64 = 10_000_000_000;

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// The length of a tick: converts to nanoseconds with one multiplication, without floating point
/// and without a panic for any input.
///
/// ```
/// use chronoscope::convert::Scale;
/// let scale = Scale::from_hz(2_600_000_000).unwrap();
/// assert_eq!(scale.ns(2_600_000_000), 1_000_000_000);
/// assert_eq!(scale.ticks(1_000_000_000), Some(2_600_000_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scale(u64);

impl Scale {
    /// The scale in which a tick is a nanosecond.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// assert_eq!(Scale::NANOSECOND.ns(5), 5);
    /// ```
    pub const NANOSECOND: Self = Self(1 << SHIFT);

    /// Returns the scale of a counter that ticks `hz` times per second.
    ///
    /// `None` outside [`MIN_HZ`]`..=`[`MAX_HZ`], because such a "rate" is a failed calibration.
    /// Here and below, 1 % beyond the range is accepted, because measured rates are not exact.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// let scale = Scale::from_hz(2_600_000_000).unwrap();
    /// assert_eq!(scale.ns(2_600_000_000), 1_000_000_000);
    /// assert!(Scale::from_hz(999).is_none());
    /// ```
    #[must_use]
    pub const fn from_hz(hz: u64) -> Option<Self> {
        Self::from_ratio(NANOS_PER_SEC, hz)
    }

    /// Returns the scale in which `ticks` ticks last `ns` nanoseconds, rounded to the nearest.
    ///
    /// `None` if the ratio is not a rate within [`MIN_HZ`]`..=`[`MAX_HZ`], or if `ticks` is zero.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// // Arm's 62.5 MHz: a tick of 16 ns.
    /// assert_eq!(Scale::from_ratio(16, 1).unwrap().ns(1000), 16_000);
    /// ```
    #[must_use]
    pub const fn from_ratio(ns: u64, ticks: u64) -> Option<Self> {
        if ticks == 0 {
            return None;
        }
        let ticks = ticks as u128;
        Self::from_wide((((ns as u128) << SHIFT) + ticks / 2) / ticks)
    }

    /// Returns the scale in which a tick lasts `ns` nanoseconds.
    ///
    /// `None` outside the rates of [`Scale::from_hz`], and for NaN.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// assert_eq!(Scale::from_ns_per_tick(0.5).unwrap().ns(1000), 500);
    /// assert!(Scale::from_ns_per_tick(f64::NAN).is_none());
    /// ```
    #[must_use]
    pub fn from_ns_per_tick(ns: f64) -> Option<Self> {
        // A cast from f64 saturates and maps NaN to zero, which the range check rejects.
        Self::from_wide((ns * (1u64 << SHIFT) as f64 + 0.5) as u128)
    }

    /// Returns the scale with this [`multiplier`](Scale::multiplier), which may come from an atomic
    /// or from another language. `None` outside the rates of [`Scale::from_hz`].
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// let scale = Scale::from_hz(3_000_000_000).unwrap();
    /// assert_eq!(Scale::from_multiplier(scale.multiplier()), Some(scale));
    /// ```
    #[must_use]
    pub const fn from_multiplier(multiplier: u64) -> Option<Self> {
        Self::from_wide(multiplier as u128)
    }

    const fn from_wide(multiplier: u128) -> Option<Self> {
        const NANOSECOND: u128 = 1 << SHIFT;
        const MOST: u128 = NANOSECOND * (NANOS_PER_SEC / MIN_HZ) as u128 / 100 * 101;
        const LEAST: u128 = NANOSECOND / (MAX_HZ / NANOS_PER_SEC) as u128 / 100 * 99;
        if multiplier < LEAST || multiplier > MOST {
            return None;
        }
        Some(Self(multiplier as u64))
    }

    /// For the clock's own atomics, which only hold multipliers of a scale.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) const fn from_atomic(multiplier: u64) -> Self {
        Self(multiplier)
    }

    /// Returns nanoseconds per tick, times 2^54.
    ///
    /// ```
    /// use chronoscope::convert::{SHIFT, Scale};
    /// assert_eq!(Scale::NANOSECOND.multiplier(), 1 << SHIFT);
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn multiplier(self) -> u64 {
        self.0
    }

    /// Returns nanoseconds per tick.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// assert_eq!(Scale::from_hz(10_000_000).unwrap().ns_per_tick(), 100.0);
    /// ```
    #[must_use]
    pub fn ns_per_tick(self) -> f64 {
        self.0 as f64 / (1u64 << SHIFT) as f64
    }

    /// Returns ticks per second.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// assert_eq!(Scale::NANOSECOND.hz(), 1e9);
    /// ```
    #[must_use]
    pub fn hz(self) -> f64 {
        NANOS_PER_SEC as f64 / self.ns_per_tick()
    }

    /// Returns the whole nanoseconds in `ticks` ticks; [`u64::MAX`] if they do not fit (584 years).
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// let scale = Scale::from_hz(1_000_000).unwrap();
    /// assert_eq!(scale.ns(3), 3000);
    /// assert_eq!(scale.ns(u64::MAX), u64::MAX);
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn ns(self, ticks: u64) -> u64 {
        let wide = self.ns_wide(ticks);
        // Compare the high half rather than the whole: one test, and a move instead of a branch.
        if (wide >> 64) as u64 == 0 { wide as u64 } else { u64::MAX }
    }

    /// As [`Scale::ns`] for fewer than 2^54 ticks, whose nanoseconds always fit.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) const fn ns_short(self, ticks: u64) -> u64 {
        self.ns_wide(ticks) as u64
    }

    /// Returns the whole nanoseconds in `ticks` ticks, for any number of ticks.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// let scale = Scale::from_hz(1_000_000).unwrap();
    /// assert_eq!(scale.ns_wide(u64::MAX), u64::MAX as u128 * 1000);
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn ns_wide(self, ticks: u64) -> u128 {
        (ticks as u128 * self.0 as u128) >> SHIFT
    }

    /// Returns the ticks in `ns` nanoseconds, and the rest of a tick in parts of 2^64; `None` if
    /// they do not fit.
    #[cfg(feature = "std")]
    pub(crate) const fn ticks_and_part(self, ns: u64) -> Option<(u64, u64)> {
        let (wide, tick) = ((ns as u128) << SHIFT, self.0 as u128);
        let (whole, rest) = (wide / tick, wide % tick);
        // Less than a tick is left, so the quotient has at most 64 digits.
        let part = ((rest << 64) / tick) as u64;
        if whole >> 64 == 0 { Some((whole as u64, part)) } else { None }
    }

    /// Returns the fewest ticks that last at least `ns` nanoseconds; `None` if they do not fit.
    ///
    /// Rounded up, so that a deadline computed from it is never early. If a tick is shorter than a
    /// nanosecond, `scale.ns(scale.ticks(ns)) == ns`.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// let scale = Scale::from_hz(1_000_000).unwrap();
    /// assert_eq!(scale.ticks(1), Some(1)); // 1 us is the shortest that lasts a nanosecond
    /// assert_eq!(scale.ticks(2001), Some(3));
    /// ```
    #[must_use]
    pub const fn ticks(self, ns: u64) -> Option<u64> {
        let ticks = ((ns as u128) << SHIFT).div_ceil(self.0 as u128);
        if ticks >> 64 == 0 { Some(ticks as u64) } else { None }
    }
}

impl fmt::Debug for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scale({} ns a tick)", self.ns_per_tick())
    }
}
