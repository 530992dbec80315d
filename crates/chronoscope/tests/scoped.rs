//! The time of a test, in one thread or one task only.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use chronoscope::mock::{Mock, Scoped, Timer, scope, scope_task};

const HOUR: Duration = Duration::from_secs(3600);

/// Whether an hour passes at once here.
fn mocked() -> bool {
    let start = Scoped.now();
    let end = scope(&Arc::new(Mock::new()), || Scoped.now());
    // The machine's moments are before all mocks', and a mock's new moment is zero.
    start >= end
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Pending once, so that the caller has a turn.
async fn yield_once() {
    let mut yielded = false;
    poll_fn(|_| match std::mem::replace(&mut yielded, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

#[test]
fn a_scope_ends_with_its_closure() {
    let mock = Arc::new(Mock::new());
    assert!(!mocked());
    let slept = scope(&mock, || {
        assert!(mocked());
        Scoped.sleep(HOUR).slept_ns
    });
    assert_eq!(Duration::from_nanos(slept), HOUR);
    assert!(!mocked());
    assert_eq!(mock.between(Default::default(), mock.now()), HOUR);
}

#[test]
fn a_scope_ends_with_a_panic() {
    let mock = Arc::new(Mock::new());
    let run = || scope(&mock, || panic!("as the test wants"));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(!mocked());
}

#[test]
fn the_innermost_scope_counts() {
    let (outer, inner) = (Arc::new(Mock::new()), Arc::new(Mock::new()));
    scope(&outer, || {
        scope(&inner, || Scoped.sleep(HOUR));
        let start = Scoped.now();
        Scoped.sleep(2 * HOUR);
        assert_eq!(Scoped.between(start, Scoped.now()), 2 * HOUR);
    });
    assert_eq!(outer.between(Default::default(), outer.now()), 2 * HOUR);
    assert_eq!(inner.between(Default::default(), inner.now()), HOUR);
}

#[test]
fn other_threads_are_outside() {
    let mock = Arc::new(Mock::new());
    scope(&mock, || {
        assert!(!thread::spawn(mocked).join().unwrap());
        assert!(mocked());
    });
}

#[test]
fn moments_of_different_times_are_no_time_apart() {
    let outside = Scoped.now();
    let inside = scope(&Arc::new(Mock::new()), || Scoped.now());
    assert_eq!(Scoped.between(outside, inside), Duration::ZERO);
    assert_eq!(Scoped.between(inside, outside), Duration::ZERO);
    // A mock's deadline, where there is no mock.
    assert_eq!(Scoped.sleep_until(Scoped.after(inside, HOUR)).slept_ns, 0);
}

/// Two tasks of one thread in turn, each with its time.
#[test]
fn tasks_of_one_thread_have_their_own_times() {
    let mocks: Vec<_> = (0..2).map(|_| Arc::new(Mock::new())).collect();
    let task = |i: usize| {
        scope_task(Arc::clone(&mocks[i]), async move {
            for _ in 0..3 {
                assert!(mocked());
                Scoped.sleep(HOUR * (i as u32 + 1));
                yield_once().await;
            }
        })
    };
    let (mut one, mut two) = (pin!(task(0)), pin!(task(1)));
    for _ in 0..3 {
        assert!(poll(one.as_mut()).is_pending());
        assert!(!mocked());
        assert!(poll(two.as_mut()).is_pending());
        assert!(!mocked());
    }
    assert!(poll(one.as_mut()).is_ready() && poll(two.as_mut()).is_ready());
    for (i, mock) in mocks.iter().enumerate() {
        let passed = mock.between(Default::default(), mock.now());
        assert_eq!(passed, 3 * HOUR * (i as u32 + 1));
    }
}

/// A task that moves from thread to thread takes its time along.
#[test]
fn a_task_keeps_its_time_in_every_thread() {
    let mock = Arc::new(Mock::new());
    let mut task = Box::pin(scope_task(Arc::clone(&mock), async {
        for _ in 0..10 {
            Scoped.sleep(HOUR);
            yield_once().await;
        }
    }));
    loop {
        let polled;
        (task, polled) = thread::spawn(|| {
            let polled = poll(task.as_mut()).is_ready();
            assert!(!mocked());
            (task, polled)
        })
        .join()
        .unwrap();
        if polled {
            break;
        }
    }
    assert_eq!(mock.between(Default::default(), mock.now()), 10 * HOUR);
}

/// What a cancelled task drops sees the time that it ran in.
#[test]
fn a_cancelled_task_ends_in_its_scope() {
    struct AtEnd<'a>(&'a mut Option<bool>);
    impl Drop for AtEnd<'_> {
        fn drop(&mut self) {
            *self.0 = Some(mocked());
        }
    }
    let mut seen = None;
    {
        let at_end = AtEnd(&mut seen);
        let mut task = Box::pin(scope_task(Arc::new(Mock::new()), async {
            let _at_end = at_end;
            yield_once().await;
        }));
        assert!(poll(task.as_mut()).is_pending());
    }
    assert_eq!(seen, Some(true));
    assert!(!mocked());
}
