//! A test's time for everything that one thread or one task does, without passing it along.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::clock::Ticks;
use crate::instant::Instant;
use crate::mock::{Mock, Real, Timer};
use crate::wait::Waited;

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
/// Each use looks for a scope, which costs a few nanoseconds. Where each of them counts, pass a
/// timer instead.
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
