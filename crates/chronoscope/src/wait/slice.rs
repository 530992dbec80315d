//! A short scheduler slice for a thread that waits.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::sync::atomic::Ordering;

use super::lag::Lag;
use crate::machine::Machine;
use crate::sync::AtomicU64;
use crate::sys::thread::{self, Unset};

/// The shortest slice that Linux gives (`__setparam_fair`, kernel/sched/syscalls.c).
const SHORT_NS: u64 = 100_000;

/// Why [`Waiter::shorten_slice`](super::Waiter::shorten_slice) changed nothing.
///
/// ```
/// use chronoscope::wait::{Effort, NoSlice, Waiter};
/// match Waiter::new(Effort::Balanced).shorten_slice() {
///     Ok(()) | Err(NoSlice::Unsupported) => {}
///     Err(reason) => eprintln!("{reason}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSlice {
    /// The system has no such setting: it is not Linux, or is older than Linux 6.12.
    Unsupported,
    /// The thread has another scheduling policy than SCHED_OTHER, which is left as it is.
    OtherPolicy,
    /// A filter of system calls is active, which might end the process for this one; see
    /// [`assume_that_nothing_kills`](crate::machine::assume_that_nothing_kills).
    Filtered,
    /// The system refused, with this error number.
    Refused(i32),
}

impl fmt::Display for NoSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => write!(f, "a short scheduler slice needs Linux 6.12 or later"),
            Self::OtherPolicy => write!(
                f,
                "the thread is not scheduled under SCHED_OTHER, so its slice is left as it is"
            ),
            Self::Filtered => {
                write!(f, "a filter of system calls is active, which might end the process")
            }
            Self::Refused(code) => write!(
                f,
                "the system refused a short scheduler slice: {}",
                std::io::Error::from_raw_os_error(*code)
            ),
        }
    }
}

impl Error for NoSlice {}

impl From<Unset> for NoSlice {
    fn from(reason: Unset) -> Self {
        match reason {
            Unset::Unsupported => Self::Unsupported,
            Unset::OtherPolicy => Self::OtherPolicy,
            Unset::Filtered => Self::Filtered,
            Unset::Refused(code) => Self::Refused(code),
        }
    }
}

/// Who wants a short slice in a thread. It has nothing to drop, so it exists until the thread has
/// ended.
#[derive(Clone, Copy)]
struct Held {
    /// Differs from that of every other thread of the process, also of one that has ended; zero
    /// before the first slice.
    thread: u64,
    count: u32,
    restores: Option<u64>,
}

thread_local! {
    static HELD: Cell<Held> = const {
        Cell::new(Held { thread: 0, count: 0, restores: None })
    };
}

/// A short slice for the thread that made this, until it is dropped there. In another thread, it
/// does nothing.
#[derive(Debug)]
pub(super) struct ShortSlice {
    thread: u64,
    pub lag: Lag,
}

impl ShortSlice {
    pub fn new() -> Result<Self, NoSlice> {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        let mut held = HELD.get();
        if held.count == 0 {
            held.restores = thread::shorten_slice(SHORT_NS)?;
        }
        if held.thread == 0 {
            held.thread = THREADS.fetch_add(1, Ordering::Relaxed) + 1;
        }
        held.count += 1;
        HELD.set(held);
        Ok(Self { thread: held.thread, lag: Lag::NEW })
    }

    /// Earns lag at the beginning of a wait with so many nanoseconds to go, if that is due; see
    /// [`Lag`]. Returns for how long that took, in nanoseconds of the system's monotonic clock.
    pub fn earn<M: Machine>(&mut self, machine: &M, remaining: u64) -> Option<u64> {
        if !self.lag.may_earn(remaining) || !self.is_here() {
            return None;
        }
        let cpu = thread::cpu_time()?;
        if !self.lag.is_due(cpu) {
            return None;
        }
        if !thread::restore_slice(SHORT_NS, HELD.get().restores.unwrap_or(0)) {
            // The program has changed it since.
            return None;
        }
        let begin = machine.monotonic();
        let wake = begin.saturating_add(Lag::SLEEP_NS);
        machine.sleep_until(wake, Lag::SLEEP_NS);
        let end = machine.monotonic();
        // If it is refused now, the thread has lost its short slice, and waits work all the same.
        let _ = thread::shorten_slice(SHORT_NS);
        self.lag.earned(cpu, end.saturating_sub(wake));
        Some(end.saturating_sub(begin))
    }

    /// Whether it is this thread's.
    pub fn is_here(&self) -> bool {
        HELD.get().thread == self.thread
    }
}

impl Drop for ShortSlice {
    fn drop(&mut self) {
        if !self.is_here() {
            return;
        }
        let mut held = HELD.get();
        held.count -= 1;
        if held.count == 0 {
            if let Some(restores) = held.restores.take() {
                // There is nobody to report to.
                let _ = thread::restore_slice(SHORT_NS, restores);
            }
        }
        HELD.set(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> u32 {
        HELD.get().count
    }

    fn send<T: Send>(value: T) -> T {
        value
    }

    /// Nothing where slices cannot be set.
    fn with_slices(test: impl FnOnce(ShortSlice) + Send + 'static) {
        let thread = std::thread::spawn(|| ShortSlice::new().map(test).unwrap_or(()));
        thread.join().unwrap();
    }

    #[test]
    fn the_last_of_a_thread_restores() {
        with_slices(|first| {
            let second = ShortSlice::new().unwrap();
            drop(first);
            assert_eq!(held(), 1);
            let third = ShortSlice::new().unwrap();
            drop(second);
            drop(third);
            assert_eq!(held(), 0);
            assert_eq!(HELD.get().restores, None);
        });
    }

    #[test]
    fn in_another_thread_it_does_nothing() {
        with_slices(|slice| {
            let slice = send(slice);
            let other = std::thread::spawn(move || {
                assert!(!slice.is_here());
                let own = ShortSlice::new().unwrap();
                drop(slice);
                assert!(own.is_here());
                held()
            });
            assert_eq!(other.join().unwrap(), 1);
            assert_eq!(held(), 1);
        });
    }
}
