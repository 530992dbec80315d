//! A grid in time, for tasks.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use chronoscope::wait::{BadPeriod, Due, Grid, Missed};
use chronoscope::{Clock, Instant};

use crate::sleep::{Sleep, sleep_until};

/// One tick of an [`Interval`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
/// use std::time::Duration;
/// let tick = chronoscope_tokio::interval(Duration::from_micros(500))?.tick().await;
/// assert_eq!(tick.number, 1 + tick.missed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tick {
    /// The number of this point of the grid; the first is 1.
    pub number: u64,
    /// Points of the grid that had passed since the last tick and were left out.
    pub missed: u64,
    /// How long after its point the tick was returned.
    pub late: Duration,
}

/// Returns an interval whose first tick is one `period` from now. (tokio's first tick is at once.)
///
/// # Errors
/// [`BadPeriod`] for zero and for more than 584 years.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
/// use std::time::Duration;
/// let mut interval = chronoscope_tokio::interval(Duration::from_micros(500))?;
/// for _ in 0..3 {
///     println!("{:?} late", interval.tick().await.late);
/// }
/// # Ok(())
/// # }
/// ```
pub fn interval(period: Duration) -> Result<Interval, BadPeriod> {
    Ok(Interval {
        grid: Grid::new(period, Clock::global().now_ordered())?,
        #[cfg(feature = "test-util")]
        theirs: (tokio::time::Instant::now(), period),
        spin: Duration::ZERO,
        waiting: None,
    })
}

/// Ticks on the grid `start + n · period`, however late one of them was; [`Missed`] decides what
/// happens with points that have passed.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
/// use chronoscope_tokio::{Interval, Missed, interval};
/// use std::time::Duration;
/// let mut heartbeat: Interval = interval(Duration::from_millis(1))?;
/// heartbeat.set_missed(Missed::Delay);
/// println!("{:?}", heartbeat.tick().await);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "an interval does nothing unless its ticks are awaited"]
pub struct Interval {
    grid: Grid,
    /// The last point by tokio's clock, and the period.
    #[cfg(feature = "test-util")]
    theirs: (tokio::time::Instant, Duration),
    spin: Duration,
    /// The point that is waited for, which outlives a cancelled [`Interval::tick`].
    waiting: Option<(Due, Sleep)>,
}

impl Interval {
    /// Sets what happens with points that pass between two ticks; at first [`Missed::Skip`]
    /// (tokio's default is a burst). While a test has paused tokio's clock, no point is missed.
    ///
    /// ```
    /// # fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
    /// use chronoscope_tokio::{Missed, interval};
    /// let mut interval = interval(std::time::Duration::from_millis(1))?;
    /// interval.set_missed(Missed::Burst);
    /// assert_eq!(interval.missed(), Missed::Burst);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_missed(&mut self, missed: Missed) {
        self.grid.set_missed(missed);
    }

    /// Returns what happens with points that pass between two ticks.
    ///
    /// ```
    /// # fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
    /// use chronoscope_tokio::{Missed, interval};
    /// let interval = interval(std::time::Duration::from_millis(1))?;
    /// assert_eq!(interval.missed(), Missed::Skip);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn missed(&self) -> Missed {
        self.grid.missed()
    }

    /// Sets for how long each tick may spin; see [`Sleep::spinning`]. It applies from the next
    /// point on.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
    /// use std::time::Duration;
    /// let mut interval = chronoscope_tokio::interval(Duration::from_millis(1))?;
    /// interval.set_spinning(Duration::from_micros(50));
    /// println!("{:?} late", interval.tick().await.late);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_spinning(&mut self, time: Duration) {
        self.spin = time;
    }

    /// Waits for the next point of the grid.
    ///
    /// It is cancel-safe: if the future is dropped, the next call waits for the same point. A point
    /// that has passed is returned at once, without a turn for other tasks.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
    /// use std::time::Duration;
    /// let mut interval = chronoscope_tokio::interval(Duration::from_micros(500))?;
    /// let (first, second) = (interval.tick().await, interval.tick().await);
    /// assert_eq!(second.number, first.number + 1 + second.missed);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn tick(&mut self) -> Tick {
        poll_fn(|context| self.poll_tick(context)).await
    }

    /// Polls for the next point of the grid, for implementations of futures and streams.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), chronoscope_tokio::BadPeriod> {
    /// use std::{future::poll_fn, time::Duration};
    /// let mut interval = chronoscope_tokio::interval(Duration::from_micros(500))?;
    /// let tick = poll_fn(|context| interval.poll_tick(context)).await;
    /// println!("{tick:?}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn poll_tick(&mut self, context: &mut Context<'_>) -> Poll<Tick> {
        let clock = Clock::global();
        let (due, sleep) = match &mut self.waiting {
            Some(waiting) => waiting,
            none => {
                let due = self.grid.next_due(clock);
                let sleep = sleep_until(Instant::from_ticks(due.ticks.0)).spinning(self.spin);
                #[cfg(feature = "test-util")]
                let sleep = {
                    let (last, period) = &mut self.theirs;
                    let steps = u32::try_from(due.missed + 1).unwrap_or(u32::MAX);
                    *last = last.checked_add(period.saturating_mul(steps)).unwrap_or(*last);
                    sleep.at_tokios(*last)
                };
                none.insert((due, sleep))
            }
        };
        ready!(Pin::new(sleep).poll(context));
        let now = clock.now_ordered();
        let tick =
            Tick { number: due.number, missed: due.missed, late: clock.between(due.ticks, now) };
        self.grid.reached(now, clock);
        self.waiting = None;
        Poll::Ready(tick)
    }
}
