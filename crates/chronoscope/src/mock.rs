//! Time that a test advances by hand.
//!
//! Pass a [`Timer`] to the code under test, or let it use [`Scoped`], which finds the mock of the
//! thread or task that it runs in.
//!
//! A scope is a test's time for everything that one thread or one task does, without passing it
//! along.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::clock::Ticks;
use crate::instant::Instant;
use crate::sync::AtomicU64;
use crate::wait::{self, Waited};

/// What code needs from time: to read it and to wait. Code that takes a `Timer` can be tested with
/// a [`Mock`] and otherwise runs on [`Real`], which costs nothing.
///
/// ```
/// use chronoscope::mock::{Mock, Real, Timer};
/// use std::time::Duration;
///
/// /// Tries until it works, waiting twice as long each time.
/// fn retry<T: Timer>(timer: &T, mut work: impl FnMut() -> bool) -> Duration {
///     let start = timer.now();
///     let mut pause = Duration::from_millis(1);
///     while !work() {
///         timer.sleep(pause);
///         pause *= 2;
///     }
///     timer.between(start, timer.now())
/// }
///
/// let mut tries = 0;
/// let took = retry(&Mock::new(), || { tries += 1; tries == 4 });
/// assert_eq!(took, Duration::from_millis(1 + 2 + 4));
/// retry(&Real, || true);
/// ```
pub trait Timer {
    /// A moment.
    type Moment: Copy + Ord;

    /// Returns the present moment.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// let timer = Mock::new();
    /// assert_eq!(timer.now(), timer.now());
    /// ```
    fn now(&self) -> Self::Moment;

    /// Returns the time from one moment to a later one; zero if it is not later.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let start = timer.now();
    /// timer.advance(Duration::from_secs(1));
    /// assert_eq!(timer.between(start, timer.now()), Duration::from_secs(1));
    /// assert_eq!(timer.between(timer.now(), start), Duration::ZERO);
    /// ```
    fn between(&self, earlier: Self::Moment, later: Self::Moment) -> Duration;

    /// Returns the moment this long after another, or the last possible one.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let later = timer.after(timer.now(), Duration::from_secs(1));
    /// assert_eq!(timer.between(timer.now(), later), Duration::from_secs(1));
    /// ```
    fn after(&self, moment: Self::Moment, time: Duration) -> Self::Moment;

    /// Waits until a moment, which may have passed.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let deadline = timer.after(timer.now(), Duration::from_secs(1));
    /// timer.sleep_until(deadline);
    /// assert_eq!(timer.now(), deadline);
    /// ```
    fn sleep_until(&self, deadline: Self::Moment) -> Waited;

    /// Waits for this long.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let timer = Mock::new();
    /// let waited = timer.sleep(Duration::from_millis(3));
    /// assert_eq!((waited.slept_ns, waited.late_ns), (3_000_000, 0));
    /// ```
    fn sleep(&self, time: Duration) -> Waited {
        self.sleep_until(self.after(self.now(), time))
    }
}

/// The time of this machine: [`Instant`] and [`wait`].
///
/// ```
/// use chronoscope::mock::{Real, Timer};
/// let start = Real.now();
/// Real.sleep(std::time::Duration::from_micros(100));
/// assert!(Real.between(start, Real.now()).as_micros() >= 100);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Timer for Real {
    type Moment = Instant;

    #[inline(always)]
    fn now(&self) -> Instant {
        Instant::now()
    }

    #[inline(always)]
    fn between(&self, earlier: Instant, later: Instant) -> Duration {
        later.duration_since(earlier)
    }

    fn after(&self, moment: Instant, time: Duration) -> Instant {
        moment.saturating_add(time)
    }

    fn sleep_until(&self, deadline: Instant) -> Waited {
        wait::sleep_until(deadline)
    }

    fn sleep(&self, time: Duration) -> Waited {
        wait::sleep(time)
    }
}

/// A time that stands still until it is advanced, by [`Mock::advance`] or by a sleep, which returns
/// at once and sets the time to its deadline. A tick is a nanosecond. Threads share it by
/// reference.
///
/// ```
/// use chronoscope::mock::{Mock, Timer};
/// use std::time::Duration;
/// let mock = Mock::new();
/// let start = mock.now();
/// mock.advance(Duration::from_secs(3600));
/// assert_eq!(mock.between(start, mock.now()), Duration::from_secs(3600));
/// ```
#[derive(Debug, Default)]
pub struct Mock(AtomicU64);

impl Mock {
    /// Makes a mock whose time is zero.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// let time = Mock::new();
    /// assert_eq!(time.now(), time.now());
    /// ```
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Advances time, at most to the last possible nanosecond.
    ///
    /// ```
    /// use chronoscope::mock::{Mock, Timer};
    /// use std::time::Duration;
    /// let time = Mock::new();
    /// let start = time.now();
    /// time.advance(Duration::from_secs(3));
    /// assert_eq!(time.between(start, time.now()), Duration::from_secs(3));
    /// ```
    pub fn advance(&self, time: Duration) {
        let passed = nanos(time);
        // Never fails: the closure always returns a value.
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
            Some(now.saturating_add(passed))
        });
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Timer for Mock {
    type Moment = Ticks;

    fn now(&self) -> Ticks {
        Ticks(self.0.load(Ordering::SeqCst))
    }

    fn between(&self, earlier: Ticks, later: Ticks) -> Duration {
        Duration::from_nanos(later.0.saturating_sub(earlier.0))
    }

    fn after(&self, moment: Ticks, time: Duration) -> Ticks {
        Ticks(moment.0.saturating_add(nanos(time)))
    }

    fn sleep_until(&self, deadline: Ticks) -> Waited {
        let before = self.0.fetch_max(deadline.0, Ordering::SeqCst);
        let slept_ns = deadline.0.saturating_sub(before);
        Waited {
            slept_ns,
            late_ns: before.saturating_sub(deadline.0),
            wakes: u32::from(slept_ns > 0),
            ..Waited::default()
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Mock>>> = const { RefCell::new(None) };
}

/// The mock of the innermost scope; `None` outside, and in a thread that is ending.
fn current() -> Option<Arc<Mock>> {
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// Sets the thread's mock as long as this exists.
struct Entered(Option<Arc<Mock>>);

impl Entered {
    fn new(mock: &Arc<Mock>) -> Self {
        Self(CURRENT.with(|current| current.borrow_mut().replace(Arc::clone(mock))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // A thread that is ending has dropped what would be set.
        let _ = CURRENT.try_with(|current| *current.borrow_mut() = self.0.take());
    }
}

/// A [`Timer`] that is this machine's time, except inside of [`scope`] and [`scope_task`], where it
/// is their mock's. Code deep inside a program can use it without being handed a timer.
///
/// Each use looks for a scope. Where every nanosecond counts, pass a timer instead.
///
/// ```
/// use chronoscope::mock::{Mock, Scoped, Timer, scope};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// fn work() -> Duration {
///     let start = Scoped.now();
///     Scoped.sleep(Duration::from_millis(2));
///     Scoped.between(start, Scoped.now())
/// }
///
/// let mock = Arc::new(Mock::new());
/// assert_eq!(scope(&mock, work), Duration::from_millis(2));
/// // Outside, the same code takes its time.
/// assert!(work() >= Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Scoped;

/// A moment of [`Scoped`]: the machine's, or a mock's. Two moments of one kind compare as usual,
/// and the machine's are before all mocks'.
///
/// ```
/// use chronoscope::mock::{Mock, Scoped, Timer, scope};
/// let outside = Scoped.now();
/// let inside = scope(&Mock::new().into(), || Scoped.now());
/// assert!(outside < inside);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedMoment(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Real(Instant),
    Mock(Ticks),
}

/// Runs a closure in which [`Scoped`] is the time of `mock`, in this thread. Scopes can be nested;
/// the innermost counts. Threads that the closure starts are outside.
///
/// ```
/// use chronoscope::mock::{Mock, Scoped, Timer, scope};
/// use std::sync::Arc;
/// use std::time::Duration;
/// let mock = Arc::new(Mock::new());
/// scope(&mock, || {
///     let start = Scoped.now();
///     mock.advance(Duration::from_secs(60));
///     assert_eq!(Scoped.between(start, Scoped.now()), Duration::from_secs(60));
/// });
/// ```
pub fn scope<R>(mock: &Arc<Mock>, run: impl FnOnce() -> R) -> R {
    let _entered = Entered::new(mock);
    run()
}

/// Returns a future that runs another one, in which [`Scoped`] is the time of `mock`. It may be
/// polled by any threads of any runtime: the scope is entered for each poll, and to drop the
/// future, and left afterwards. Tasks that the future spawns are outside.
///
/// ```
/// use chronoscope::mock::{Mock, Scoped, Timer, scope_task};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let mock = Arc::new(Mock::new());
/// let task = scope_task(Arc::clone(&mock), async {
///     let start = Scoped.now();
///     std::future::ready(()).await;
///     Scoped.sleep(Duration::from_secs(3600));
///     Scoped.between(start, Scoped.now())
/// });
/// # use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
/// # let mut task = pin!(task);
/// # let Poll::Ready(took) = task.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
/// #     unreachable!()
/// # };
/// # /*
/// let took = task.await;
/// # */
/// assert_eq!(took, Duration::from_secs(3600));
/// ```
pub fn scope_task<F: Future>(mock: Arc<Mock>, future: F) -> ScopedTask<F> {
    ScopedTask { mock, future: Some(Box::pin(future)) }
}

/// The future that [`scope_task`] returns.
///
/// ```
/// use chronoscope::mock::{Mock, ScopedTask, scope_task};
/// let task: ScopedTask<_> = scope_task(Mock::new().into(), async { 1 });
/// # let _ = task;
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct ScopedTask<F> {
    mock: Arc<Mock>,
    /// Gone once it is complete or dropped. On the heap, so that this can be moved.
    future: Option<Pin<Box<F>>>,
}

impl<F: Future> Future for ScopedTask<F> {
    type Output = F::Output;

    /// # Panics
    /// If it was complete already, as other futures may.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let _entered = Entered::new(&this.mock);
        let Some(future) = &mut this.future else {
            panic!("a task was polled after it had ended");
        };
        let polled = future.as_mut().poll(context);
        if polled.is_ready() {
            this.future = None;
        }
        polled
    }
}

impl<F> Drop for ScopedTask<F> {
    fn drop(&mut self) {
        if self.future.is_some() {
            let _entered = Entered::new(&self.mock);
            self.future = None;
        }
    }
}

impl Timer for Scoped {
    type Moment = ScopedMoment;

    fn now(&self) -> ScopedMoment {
        ScopedMoment(match current() {
            Some(mock) => Kind::Mock(mock.now()),
            None => Kind::Real(Real.now()),
        })
    }

    /// Zero also if one moment is the machine's and the other a mock's.
    fn between(&self, earlier: ScopedMoment, later: ScopedMoment) -> Duration {
        match (earlier.0, later.0) {
            (Kind::Real(earlier), Kind::Real(later)) => Real.between(earlier, later),
            (Kind::Mock(earlier), Kind::Mock(later)) => Mock::new().between(earlier, later),
            _ => Duration::ZERO,
        }
    }

    fn after(&self, moment: ScopedMoment, time: Duration) -> ScopedMoment {
        ScopedMoment(match moment.0 {
            Kind::Real(moment) => Kind::Real(Real.after(moment, time)),
            Kind::Mock(moment) => Kind::Mock(Mock::new().after(moment, time)),
        })
    }

    /// The deadline decides: one of the machine is waited for even inside of a scope, and one of a
    /// mock has passed outside of all scopes.
    fn sleep_until(&self, deadline: ScopedMoment) -> Waited {
        match (deadline.0, current()) {
            (Kind::Real(deadline), _) => Real.sleep_until(deadline),
            (Kind::Mock(deadline), Some(mock)) => mock.sleep_until(deadline),
            (Kind::Mock(_), None) => Waited::default(),
        }
    }

    fn sleep(&self, time: Duration) -> Waited {
        match current() {
            Some(mock) => mock.sleep(time),
            None => Real.sleep(time),
        }
    }
}
