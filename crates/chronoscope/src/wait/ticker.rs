//! Ticks on an absolute grid, which lateness does not shift.

use std::fmt;
use std::time::Duration;

use super::{Effort, Waited, Waiter};
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::{Machine, Native};

/// One tick of a [`Ticker`].
///
/// ```
/// use chronoscope::wait::Ticker;
/// let tick = Ticker::new(std::time::Duration::from_micros(200))?.tick();
/// assert_eq!(tick.number, 1 + tick.missed);
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// The number of this point of the grid; the first is 1.
    pub number: u64,
    /// Points of the grid that had passed since the last call and were skipped.
    pub missed: u64,
    /// What happened during the wait.
    pub waited: Waited,
}

/// The error for a period of zero, or one that the clock cannot represent.
///
/// ```
/// use chronoscope::wait::{BadPeriod, Ticker};
/// use std::time::Duration;
/// assert_eq!(Ticker::new(Duration::ZERO).unwrap_err(), BadPeriod(Duration::ZERO));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPeriod(
    /// The period that was asked for.
    pub Duration,
);

impl fmt::Display for BadPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a ticker cannot have a period of {:?}", self.0)
    }
}

impl std::error::Error for BadPeriod {}

/// Returns at every point of a grid, `start + n · period`, however late one of them was.
///
/// ```
/// use chronoscope::wait::Ticker;
/// use std::time::Duration;
/// let mut ticker = Ticker::new(Duration::from_millis(1))?;
/// for _ in 0..3 {
///     let tick = ticker.tick();
///     println!("{} ns late, {} missed", tick.waited.late_ns, tick.missed);
/// }
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Debug)]
pub struct Ticker<'c, M: Machine = Native> {
    waiter: Waiter<'c, M>,
    period: u64,
    /// The last point that was waited for, or the beginning. It moves along with the ticks, so that
    /// a better calibration affects only what follows and does not shift the whole grid.
    last: Point,
    number: u64,
}

/// A point of the grid, to a fraction of a tick. If it were rounded to whole ticks, as deadlines
/// are, it would move by up to a tick with every period.
#[derive(Clone, Copy, Debug)]
struct Point {
    ticks: u64,
    /// In parts of 2^64.
    part: u64,
}

impl Point {
    /// The point `ns` nanoseconds later, or the last possible one.
    fn after(self, ns: u64, scale: Scale) -> Self {
        let later = scale.ticks_and_part(ns).and_then(|(ticks, part)| {
            let (part, carry) = self.part.overflowing_add(part);
            let ticks = self.ticks.checked_add(ticks)?.checked_add(carry.into())?;
            Some(Self { ticks, part })
        });
        later.unwrap_or(Self {
            ticks: u64::MAX,
            part: 0,
        })
    }

    /// The first tick that is not before it.
    fn tick(self) -> Ticks {
        Ticks(self.ticks.saturating_add((self.part > 0).into()))
    }
}

/// The shortest time between two checks of the reference, used at first while the rate is only
/// roughly known, and the longest.
const LOOKS_EVERY: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(1));

impl Ticker<'static> {
    /// Makes a grid that begins now, of balanced waits.
    ///
    /// # Errors
    /// [`BadPeriod`] for zero and for more than 584 years.
    ///
    /// ```
    /// use chronoscope::wait::Ticker;
    /// use std::time::Duration;
    /// let mut ticker = Ticker::new(Duration::from_micros(500))?;
    /// println!("{:?}", ticker.tick());
    /// assert!(Ticker::new(Duration::MAX).is_err());
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn new(period: Duration) -> Result<Self, BadPeriod> {
        Self::with(Waiter::new(Effort::Balanced), period)
    }
}

impl<'c, M: Machine> Ticker<'c, M> {
    /// Makes a grid that begins now, with waits by `waiter`.
    ///
    /// # Errors
    /// The same as for [`Ticker::new`].
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Ticker, Waiter};
    /// use std::time::Duration;
    /// let frugal = Waiter::new(Effort::Economy);
    /// let mut ticker = Ticker::with(frugal, Duration::from_micros(500))?;
    /// println!("{:?}", ticker.tick());
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn with(waiter: Waiter<'c, M>, period: Duration) -> Result<Self, BadPeriod> {
        let nanos = u64::try_from(period.as_nanos())
            .ok()
            .filter(|nanos| *nanos > 0);
        let nanos = nanos.ok_or(BadPeriod(period))?;
        let last = Point {
            ticks: waiter.clock().now().0,
            part: 0,
        };
        Ok(Self {
            waiter,
            period: nanos,
            last,
            number: 0,
        })
    }

    /// Waits for the next point of the grid that has not passed.
    ///
    /// ```
    /// use chronoscope::wait::Ticker;
    /// use std::time::Duration;
    /// let mut ticker = Ticker::new(Duration::from_micros(300))?;
    /// let (first, second) = (ticker.tick(), ticker.tick());
    /// assert_eq!(second.number, first.number + 1 + second.missed);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn tick(&mut self) -> Tick {
        let clock: &Clock<M> = self.waiter.clock();
        let (soonest, latest) = LOOKS_EVERY;
        clock.sync_if_older(clock.observed().clamp(soonest, latest));
        let passed = clock.ns_between(self.last.tick(), clock.now()) / self.period;
        // A point that has passed by less than a period is the one that is due; it is late.
        let steps = passed.max(1).min(u64::MAX - self.number);
        self.number += steps;
        let ahead = steps.saturating_mul(self.period);
        self.last = self.last.after(ahead, clock.scale());
        Tick {
            number: self.number,
            missed: steps.saturating_sub(1),
            waited: self.waiter.until(self.last.tick()),
        }
    }
}
