//! A sleep of a task.
//!
//! Whether a test has paused tokio's clock.

use crate::timer::{HANDOVER, Place};
use chronoscope::{Instant, wait};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant as StdInstant};

/// Waits for at least `time`, by [`chronoscope::Instant`] and by [`std::time::Instant`].
///
/// The time begins with this call, not with the first poll. A duration that is too long to be
/// represented lasts for ever.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::time::{Duration, Instant};
/// let start = Instant::now();
/// chronoscope_tokio::sleep(Duration::from_micros(300)).await;
/// assert!(start.elapsed() >= Duration::from_micros(300));
/// # }
/// ```
pub fn sleep(time: Duration) -> Sleep {
    let mut sleep = Sleep::new(Instant::now_ordered().saturating_add(time), time);
    sleep.by_os = StdInstant::now().checked_add(time);
    sleep
}

/// Waits until a moment, which may have passed.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use chronoscope::Instant;
/// use std::time::Duration;
/// let deadline = Instant::now() + Duration::from_micros(300);
/// chronoscope_tokio::sleep_until(deadline).await;
/// assert!(Instant::now_ordered() >= deadline);
/// # }
/// ```
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::new(deadline, deadline.duration_since(Instant::now_ordered()))
}

/// The future that [`sleep`] and [`sleep_until`] return.
///
/// It is cancel-safe: dropping it removes it from all lists.
///
/// # Panics
/// Polling a sleep that is longer than [`HANDOVER`] panics outside of a tokio runtime or if the
/// runtime has no timers, as [`tokio::time::sleep`] does.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use chronoscope_tokio::{Sleep, sleep};
/// use std::time::Duration;
/// let pause: Sleep = sleep(Duration::from_micros(500));
/// tokio::select! {
///     () = pause => println!("timed out"),
///     () = std::future::pending() => unreachable!(),
/// }
/// # }
/// ```
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep {
    deadline: Instant,
    /// The deadline by the standard library's clock, if a duration was asked for.
    by_os: Option<StdInstant>,
    /// For how long a poll may spin.
    spin: Duration,
    /// The deadline by tokio's clock; `None` if it never comes.
    #[cfg(feature = "test-util")]
    by_tokio: Option<tokio::time::Instant>,
    stage: Stage,
}

enum Stage {
    /// It was not polled yet.
    New,
    /// tokio's timer waits for all but the end, or for all of it if the thread cannot be started.
    Bulk(Pin<Box<tokio::time::Sleep>>),
    /// The thread will wake the task.
    Near(Place),
    /// tokio's timer waits for the end, because its clock is paused.
    Theirs(Pin<Box<tokio::time::Sleep>>),
    Done,
}

impl std::fmt::Debug for Sleep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sleep")
            .field("deadline", &self.deadline)
            .field("spin", &self.spin)
            .finish_non_exhaustive()
    }
}

impl Sleep {
    #[cfg_attr(not(feature = "test-util"), expect(unused_variables, reason = "for tests"))]
    fn new(deadline: Instant, time: Duration) -> Self {
        Self {
            deadline,
            by_os: None,
            spin: Duration::ZERO,
            #[cfg(feature = "test-util")]
            by_tokio: tokio::time::Instant::now().checked_add(time),
            stage: Stage::New,
        }
    }

    /// Wakes the task up to `time` before the deadline, and then blocks the runtime's thread until
    /// the deadline.
    ///
    /// This makes up for the time that a runtime needs to run a task that was woken, some tens of
    /// microseconds. All other tasks of that thread have to wait meanwhile, so keep it short.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use chronoscope_tokio::sleep;
    /// use std::time::Duration;
    /// sleep(Duration::from_millis(1)).spinning(Duration::from_micros(50)).await;
    /// # }
    /// ```
    pub fn spinning(mut self, time: Duration) -> Self {
        self.spin = time;
        // A place in the list is for another moment.
        if let Stage::Near(_) = self.stage {
            self.stage = Stage::New;
        }
        self
    }

    /// Returns the moment that it waits for.
    ///
    /// ```
    /// use chronoscope::Instant;
    /// let deadline = Instant::now();
    /// assert_eq!(chronoscope_tokio::sleep_until(deadline).deadline(), deadline);
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    #[cfg(feature = "test-util")]
    pub(crate) fn at_tokios(mut self, time: tokio::time::Instant) -> Self {
        self.by_tokio = Some(time);
        self
    }

    /// The time left by the clock that has longer to go.
    fn left(&self) -> Duration {
        let left = self.deadline.duration_since(Instant::now_ordered());
        let by_os = self.by_os.map(|end| end.saturating_duration_since(StdInstant::now()));
        left.max(by_os.unwrap_or_default())
    }

    /// What to wait with first.
    fn begin(&self) -> Stage {
        let left = self.left();
        if paused() { self.theirs(left) } else { self.go_on(left) }
    }

    /// What to wait with if that much is left.
    fn go_on(&self, left: Duration) -> Stage {
        let bulk = |time| Stage::Bulk(Box::pin(tokio::time::sleep(time)));
        if left.is_zero() {
            return Stage::Done;
        }
        if left > HANDOVER {
            return bulk(left - HANDOVER);
        }
        let early = left.saturating_sub(self.spin);
        match Place::new(Instant::now_ordered().saturating_add(early)) {
            Some(place) => Stage::Near(place),
            None => bulk(left),
        }
    }

    /// tokio's timer for all of the rest.
    #[cfg_attr(feature = "test-util", expect(unused_variables, reason = "only without"))]
    fn theirs(&self, left: Duration) -> Stage {
        #[cfg(feature = "test-util")]
        let sleep = match self.by_tokio {
            Some(deadline) => tokio::time::sleep_until(deadline),
            None => tokio::time::sleep(Duration::MAX),
        };
        #[cfg(not(feature = "test-util"))]
        let sleep = tokio::time::sleep(left);
        Stage::Theirs(Box::pin(sleep))
    }

    /// What to wait with after tokio's timer has waited for all but the end.
    fn after_bulk(&self) -> Stage {
        let left = self.left();
        // tokio never wakes early by its own clock. So that clock has been moved by a test.
        if left > HANDOVER + HANDOVER / 2 {
            return self.theirs(HANDOVER);
        }
        self.go_on(left)
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match &mut self.stage {
                Stage::New => self.stage = self.begin(),
                Stage::Bulk(bulk) => match bulk.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.stage = self.after_bulk(),
                },
                Stage::Theirs(theirs) => match theirs.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.stage = Stage::Done,
                },
                Stage::Near(place) => {
                    place.wake(context.waker());
                    let left = self.left();
                    if left > self.spin {
                        return Poll::Pending;
                    }
                    if left.is_zero() {
                        self.stage = Stage::Done;
                    } else {
                        wait::sleep_until(Instant::now_ordered().saturating_add(left));
                    }
                }
                Stage::Done => return Poll::Ready(()),
            }
        }
    }
}

/// tokio does not report this, but a clock that runs advances within a microsecond. It is checked
/// only with the feature, that is, in tests.
#[cfg(feature = "test-util")]
pub fn paused() -> bool {
    let (theirs, ours) = (tokio::time::Instant::now(), Instant::now());
    while ours.elapsed_ns() < 1000 {
        std::hint::spin_loop();
    }
    tokio::time::Instant::now() == theirs
}

/// Without tokio's feature there is no way to pause.
#[cfg(not(feature = "test-util"))]
pub fn paused() -> bool {
    false
}
