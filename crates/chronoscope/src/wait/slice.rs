//! A short scheduler slice for a thread that waits, and when such a thread goes into the run queue
//! early.
//!
//! Linux keeps account of how far each thread is behind its fair share, its lag, and carries it
//! over a sleep (`place_entity` and `update_entity_lag`, kernel/sched/fair.c; up to a tick or two
//! slices). A thread that wakes has its deadline a slice after its lag, and goes first if that is
//! before the deadlines of all others. Those may be overdue by a tick, because a thread that has
//! used up its slice runs until the next tick. So a short slice suffices only as long as there is
//! some lag, and each wait uses some up: what it spends of CPU time. Lag is earned only by being
//! ready to run while another thread runs, which otherwise happens just in the waits that are late.
//!
//! A long wait has time for that at its beginning. It sleeps for a moment with the slice that the
//! thread would have by itself, is then not let in before the next tick, and has earned its share
//! of that time.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::sync::atomic::Ordering;

use super::cause::Cause;
use crate::machine::Machine;
use crate::sync::AtomicU64;
use crate::sys::{NoSlice, thread};

/// The shortest slice that Linux gives (`__setparam_fair`, kernel/sched/syscalls.c).
const SHORT_NS: u64 = 100_000;

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

/// How much CPU time a thread uses until it needs more lag, in nanoseconds. On a virtual machine
/// with ticks of 4 ms and three busy threads, each turn earned about 0.35 ms, and 0.15 to 0.3 ms
/// between turns were equally good.
const SPENT_NS: u64 = 200_000;

/// The shortest wait in which lag is earned, in nanoseconds: two ticks of 4 ms (HZ 250).
const ROOM_NS: u64 = 8_000_000;

/// If it takes less than this, no other thread was in the way.
const QUEUED_NS: u64 = 150_000;

/// After so many turns without one, lag is earned no longer.
const TURNS: u8 = 8;

/// So many turns follow each other after a late wait, and at first: one does not earn enough.
const AT_ONCE: u8 = 4;

/// Decides when lag is earned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lag {
    /// How many more turns may pass without other threads in the way.
    turns: u8,
    /// How many turns are due whatever the thread has spent.
    at_once: u8,
    /// The CPU time of the thread when lag was last earned.
    cpu: u64,
    /// For about how long it may be kept in the queue, in nanoseconds.
    longest: u64,
}

impl Lag {
    /// It is not known whether other threads are in the way, so that is tried.
    pub const NEW: Self = Self { turns: TURNS, at_once: AT_ONCE, cpu: 0, longest: 0 };

    /// The moment of sleep, in nanoseconds.
    pub const SLEEP_NS: u64 = 100_000;

    /// Whether lag may be earned at the beginning of a wait with so many nanoseconds to go: not if
    /// the wait might become late by it.
    pub fn may_earn(&mut self, remaining: u64) -> bool {
        if self.turns == 0 || remaining < ROOM_NS {
            return false;
        }
        // A single long stay is forgotten after some dozens of waits.
        self.longest -= self.longest / 64;
        remaining / 3 * 2 >= self.longest
    }

    /// Whether the thread, which has used this much CPU time, needs more.
    pub fn is_due(&self, cpu: u64) -> bool {
        self.at_once > 0 || cpu.saturating_sub(self.cpu) >= SPENT_NS
    }

    /// The thread woke so many nanoseconds late from its moment of sleep.
    pub fn earned(&mut self, cpu: u64, late: u64) {
        self.cpu = cpu;
        self.at_once = self.at_once.saturating_sub(1);
        self.longest = self.longest.max(late);
        self.turns = if late >= QUEUED_NS { TURNS } else { self.turns.saturating_sub(1) };
    }

    /// A wait has ended, late for this reason. If the reason is not known, it is tried out.
    pub fn ended(&mut self, cause: Cause) {
        if matches!(cause, Cause::Queue | Cause::Preempted | Cause::Unknown) {
            self.turns = TURNS;
            self.at_once = AT_ONCE;
        }
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

#[cfg(test)]
mod lag_tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn due(lag: &mut Lag, remaining: u64, cpu: u64) -> bool {
        lag.may_earn(remaining) && lag.is_due(cpu)
    }

    /// Nothing was in the way for so long that lag is earned no longer.
    fn undisturbed() -> Lag {
        let mut lag = Lag::NEW;
        for i in 1..=u64::from(TURNS) {
            assert!(due(&mut lag, 10 * MS, i * MS));
            lag.earned(i * MS, 40_000);
        }
        lag
    }

    #[test]
    fn it_ends_when_nothing_is_in_the_way() {
        assert!(!due(&mut undisturbed(), 10 * MS, 100 * MS));
    }

    #[test]
    fn other_threads_are_a_reason_to_begin_again() {
        for cause in [Cause::Passed, Cause::Wake, Cause::Interrupted, Cause::Clock] {
            let mut lag = undisturbed();
            lag.ended(cause);
            assert!(!due(&mut lag, 100 * MS, 100 * MS));
        }
        for cause in [Cause::Queue, Cause::Preempted, Cause::Unknown] {
            let mut lag = undisturbed();
            lag.ended(cause);
            assert!(due(&mut lag, 10 * MS, MS));
        }
    }

    #[test]
    fn it_is_earned_again_when_it_is_spent() {
        let mut lag = Lag::NEW;
        for _ in 0..AT_ONCE {
            assert!(due(&mut lag, 10 * MS, MS));
            lag.earned(MS, 3 * MS);
        }
        assert!(!due(&mut lag, 10 * MS, MS));
        assert!(!due(&mut lag, 10 * MS, MS + SPENT_NS - 1));
        assert!(due(&mut lag, 10 * MS, MS + SPENT_NS));
        lag.ended(Cause::Queue);
        assert!(due(&mut lag, 10 * MS, MS));
    }

    #[test]
    fn a_wait_must_have_room_for_it() {
        let mut lag = Lag::NEW;
        assert!(!due(&mut lag, ROOM_NS - 1, 5));
        // Ticks of 10 ms.
        lag.earned(1, 10 * MS);
        assert!(!due(&mut lag, 10 * MS, 5));
        assert!(due(&mut lag, 16 * MS, 5));
        let waits = (0..1000).find(|_| due(&mut lag, 10 * MS, 5));
        assert!((10..100).contains(&waits.unwrap()));
    }
}
