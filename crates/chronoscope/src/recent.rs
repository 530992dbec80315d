//! A moment that a thread keeps up to date, read with one load.
//!
//! Readers never wait, write or ask the system for anything. In a child made by `fork` the thread
//! does not exist, so a handler of `pthread_atfork(3)` removes the moment there, and readers read
//! the clock.

use std::fmt;
use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::Clock;
use crate::instant::Instant;
use crate::sync::AtomicU64;
use crate::sys::{in_children_of_fork, process};

/// The ticks last stored, or [`NONE`]. Alone in its cache line, because readers on other CPUs lose
/// the line only when a new value is stored.
#[repr(align(64))]
struct Slot(AtomicU64);

static RECENT: Slot = Slot(AtomicU64::new(NONE));

/// No upkeep runs in this process.
const NONE: u64 = 0;

/// The process whose upkeep runs, or [`NOBODY`].
static OWNER: AtomicU64 = AtomicU64::new(NOBODY);

/// No process has this number.
const NOBODY: u64 = 0;

/// Whether children are to [`forget`] already. Handlers cannot be removed.
static REGISTERED: AtomicBool = AtomicBool::new(false);

/// The shortest period. Below it the thread would hardly sleep, and reading the clock itself takes
/// tens of nanoseconds.
const SHORTEST_PERIOD: Duration = Duration::from_micros(100);

impl Instant {
    /// Returns the moment that an [`Upkeep`] stored last: one atomic load, a nanosecond or less.
    /// Without a running upkeep it returns [`Instant::now_ordered`].
    ///
    /// The moment is as old as the upkeep's period at most, plus the time by which the system wakes
    /// the upkeep's thread late; see [`Upkeep`]. It is never later than the present. As long as the
    /// upkeep runs it never goes back, in one thread or between threads; when one starts, it can go
    /// back to the moment of the start for threads that are calling this at that time.
    ///
    /// Takes no lock, and may be called in a signal handler.
    ///
    /// ```
    /// use chronoscope::{Instant, Upkeep};
    /// use std::time::Duration;
    /// let upkeep = Upkeep::start(Duration::from_millis(1))?;
    /// let stamp = Instant::recent();
    /// assert!(stamp <= Instant::now_ordered());
    /// drop(upkeep);
    /// # Ok::<(), chronoscope::UpkeepError>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn recent() -> Self {
        // Relaxed is enough: all stores are to one place, and its values only grow while it is
        // kept up.
        match RECENT.0.load(Ordering::Relaxed) {
            NONE => read(),
            ticks => Self::from_ticks(ticks),
        }
    }
}

#[cold]
#[inline(never)]
fn read() -> Instant {
    Instant::now_ordered()
}

/// Keeps [`Instant::recent`] up to date until it is dropped.
///
/// # Precision
///
/// A thread stores the time once per period. What is read is therefore up to a period old, plus
/// the time that the system takes to wake a sleeping thread: tens of microseconds on an idle
/// machine, milliseconds if other work of the same priority uses all CPUs, and as long as the
/// process is stopped. [`Upkeep::longest_gap`] returns the largest age so far. A shorter period
/// costs more wakes, of a few microseconds each.
///
/// # After `fork`
///
/// The thread does not exist in a child. There, [`Instant::recent`] reads the clock, dropping the
/// inherited upkeep does nothing, and the child may start its own. This relies on
/// `pthread_atfork(3)`. A child made by the bare system call `clone` does not notice, and sees a
/// time that stands still until it starts an upkeep.
///
/// ```
/// use chronoscope::{Instant, Upkeep};
/// use std::time::Duration;
/// let upkeep = Upkeep::start(Duration::from_millis(1))?;
/// let deadline = Instant::now() + Duration::from_secs(5);
/// if Instant::recent() > deadline {
///     println!("timed out, noticed up to {:?} late", upkeep.longest_gap());
/// }
/// # Ok::<(), chronoscope::UpkeepError>(())
/// ```
#[derive(Debug)]
#[must_use = "the upkeep ends as soon as this is dropped; bind it to a variable, not to `_`"]
pub struct Upkeep {
    /// The process that started it, which alone has the thread.
    process: u64,
    longest_ns: Arc<AtomicU64>,
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The reasons why no upkeep was started.
///
/// ```
/// use chronoscope::{Upkeep, UpkeepError};
/// use std::time::Duration;
/// let upkeep = Upkeep::start(Duration::from_millis(1))?;
/// let second = Upkeep::start(Duration::from_millis(1));
/// assert!(matches!(second, Err(UpkeepError::Running)));
/// # drop(upkeep);
/// # Ok::<(), chronoscope::UpkeepError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum UpkeepError {
    /// An upkeep runs in this process already. Its period remains as it was.
    Running,
    /// The thread could not be started.
    Thread(io::Error),
}

impl fmt::Display for UpkeepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => write!(f, "an upkeep of the recent time is already running"),
            Self::Thread(_) => write!(f, "the thread of the upkeep could not be started"),
        }
    }
}

impl std::error::Error for UpkeepError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Running => None,
            Self::Thread(error) => Some(error),
        }
    }
}

impl Upkeep {
    /// Starts a thread that stores the time every `period`, beginning now.
    ///
    /// A period below 100 us is raised to that. If the time is needed more precisely, reading the
    /// clock is cheaper.
    ///
    /// # Errors
    /// [`UpkeepError::Running`] if there is one already, and [`UpkeepError::Thread`] if the thread
    /// could not be started.
    ///
    /// ```
    /// use chronoscope::Upkeep;
    /// use std::time::Duration;
    /// let upkeep = Upkeep::start(Duration::from_millis(10))?;
    /// drop(upkeep);
    /// // The first one has ended.
    /// let _upkeep = Upkeep::start(Duration::from_millis(1))?;
    /// # Ok::<(), chronoscope::UpkeepError>(())
    /// ```
    pub fn start(period: Duration) -> Result<Self, UpkeepError> {
        let process = process::number();
        // What another process left here was inherited, and its thread was not.
        let claimed = OWNER.fetch_update(Ordering::AcqRel, Ordering::Acquire, |owner| {
            (owner != process).then_some(process)
        });
        if claimed.is_err() {
            return Err(UpkeepError::Running);
        }
        if !REGISTERED.swap(true, Ordering::Relaxed) {
            in_children_of_fork(forget);
        }
        let first = store();
        let longest_ns = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = mpsc::sync_channel(0);
        let period = period.max(SHORTEST_PERIOD);
        let longest = Arc::clone(&longest_ns);
        let thread = thread::Builder::new().name("chronoscope".into()).spawn(move || {
            let mut last = first;
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                let now = store();
                longest.fetch_max(now.ns_since(last), Ordering::Relaxed);
                last = now;
            }
        });
        match thread {
            Ok(thread) => Ok(Self { process, longest_ns, stop: Some(stop), thread: Some(thread) }),
            Err(error) => {
                end();
                Err(UpkeepError::Thread(error))
            }
        }
    }

    /// Returns the longest time between two stores so far, including the time since the last one:
    /// no moment that was read was older than that.
    ///
    /// ```
    /// use chronoscope::Upkeep;
    /// use std::time::Duration;
    /// let upkeep = Upkeep::start(Duration::from_millis(1))?;
    /// chronoscope::wait::sleep(Duration::from_millis(5));
    /// println!("at most {:?} old", upkeep.longest_gap());
    /// # Ok::<(), chronoscope::UpkeepError>(())
    /// ```
    #[must_use]
    pub fn longest_gap(&self) -> Duration {
        let current = Instant::recent().elapsed_ns();
        let longest = self.longest_ns.load(Ordering::Relaxed);
        Duration::from_nanos(longest.max(current))
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        let (stop, thread) = (self.stop.take(), self.thread.take());
        if process::number() != self.process {
            // A child: the thread does not exist here, and it may have held the channel's lock when
            // the process was forked.
            mem::forget((stop, thread));
            return;
        }
        // Without a sender, the thread's wait ends at once.
        drop(stop);
        if let Some(thread) = thread {
            // The thread has nothing that could panic, and if it had, the time would be removed all
            // the same.
            let _ = thread.join();
        }
        end();
    }
}

/// Stores the present moment and returns it.
fn store() -> Instant {
    let ticks = Clock::global().now_ordered().0.max(NONE + 1);
    RECENT.0.store(ticks, Ordering::Relaxed);
    Instant::from_ticks(ticks)
}

/// Lets readers read the clock, and others start an upkeep.
fn end() {
    RECENT.0.store(NONE, Ordering::Relaxed);
    OWNER.store(NOBODY, Ordering::Release);
}

/// The same in a child, before `fork` returns there: two stores, which are allowed in that place.
extern "C" fn forget() {
    end();
}
