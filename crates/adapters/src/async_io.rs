//! A timer for async-io, and so for smol, that ends on time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use chronoscope::wait;

/// How long before its deadline a [`Timer`] leaves async-io's, unless it is told: about as long as
/// that is late at the median (`cargo research adapters`).
///
/// ```
/// use std::time::Duration;
/// assert!(chronoscope_adapters::async_io::MARGIN < Duration::from_micros(100));
/// ```
pub const MARGIN: Duration = Duration::from_micros(60);

/// A future like [`async_io::Timer`], which is woken a margin before its deadline and then waits
/// with [`chronoscope::wait`].
///
/// async-io's timer is woken by the system, and so ends tens of microseconds late. This one needs
/// neither a thread nor more wakes. In return, it blocks its executor's thread for up to the
/// margin. It is never early by [`std::time::Instant`], and it is cancelled when it is dropped.
///
/// ```
/// use chronoscope_adapters::async_io::Timer;
/// use std::time::{Duration, Instant};
/// async_io::block_on(async {
///     let start = Instant::now();
///     Timer::after(Duration::from_micros(300)).await;
///     assert!(start.elapsed() >= Duration::from_micros(300));
/// });
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Timer {
    early: async_io::Timer,
    deadline: Instant,
}

impl Timer {
    /// Ends after `time`, with [`MARGIN`]; never, if that is too long to be represented.
    ///
    /// ```
    /// use chronoscope_adapters::async_io::Timer;
    /// use std::time::Duration;
    /// async_io::block_on(Timer::after(Duration::from_millis(1)));
    /// ```
    pub fn after(time: Duration) -> Self {
        let now = Instant::now();
        match now.checked_add(time) {
            Some(deadline) => Self::at(deadline, MARGIN),
            None => Self { early: async_io::Timer::never(), deadline: now },
        }
    }

    /// Ends at `deadline`, which may have passed, and is woken `margin` before it. Of a margin of
    /// more than 100 µs, the executor's thread may sleep through a part.
    ///
    /// ```
    /// use chronoscope_adapters::async_io::Timer;
    /// use std::time::{Duration, Instant};
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// async_io::block_on(Timer::at(deadline, Duration::from_micros(90)));
    /// assert!(Instant::now() >= deadline);
    /// ```
    pub fn at(deadline: Instant, margin: Duration) -> Self {
        let early = deadline.checked_sub(margin).unwrap_or(deadline);
        Self { early: async_io::Timer::at(early), deadline }
    }
}

/// Returns the deadline, as async-io's timer does.
impl Future for Timer {
    type Output = Instant;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Instant> {
        ready!(Pin::new(&mut self.early).poll(context));
        wait::sleep(self.deadline.saturating_duration_since(Instant::now()));
        Poll::Ready(self.deadline)
    }
}
