//! Ticks on an absolute grid, which lateness does not shift.

use std::fmt;
use std::time::Duration;

use super::{Effort, Waited, Waiter};
use crate::clock::{Clock, Ticks};
use crate::machine::{Machine, Native};

/// One tick of a [`Ticker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Which point of the grid this is; the first is 1.
    pub number: u64,
    /// Points of the grid that had passed since the last call, and were left out.
    pub missed: u64,
    /// What the wait was like.
    pub waited: Waited,
}

/// A period of zero, or one that the clock cannot count.
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

/// Returns at every point of a grid: `start + n · period`, however late one of them was.
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
    /// A point of the grid, and how many come before it. It moves along with the ticks, so that a
    /// better calibration concerns what is to come and does not shift the whole grid.
    origin: (Ticks, u64),
    number: u64,
}

impl Ticker<'static> {
    /// A grid that begins now, of balanced waits.
    ///
    /// # Errors
    /// [`BadPeriod`] for zero and for more than 584 years.
    pub fn new(period: Duration) -> Result<Self, BadPeriod> {
        Self::with(Waiter::new(Effort::Balanced), period)
    }
}

impl<'c, M: Machine> Ticker<'c, M> {
    /// A grid that begins now, of waits by `waiter`.
    ///
    /// # Errors
    /// As [`Ticker::new`].
    pub fn with(waiter: Waiter<'c, M>, period: Duration) -> Result<Self, BadPeriod> {
        let nanos = u64::try_from(period.as_nanos())
            .ok()
            .filter(|nanos| *nanos > 0);
        let nanos = nanos.ok_or(BadPeriod(period))?;
        let origin = (waiter.clock().now(), 0);
        Ok(Self {
            waiter,
            period: nanos,
            origin,
            number: 0,
        })
    }

    /// Waits for the next point of the grid that is yet to come.
    pub fn tick(&mut self) -> Tick {
        let clock: &Clock<M> = self.waiter.clock();
        let (origin, before) = self.origin;
        let passed = clock.ns_between(origin, clock.now()) / self.period;
        // A point that is passed by less than a period is the one that is due: it is late.
        let due = before.saturating_add(passed);
        let number = self.number.saturating_add(1).max(due);
        let missed = number - self.number - 1;
        let steps = Duration::from_nanos((number - before).saturating_mul(self.period));
        let deadline = clock.after(origin, steps).unwrap_or(Ticks(u64::MAX));
        self.number = number;
        self.origin = (deadline, number);
        Tick {
            number,
            missed,
            waited: self.waiter.until(deadline),
        }
    }
}
