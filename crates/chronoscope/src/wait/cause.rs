//! Why a wait was late, by what the scheduler counted.

use crate::machine::Machine;

/// A wait that is late by no more than this has no cause: the question itself takes some 10 to 40
/// us.
pub(super) const LATE_NS: u64 = 100_000;

/// After a late wait, so many more are watched: the scheduler's count is read before some of them,
/// so that it is not old when the next one is late. To read it takes 7 us if its file is in the
/// caches and up to 40 if not, so it is not read before each.
const WATCHED: u8 = 64;
const READ_EVERY: u8 = 16;

/// Why a wait was late.
///
/// Linux counts for how long a thread was ready to run and waited for a CPU (`run_delay`, the
/// second number of `/proc/thread-self/schedstat`; `Documentation/scheduler/sched-stats.rst`). If
/// that accounts for at least half of the lateness, other threads had the CPU; if it does not, none
/// was in the way.
///
/// The count is read only after a wait that was late by more than 100 us, or that woke much later
/// than usual, and before four of the next 64 sleeps of this thread: as long as waits are on time,
/// this costs nothing. What was counted since the last reading is compared with the lateness. If it
/// is more than this wait can explain, because the thread was in the queue at other times too, the
/// cause is [`Cause::Unknown`].
///
/// ```
/// use chronoscope::wait::{Cause, sleep};
/// let waited = sleep(std::time::Duration::from_micros(300));
/// match waited.cause {
///     None => println!("late by at most 100 us: {} ns", waited.late_ns),
///     Some(Cause::Queue | Cause::Preempted) => println!("other threads had the CPU"),
///     Some(cause) => println!("{cause:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Cause {
    /// The moment had passed before the wait began.
    Passed,
    /// The thread was woken, but other threads had its CPU, or the CPU quota of its control group
    /// was used up.
    Queue,
    /// The thread was woken late, and no other thread was in its way: the timer, a CPU that slept
    /// deeply, interrupts, the hypervisor, or a stop of the process (SIGSTOP).
    Wake,
    /// Other threads took its CPU while it spun for the end of the wait, or the CPU quota of its
    /// control group was used up.
    Preempted,
    /// Its CPU did not run it while it spun, and no other thread was in its way: interrupts, a
    /// signal handler, the hypervisor, firmware, or a stop of the process.
    Interrupted,
    /// The clock that it waited by stopped, was reset, or ran ahead of the system's clock, by which
    /// the thread slept.
    Clock,
    /// This cannot be told apart here: the system reports nothing of the kind, a filter of system
    /// calls is active, or the thread waited for a CPU at other times too.
    Unknown,
}

/// Whether this thread waited for a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queued {
    Yes,
    No,
    Unknown,
}

impl Queued {
    /// The cause of a wake that was late.
    pub fn asleep(self) -> Cause {
        match self {
            Self::Yes => Cause::Queue,
            Self::No => Cause::Wake,
            Self::Unknown => Cause::Unknown,
        }
    }

    /// The cause of a spin that ended late.
    pub fn awake(self) -> Cause {
        match self {
            Self::Yes => Cause::Preempted,
            Self::No => Cause::Interrupted,
            Self::Unknown => Cause::Unknown,
        }
    }
}

/// What the scheduler had counted when it was last asked: zero at the start of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    ns: u64,
    /// Whether nothing but this wait can have added to it since.
    recent: bool,
}

impl Count {
    /// The start of a thread.
    pub const NONE: Self = Self { ns: 0, recent: false };

    /// Asks whether this thread waited for a CPU for at least half of `late` nanoseconds, and
    /// returns the new count.
    #[cold]
    #[inline(never)]
    pub fn explains<M: Machine>(self, machine: &M, late: u64) -> (Queued, Self) {
        match machine.queued() {
            Some(ns) => (self.judge(ns, late), Self { ns, recent: true }),
            None => (Queued::Unknown, self),
        }
    }

    fn judge(self, now: u64, late: u64) -> Queued {
        // It begins again in a forked child, and is another one in another thread.
        let more = now.checked_sub(self.ns).unwrap_or(now);
        let most = late.saturating_add(late / 4).saturating_add(LATE_NS / 4);
        if more < late / 2 {
            Queued::No
        } else if self.recent || more <= most {
            Queued::Yes
        } else {
            Queued::Unknown
        }
    }
}

/// Reads the scheduler's count before a sleep as long as waits are late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    count: Count,
    left: u8,
    /// The thread has been in the queue on purpose since the last reading.
    stale: bool,
}

impl Watch {
    pub const NEW: Self = Self { count: Count::NONE, left: 0, stale: false };

    /// The count at the beginning of a wait; `sleeps` says whether that may sleep.
    pub fn begin<M: Machine>(&mut self, machine: &M, sleeps: bool) -> Count {
        self.count.recent = false;
        let mut reads = self.stale;
        if self.left > 0 && sleeps {
            self.left -= 1;
            reads |= self.left % READ_EVERY == 0;
        }
        if reads {
            self.stale = false;
            if let Some(ns) = machine.queued() {
                self.count = Count { ns, recent: true };
            }
        }
        self.count
    }

    /// The thread has been in the queue on purpose, which is no wait's lateness.
    pub fn queued(&mut self) {
        self.stale = true;
    }

    /// Why a sleep was so late.
    #[cold]
    pub fn explain<M: Machine>(&mut self, machine: &M, late: u64) -> Cause {
        let (queued, count) = self.count.explains(machine, late);
        self.noticed(count);
        queued.asleep()
    }

    /// The count was read in a wait that was late, or nearly so.
    pub fn noticed(&mut self, count: Count) {
        self.count = count;
        self.left = WATCHED;
    }

    /// A wait was late.
    #[cold]
    pub fn late(&mut self) {
        self.left = WATCHED;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn count(ns: u64, recent: bool) -> Count {
        Count { ns, recent }
    }

    const LATE: u64 = 1_000_000;

    #[test]
    fn half_of_the_lateness_decides() {
        for recent in [false, true] {
            let before = count(7, recent);
            assert_eq!(before.judge(7, LATE), Queued::No);
            assert_eq!(before.judge(7 + LATE / 2 - 1, LATE), Queued::No);
            assert_eq!(before.judge(7 + LATE / 2, LATE), Queued::Yes);
            assert_eq!(before.judge(7 + LATE, LATE), Queued::Yes);
        }
    }

    #[test]
    fn what_one_wait_cannot_explain_is_unknown_unless_nothing_else_can() {
        assert_eq!(count(0, false).judge(LATE * 2, LATE), Queued::Unknown);
        assert_eq!(count(0, true).judge(LATE * 2, LATE), Queued::Yes);
    }

    #[test]
    fn a_count_that_began_again_is_counted_from_zero() {
        assert_eq!(count(u64::MAX, false).judge(LATE, LATE), Queued::Yes);
        assert_eq!(count(u64::MAX, false).judge(10, LATE), Queued::No);
        assert_eq!(count(0, true).judge(u64::MAX, u64::MAX), Queued::Yes);
    }
}
