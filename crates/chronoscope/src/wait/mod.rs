//! Waits: never early, mostly on time, for little CPU time.
//!
//! A sleep wakes tens of microseconds late; spinning is precise but keeps a CPU busy. Each wait
//! here sleeps until shortly before its deadline and spins for the rest. Each thread learns from
//! its own sleeps how shortly before; see [`Effort`].

mod grid;
mod learn;
mod missed;
mod ticker;
mod until;

use std::cell::RefCell;
use std::time::Duration;

pub use grid::{Due, Grid};
use learn::Memory;
pub use missed::Missed;
pub use ticker::{BadPeriod, Tick, Ticker};
use until::{Awake, Goal};

use crate::clock::{Clock, Ticks};
use crate::instant::Instant;
use crate::machine::{Machine, Native};

/// How much CPU time may be spent to be on time.
///
/// ```
/// use chronoscope::wait::{Effort, Waiter};
/// let mut frugal = Waiter::new(Effort::Economy);
/// frugal.sleep(std::time::Duration::from_millis(1));
/// assert_eq!(Effort::default(), Effort::Balanced);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Effort {
    /// As little CPU time as possible: the margin is the median lateness of this thread's wakes, so
    /// half of the waits end as late as the system wakes them.
    Economy,
    /// The margin is the 99th percentile of the lateness, or less if spinning for it would take
    /// more than 14 us on average (Linux; 46 us on macOS, 112 us on Windows, whose timers are
    /// later). Where wakes scatter more than that, as in many virtual machines, waits of a
    /// millisecond and more are on time at the median, but not at the 90th percentile.
    #[default]
    Balanced,
    /// The margin is the 99.9th percentile of the lateness, at most 150 us (Linux). Later wakes,
    /// because other work or the hypervisor has the CPU, make a wait late.
    Precise,
}

/// What happened during a wait. Times are in nanoseconds.
///
/// ```
/// let waited = chronoscope::wait::sleep(std::time::Duration::from_micros(400));
/// println!("{} us asleep, {} us spun", waited.slept_ns / 1000, waited.spun_ns / 1000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Waited {
    /// How long after the deadline it returned, by its clock. A wait for a duration lasts until
    /// that has also passed by the system's monotonic clock; if that clock is slewed, lateness
    /// counts from then.
    pub late_ns: u64,
    /// For how long it slept.
    pub slept_ns: u64,
    /// For how long it spun.
    pub spun_ns: u64,
    /// How often it woke.
    pub wakes: u32,
    /// How often something else ran instead: a wake too late for any timer, or a gap in the spin.
    pub preempted: u32,
}

/// Waits by a clock, and learns from its waits.
///
/// [`sleep`] and [`sleep_until`] use one per thread.
///
/// ```
/// use chronoscope::wait::{Effort, Waiter};
/// use std::time::Duration;
/// let mut waiter = Waiter::new(Effort::Precise);
/// let waited = waiter.sleep(Duration::from_micros(500));
/// println!("{} ns late after {} ns of spinning", waited.late_ns, waited.spun_ns);
/// ```
#[derive(Debug)]
#[must_use]
pub struct Waiter<'c, M: Machine = Native> {
    clock: &'c Clock<M>,
    effort: Effort,
    memory: Memory,
}

impl Waiter<'static> {
    /// Makes a waiter that waits by the clock behind [`Instant`].
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// let waiter = Waiter::new(Effort::Precise);
    /// assert!(std::ptr::eq(waiter.clock(), chronoscope::Clock::global()));
    /// ```
    pub fn new(effort: Effort) -> Self {
        Self::on(Clock::global(), effort)
    }

    /// Waits until a moment, which may have passed.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// use chronoscope::Instant;
    /// let deadline = Instant::now() + std::time::Duration::from_micros(200);
    /// Waiter::new(Effort::Balanced).sleep_until(deadline);
    /// assert!(Instant::now() >= deadline);
    /// ```
    #[inline(always)]
    pub fn sleep_until(&mut self, deadline: Instant) -> Waited {
        self.until(Ticks(deadline.ticks()))
    }
}

impl<'c, M: Machine> Waiter<'c, M> {
    /// Makes a waiter that waits by a clock of your own.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::{Effort, Waiter};
    /// static CLOCK: Clock = Clock::new();
    /// let mut waiter = Waiter::on(&CLOCK, Effort::Balanced);
    /// waiter.sleep(std::time::Duration::from_micros(100));
    /// ```
    pub const fn on(clock: &'c Clock<M>, effort: Effort) -> Self {
        Self {
            clock,
            effort,
            memory: Memory::NEW,
        }
    }

    /// Returns the clock that it waits by.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// println!("{}", Waiter::new(Effort::Balanced).clock().describe());
    /// ```
    pub fn clock(&self) -> &'c Clock<M> {
        self.clock
    }

    /// Waits for at least `time`, by this clock and by the system's monotonic clock.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// use std::time::{Duration, Instant};
    /// let start = Instant::now();
    /// Waiter::new(Effort::Economy).sleep(Duration::from_millis(1));
    /// assert!(start.elapsed() >= Duration::from_millis(1));
    /// ```
    #[inline(always)]
    pub fn sleep(&mut self, time: Duration) -> Waited {
        let now = both(self.clock);
        wait(self.clock, |waited| {
            asleep_for(self.clock, &mut self.memory, self.effort, time, now, waited)
        })
    }

    /// Waits until the clock is at `deadline`, which may have passed.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// use chronoscope::wait::{Effort, Waiter};
    /// static CLOCK: Clock = Clock::new();
    /// let mut waiter = Waiter::on(&CLOCK, Effort::Balanced);
    /// let deadline = CLOCK.after(CLOCK.now(), std::time::Duration::from_micros(100)).unwrap();
    /// waiter.until(deadline);
    /// assert!(CLOCK.now() >= deadline);
    /// ```
    #[inline(always)]
    pub fn until(&mut self, deadline: Ticks) -> Waited {
        wait(self.clock, |waited| {
            asleep_until(self.clock, &mut self.memory, self.effort, deadline, waited)
        })
    }
}

/// Reads the clock and the system's monotonic clock as early as possible, because the caller also
/// waits for whatever comes before. The clock is first: its first read chooses the source and
/// determines how the system's clock may be read. Never inlined, so that what the last wake brought
/// into the caches serves the beginning of the next wait.
#[inline(never)]
fn both<M: Machine>(clock: &Clock<M>) -> (Ticks, u64) {
    (clock.now(), clock.machine().monotonic())
}

/// Both halves of a wait, inlined into the caller's code; see [`Awake`].
#[inline(always)]
fn wait<M: Machine>(clock: &Clock<M>, asleep: impl FnOnce(&mut Waited) -> Awake) -> Waited {
    let mut waited = Waited::default();
    let awake = asleep(&mut waited);
    until::spin(clock, &awake, &mut waited);
    waited
}

#[inline(never)]
fn asleep_for<M: Machine>(
    clock: &Clock<M>,
    memory: &mut Memory,
    effort: Effort,
    time: Duration,
    now: (Ticks, u64),
    waited: &mut Waited,
) -> Awake {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let goal = Goal::Duration { begin: now, nanos };
    until::asleep(clock, memory, effort, goal, now, waited)
}

#[inline(never)]
fn asleep_until<M: Machine>(
    clock: &Clock<M>,
    memory: &mut Memory,
    effort: Effort,
    ticks: Ticks,
    waited: &mut Waited,
) -> Awake {
    let now = both(clock);
    until::asleep(clock, memory, effort, Goal::Moment(ticks), now, waited)
}

thread_local! {
    static MEMORY: RefCell<Memory> = const { RefCell::new(Memory::NEW) };
}

#[inline(never)]
fn with_memory(mut asleep: impl FnMut(&mut Memory) -> Awake) -> Awake {
    // A thread that is ending, or a signal handler during a wait, learns nothing.
    let awake = MEMORY.try_with(|memory| memory.try_borrow_mut().ok().map(|mut m| asleep(&mut m)));
    awake
        .ok()
        .flatten()
        .unwrap_or_else(|| asleep(&mut Memory::NEW.clone()))
}

/// Waits for at least `time` with balanced effort, and returns what happened.
///
/// ```
/// use std::time::Duration;
/// let start = std::time::Instant::now();
/// chronoscope::wait::sleep(Duration::from_millis(1));
/// assert!(start.elapsed() >= Duration::from_millis(1));
/// ```
#[inline(always)]
pub fn sleep(time: Duration) -> Waited {
    let clock = Clock::global();
    let now = both(clock);
    wait(clock, |waited| {
        with_memory(|memory| asleep_for(clock, memory, Effort::Balanced, time, now, waited))
    })
}

/// Waits until a moment with balanced effort; returns at once if it has passed.
///
/// ```
/// use chronoscope::{Instant, wait};
/// use std::time::Duration;
/// let deadline = Instant::now() + Duration::from_micros(300);
/// wait::sleep_until(deadline);
/// assert!(Instant::now() >= deadline);
/// ```
#[inline(always)]
pub fn sleep_until(deadline: Instant) -> Waited {
    let (clock, ticks) = (Clock::global(), Ticks(deadline.ticks()));
    wait(clock, |waited| {
        with_memory(|memory| asleep_until(clock, memory, Effort::Balanced, ticks, waited))
    })
}
