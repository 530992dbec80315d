//! Ticks on an absolute grid, which lateness does not shift.

use std::time::Duration;

use super::{BadPeriod, Effort, Grid, Missed, Waited, Waiter};
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
