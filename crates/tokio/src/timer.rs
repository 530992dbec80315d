//! The thread that wakes tasks on time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use chronoscope::Instant;
use chronoscope::wait::{Effort, Waiter};

/// How long before its deadline a sleep leaves tokio's timer: tokio rounds up to milliseconds, and
/// so do the calls that its runtime sleeps with. On Windows, these wake at the ticks of the
/// scheduler, every 15.6 ms.
///
/// ```
/// use std::time::Duration;
/// assert!(chronoscope_tokio::HANDOVER >= Duration::from_millis(2));
/// ```
pub const HANDOVER: Duration = Duration::from_millis(if cfg!(windows) { 20 } else { 3 });

/// How long before a deadline the thread stops to sleep in a way that a new deadline can interrupt,
/// because such a sleep is not precise: the timer slack is 50 us (`prctl(2)`, PR_SET_TIMERSLACK),
/// and Windows wakes at the ticks of its scheduler.
const TAIL: Duration = if cfg!(windows) { HANDOVER } else { SLICE };

/// The longest time for which a new deadline is not noticed.
const SLICE: Duration = Duration::from_micros(200);

/// When a task is to be woken, and a number that tells apart those of the same moment.
type Key = (Instant, u64);

/// The tasks to be woken.
#[derive(Default)]
struct List {
    tasks: Mutex<BTreeMap<Key, Waker>>,
    /// There is an earlier deadline than before.
    changed: Condvar,
}

impl List {
    /// Takes the lock, under which nothing can panic that leaves the list in disorder.
    fn locked(&self) -> MutexGuard<'_, BTreeMap<Key, Waker>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of the thread. It never ends.
    fn serve(&self) {
        let mut waiter = Waiter::new(Effort::Balanced);
        let mut due = Vec::new();
        let mut tasks = self.locked();
        loop {
            let now = Instant::now_ordered();
            while let Some(first) = tasks.first_entry().filter(|first| first.key().0 <= now) {
                due.push(first.remove());
            }
            if !due.is_empty() {
                drop(tasks);
                for waker in due.drain(..) {
                    // The code of a runtime. If it panics, all other tasks still want to be woken.
                    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
                }
                tasks = self.locked();
                continue;
            }
            let Some((&(deadline, _), _)) = tasks.first_key_value() else {
                let woken = self.changed.wait(tasks);
                tasks = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.duration_since(now);
            if left > TAIL {
                let woken = self.changed.wait_timeout(tasks, left - TAIL);
                tasks = woken.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                drop(tasks);
                waiter.sleep_until(deadline.min(now.saturating_add(SLICE)));
                tasks = self.locked();
            }
        }
    }
}

/// The place of a task in the list, which it leaves when this is dropped.
pub struct Place {
    list: Arc<List>,
    key: Key,
}

impl Place {
    /// Takes a place in the list of this process; `None` if its thread could not be started.
    pub fn new(at: Instant) -> Option<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Some(Self { list: list()?, key: (at, NUMBER.fetch_add(1, Ordering::Relaxed)) })
    }

    /// Lets the thread wake a task at the moment of this place, instead of the one given before.
    pub fn wake(&self, waker: &Waker) {
        let mut tasks = self.list.locked();
        // The old one is dropped after the lock has been released, because that runs foreign code.
        let old = tasks.insert(self.key, waker.clone());
        let first = tasks.first_key_value().is_some_and(|(key, _)| *key == self.key);
        drop(tasks);
        if first && old.is_none() {
            self.list.changed.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let left = self.list.locked().remove(&self.key);
        drop(left);
    }
}

/// The list of one process. A child that was made by `fork` has inherited the memory but not the
/// thread, and whatever lock the thread held; so it has the next one.
struct Generation {
    process: u32,
    list: Option<Arc<List>>,
    next: OnceLock<Box<Generation>>,
}

impl Generation {
    fn new() -> Box<Self> {
        let list = Arc::new(List::default());
        let served = Arc::clone(&list);
        let thread =
            thread::Builder::new().name("chronoscope-tokio".into()).spawn(move || served.serve());
        Box::new(Self {
            process: process::id(),
            list: thread.is_ok().then_some(list),
            next: OnceLock::new(),
        })
    }
}

/// The list of this process.
fn list() -> Option<Arc<List>> {
    static FIRST: OnceLock<Box<Generation>> = OnceLock::new();
    list_from(&FIRST)
}

/// The list of this process in a chain that may begin with those of its ancestors.
fn list_from(mut place: &OnceLock<Box<Generation>>) -> Option<Arc<List>> {
    let process = process::id();
    loop {
        let generation = place.get_or_init(Generation::new);
        if generation.process == process {
            return generation.list.clone();
        }
        place = &generation.next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("as the test wants");
        }
    }

    fn after(time: Duration) -> Place {
        Place::new(Instant::now_ordered() + time).unwrap()
    }

    fn wait_for(count: &Count) {
        while count.0.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
    }

    /// Nothing is left of a place that was dropped: neither is its task woken, nor its waker kept.
    #[test]
    fn a_dropped_place_is_empty() {
        let count = Arc::new(Count::default());
        for i in 0..100 {
            let place = after(Duration::from_secs(600 + i));
            place.wake(&Waker::from(Arc::clone(&count)));
            assert_eq!(Arc::strong_count(&count), 2);
            drop(place);
            assert_eq!(Arc::strong_count(&count), 1);
        }
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_task_is_woken_once_and_not_early() {
        for micros in [0, 50, 150, 1000, 5000] {
            let count = Arc::new(Count::default());
            let place = after(Duration::from_micros(micros));
            place.wake(&Waker::from(Arc::clone(&count)));
            wait_for(&count);
            assert!(Instant::now_ordered() >= place.key.0);
            drop(place);
            assert_eq!(count.0.load(Ordering::SeqCst), 1);
        }
    }

    #[test]
    fn a_waker_that_panics_does_not_stop_the_others() {
        let (bad, good) = (after(Duration::ZERO), after(Duration::from_millis(1)));
        bad.wake(&Waker::from(Arc::new(Panics)));
        let count = Arc::new(Count::default());
        good.wake(&Waker::from(Arc::clone(&count)));
        wait_for(&count);
    }

    #[test]
    fn another_process_has_another_list() {
        let mut first = Generation::new();
        first.process = process::id() + 1;
        let place = OnceLock::from(first);
        let own = list_from(&place).unwrap();
        assert!(Arc::ptr_eq(&own, &list_from(&place).unwrap()));
        let inherited = place.get().and_then(|first| first.list.clone());
        assert!(!Arc::ptr_eq(&own, &inherited.unwrap()));
    }
}
