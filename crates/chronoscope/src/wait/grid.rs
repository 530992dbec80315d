//! The points of a grid in time, and which one is due.
//!
//! What a grid does about points that have passed.
//!
//! Ticks on an absolute grid, which lateness does not shift.

use super::{Effort, Waited, Waiter};
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::{Machine, Native};
use std::fmt;
use std::time::Duration;

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

/// The arithmetic of a [`Ticker`](super::Ticker) without its waits, for those who wait in another
/// way, such as an event loop.
///
/// ```
/// use chronoscope::Clock;
/// use chronoscope::wait::{Grid, Waiter};
/// use std::time::Duration;
/// let clock = Clock::global();
/// let mut grid = Grid::new(Duration::from_micros(300), clock.now())?;
/// let due = grid.next_due(clock);
/// Waiter::new(Default::default()).until(due.ticks);
/// grid.reached(clock.now(), clock);
/// assert!(grid.next_due(clock).number > due.number);
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grid {
    period: u64,
    /// The last point that was due, or the beginning. It moves along with the ticks, so that a
    /// better calibration affects only what follows and does not shift the whole grid.
    last: Point,
    number: u64,
    missed: Missed,
}

/// The point that is due next.
///
/// ```
/// use chronoscope::Clock;
/// use chronoscope::wait::Grid;
/// let clock = Clock::global();
/// let due = Grid::new(std::time::Duration::from_millis(1), clock.now())?.next_due(clock);
/// println!("{} ns from now", clock.ns_between(clock.now(), due.ticks));
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Due {
    /// Its number; the first is 1.
    pub number: u64,
    /// Points that have passed and were left out.
    pub missed: u64,
    /// When it is, or was.
    pub ticks: Ticks,
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
    const fn at(ticks: Ticks) -> Self {
        Self { ticks: ticks.0, part: 0 }
    }

    /// The point `ns` nanoseconds later, or the last possible one.
    fn after(self, ns: u64, scale: Scale) -> Self {
        let later = scale.ticks_and_part(ns).and_then(|(ticks, part)| {
            let (part, carry) = self.part.overflowing_add(part);
            let ticks = self.ticks.checked_add(ticks)?.checked_add(carry.into())?;
            Some(Self { ticks, part })
        });
        later.unwrap_or(Self { ticks: u64::MAX, part: 0 })
    }

    /// The first tick that is not before it.
    fn tick(self) -> Ticks {
        Ticks(self.ticks.saturating_add((self.part > 0).into()))
    }
}

impl Grid {
    /// Makes a grid whose first point is one period after `start`.
    ///
    /// # Errors
    /// [`BadPeriod`] for zero and for more than 584 years.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::Grid;
    /// use std::time::Duration;
    /// let now = Clock::global().now();
    /// assert!(Grid::new(Duration::from_millis(1), now).is_ok());
    /// assert!(Grid::new(Duration::ZERO, now).is_err());
    /// ```
    pub fn new(period: Duration, start: Ticks) -> Result<Self, BadPeriod> {
        let nanos = u64::try_from(period.as_nanos()).ok();
        let nanos = nanos.filter(|nanos| *nanos > 0);
        Ok(Self {
            period: nanos.ok_or(BadPeriod(period))?,
            last: Point::at(start),
            number: 0,
            missed: Missed::default(),
        })
    }

    /// Sets what happens with points that have passed when [`Grid::next_due`] is called.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::{Grid, Missed};
    /// let mut grid = Grid::new(std::time::Duration::from_millis(1), Clock::global().now())?;
    /// grid.set_missed(Missed::Burst);
    /// assert_eq!(grid.missed(), Missed::Burst);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn set_missed(&mut self, missed: Missed) {
        self.missed = missed;
    }

    /// Returns what happens with points that have passed.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::{Grid, Missed};
    /// let grid = Grid::new(std::time::Duration::from_millis(1), Clock::global().now())?;
    /// assert_eq!(grid.missed(), Missed::Skip);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    #[must_use]
    pub fn missed(&self) -> Missed {
        self.missed
    }

    /// Goes on to the next point and returns it. It may have passed, and is then to be handled at
    /// once. Updates the calibration of the clock if that is old.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::Grid;
    /// let clock = Clock::global();
    /// let mut grid = Grid::new(std::time::Duration::from_millis(1), clock.now())?;
    /// let (first, second) = (grid.next_due(clock), grid.next_due(clock));
    /// assert!(second.ticks > first.ticks);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn next_due<M: Machine>(&mut self, clock: &Clock<M>) -> Due {
        clock.check_if_due();
        let now = clock.now();
        let passed = clock.ns_between(self.last.tick(), now) / self.period;
        // A point that has passed by less than a period is the one that is due; it is late.
        let steps = match self.missed {
            Missed::Burst => 1,
            Missed::Delay | Missed::Skip => passed.max(1),
        };
        let steps = steps.min(u64::MAX - self.number);
        self.number += steps;
        let ahead = steps.saturating_mul(self.period);
        self.last = self.last.after(ahead, clock.scale());
        let due =
            Due { number: self.number, missed: steps.saturating_sub(1), ticks: self.last.tick() };
        if self.missed == Missed::Delay && passed > 0 {
            self.last = Point::at(now);
        }
        due
    }

    /// Says when the wait for the last point ended. With [`Missed::Delay`] the grid begins anew if
    /// that was a period or more after the point, because of the wait itself; otherwise nothing
    /// happens.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::{Grid, Missed};
    /// use std::time::Duration;
    /// let clock = Clock::global();
    /// let mut grid = Grid::new(Duration::from_millis(1), clock.now())?;
    /// grid.set_missed(Missed::Delay);
    /// let due = grid.next_due(clock);
    /// let late = clock.after(due.ticks, Duration::from_millis(5)).unwrap();
    /// grid.reached(late, clock);
    /// assert!(grid.next_due(clock).ticks > late);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn reached<M: Machine>(&mut self, now: Ticks, clock: &Clock<M>) {
        if self.missed == Missed::Delay && clock.ns_between(self.last.tick(), now) >= self.period {
            self.last = Point::at(now);
        }
    }
}

/// What a [`Ticker`](super::Ticker) does about points of its grid that pass before it is called
/// again. The same three as tokio's `MissedTickBehavior`.
///
/// With a period of 10 ms and a pause of 35 ms after the first point, the next ticks are:
///
/// | | at 45 ms | then |
/// | --- | --- | --- |
/// | [`Burst`](Missed::Burst) | number 2 | 3 and 4 at once, 5 at 50 ms, 6 at 60 ms |
/// | [`Delay`](Missed::Delay) | number 4, with 2 missed | 5 at 55 ms, 6 at 65 ms |
/// | [`Skip`](Missed::Skip) | number 4, with 2 missed | 5 at 50 ms, 6 at 60 ms |
///
/// ```
/// use chronoscope::wait::{Missed, Ticker};
/// let mut ticker = Ticker::new(std::time::Duration::from_millis(1))?;
/// ticker.set_missed(Missed::Delay);
/// println!("{:?}", ticker.tick());
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Missed {
    /// No point is left out: those that have passed are ticked at once, until the grid is caught up
    /// with. For work that counts, such as one sample per point.
    Burst,
    /// The grid begins anew with a tick that is late: the following ones are a period apart from
    /// it. For work that needs a pause between two ticks.
    Delay,
    /// All points that have passed but the last one are left out, and the grid stays where it is.
    /// For work that shows the present state.
    #[default]
    Skip,
}

/// One tick of a [`Ticker`].
///
/// ```
/// use chronoscope::wait::Ticker;
/// let tick = Ticker::new(std::time::Duration::from_micros(200))?.tick();
/// assert_eq!(tick.number, 1 + tick.missed);
/// # Ok::<(), chronoscope::wait::BadPeriod>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Tick {
    /// The number of this point of the grid; the first is 1.
    pub number: u64,
    /// Points of the grid that had passed since the last call and were skipped; always zero with
    /// [`Missed::Burst`].
    pub missed: u64,
    /// What happened during the wait.
    pub waited: Waited,
}

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
#[must_use]
pub struct Ticker<'c, M: Machine = Native> {
    waiter: Waiter<'c, M>,
    grid: Grid,
}

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
        let grid = Grid::new(period, waiter.clock().now())?;
        Ok(Self { waiter, grid })
    }

    /// Sets what happens with points that pass between two calls; at first [`Missed::Skip`].
    ///
    /// ```
    /// use chronoscope::wait::{Missed, Ticker};
    /// use std::time::Duration;
    /// let mut ticker = Ticker::new(Duration::from_micros(300))?;
    /// ticker.set_missed(Missed::Burst);
    /// std::thread::sleep(Duration::from_millis(1));
    /// // Three points have passed, and none of them is left out.
    /// for number in 1..=3 {
    ///     let tick = ticker.tick();
    ///     assert_eq!((tick.number, tick.missed), (number, 0));
    /// }
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    pub fn set_missed(&mut self, missed: Missed) {
        self.grid.set_missed(missed);
    }

    /// Returns what happens with points that pass between two calls.
    ///
    /// ```
    /// use chronoscope::wait::{Missed, Ticker};
    /// let ticker = Ticker::new(std::time::Duration::from_millis(1))?;
    /// assert_eq!(ticker.missed(), Missed::Skip);
    /// # Ok::<(), chronoscope::wait::BadPeriod>(())
    /// ```
    #[must_use]
    pub fn missed(&self) -> Missed {
        self.grid.missed()
    }

    /// Waits for the next point of the grid. If points have passed since the last call, the
    /// [`Missed`] that was set decides which one that is.
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
        let clock = self.waiter.clock();
        let due = self.grid.next_due(clock);
        let waited = self.waiter.until(due.ticks);
        // Nothing else needs to know when this is, and any work here is lateness.
        if self.grid.missed() == Missed::Delay {
            self.grid.reached(clock.now(), clock);
        }
        Tick { number: due.number, missed: due.missed, waited }
    }
}
