//! Waits: never early, mostly on time, for little CPU time.
//!
//! A sleep wakes tens of microseconds late; spinning is precise but keeps a CPU busy. Each wait
//! here sleeps until shortly before its deadline and spins for the rest. Each thread learns from
//! its own sleeps how shortly before: the margin is a moving average of their lateness, which
//! follows the state of the machine, and a part that depends on how the wakes scatter and on the
//! [`Effort`]. Waits of 100 us and more sleep if that is likely to save CPU time. While a wait
//! spins, the processor rests if it can; see [`Machine::rest_until`].
//!
//! Next to busy threads of the same priority, no margin helps, because they use up their slices
//! first: [`Waiter::shorten_slice`] does. [`Waited::cause`] is the reason for a late end.
//!
//! ```
//! use chronoscope::wait::{self, Effort, Ticker, Waiter};
//! use std::time::Duration;
//!
//! let waited = wait::sleep(Duration::from_micros(300));
//! println!("{} ns late, after spinning for {} ns", waited.late_ns, waited.spun_ns);
//!
//! // A waiter of your own: more CPU time for fewer late ends, or less of it.
//! let mut waiter = Waiter::new(Effort::Precise);
//! waiter.sleep(Duration::from_micros(300));
//!
//! // One deadline after the other, none of which shifts the next.
//! let mut ticker = Ticker::new(Duration::from_millis(1))?;
//! for _ in 0..3 {
//!     println!("{} ns late", ticker.tick().waited.late_ns);
//! }
//! # Ok::<(), wait::BadPeriod>(())
//! ```

mod cause;
mod grid;
mod learn;
mod slice;
mod until;

use std::cell::RefCell;
use std::time::Duration;

pub use cause::Cause;
pub use grid::{BadPeriod, Due, Grid, Missed, Tick, Ticker};
use learn::Memory;
use slice::ShortSlice;
pub use until::Margin;
use until::{Awake, Goal, Manner, Start};

use crate::clock::{Clock, Ticks};
use crate::instant::Instant;
use crate::machine::{Machine, Native};
pub use crate::sys::NoSlice;
use crate::sys::thread::Alarm;

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
    /// As little CPU time as possible: the margin covers half of this thread's wakes, so half of
    /// the waits end as late as the system wakes them.
    Economy,
    /// The margin covers 99 % of the wakes, or fewer if spinning for that would take more than
    /// 14 us on average (Linux; 46 us on macOS, 112 us on Windows, whose timers are later). If
    /// wakes scatter more than that, as in many virtual machines, waits of a millisecond and more
    /// are on time at the median, but not at the 90th percentile. [`Waiter::wake_cpu_first`] makes
    /// them scatter less, and [`Waiter::set_budget`] allows more spinning.
    #[default]
    Balanced,
    /// The margin covers 99.9 % of the wakes, and is at most 150 us (Linux). Later wakes, because
    /// other work or the hypervisor has the CPU, make a wait late.
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
    /// How often something else ran instead: a wake too late for any timer, or one for which the
    /// thread waited for a CPU, or a gap in the spin.
    pub preempted: u32,
    /// Why it ended late; `None` if it was late by at most 100 us, and on systems on which the
    /// process cannot read a clock.
    #[cfg_attr(feature = "serde", serde(default))]
    pub cause: Option<Cause>,
}

/// Waits by a clock, and learns from its waits.
///
/// A new one has learnt nothing yet, so keep it for the next wait. [`sleep`] and [`sleep_until`]
/// use one per thread.
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
    manner: Manner,
    memory: Memory,
    slice: Option<ShortSlice>,
    alarm: Option<Alarm>,
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
        Self { clock, manner: Manner::new(effort), memory: Memory::NEW, slice: None, alarm: None }
    }

    /// Sets how long each wait may spin on average, in place of what the effort allows: more than
    /// the 14 us of [`Effort::Balanced`] makes more waits end on time, and less saves CPU time.
    /// The margin never exceeds that of [`Effort::Precise`], so a large budget is not used up.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// use std::time::Duration;
    /// let mut waiter = Waiter::new(Effort::Balanced);
    /// waiter.set_budget(Duration::from_micros(25));
    /// println!("{} ns late", waiter.sleep(Duration::from_millis(1)).late_ns);
    /// ```
    pub fn set_budget(&mut self, spin: Duration) {
        self.manner.spin = Some(spin.as_nanos() as f32);
    }

    /// Asks the scheduler for a slice of 100 us for the calling thread (Linux 6.12 and later), and
    /// keeps it until the waiter is dropped there or [`Waiter::restore_slice`] is called.
    ///
    /// Next to busy threads of the same priority, a thread that wakes waits until one of them has
    /// used up its slice, which takes up to 4 ms. A thread with a shorter slice has an earlier
    /// deadline and goes first. It gets no larger share of the CPU and needs no privilege. The cost
    /// is for others: they are interrupted more often, and a thread that computes between its waits
    /// is itself interrupted after 100 us of that.
    ///
    /// A thread that has had all of its share does not go first. So waits of 8 ms and more begin by
    /// letting the others go first for up to a tick: at first, after a wait that they made late,
    /// and then once per 200 us of CPU time of the thread, until they are no longer in the way.
    /// Shorter waits have no time for that: some of them stay as late as they were.
    ///
    /// The slice belongs to the thread, so it also affects what the thread does between its waits,
    /// and threads and processes that it starts inherit it. Nice value, policy, flags and a slice
    /// that the program has set itself are kept, and restored if nothing else has changed the slice
    /// in the meantime. If several waiters of a thread ask for it, the last one restores it. A
    /// waiter can still be sent to another thread, but the slice stays behind: the new thread must
    /// ask for its own, and the old one keeps the short slice until it ends. So call
    /// [`Waiter::restore_slice`] before that, or ask after it. Do not call either in a signal
    /// handler.
    ///
    /// # Errors
    /// [`NoSlice`] if the slice stays as it is. Waits work all the same.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// let mut waiter = Waiter::new(Effort::Balanced);
    /// if let Err(reason) = waiter.shorten_slice() {
    ///     eprintln!("waits may be late next to busy threads: {reason}");
    /// }
    /// waiter.sleep(std::time::Duration::from_millis(1));
    /// ```
    pub fn shorten_slice(&mut self) -> Result<(), NoSlice> {
        if !self.slice.as_ref().is_some_and(ShortSlice::is_here) {
            self.slice = Some(ShortSlice::new()?);
        }
        Ok(())
    }

    /// Restores the slice that the thread had before [`Waiter::shorten_slice`]; does nothing if it
    /// was not called, or in another thread.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// let mut waiter = Waiter::new(Effort::Balanced);
    /// let _ = waiter.shorten_slice();
    /// waiter.restore_slice();
    /// // Now it can be sent elsewhere, and nothing is left behind.
    /// std::thread::spawn(move || waiter.sleep(std::time::Duration::from_millis(1)));
    /// ```
    pub fn restore_slice(&mut self) {
        self.slice = None;
    }

    /// From now on, has the CPU interrupted 75 us before each wake (Linux). An idle CPU takes long
    /// to run again, above all that of a virtual machine, and how long varies. With this, most of
    /// that has passed when the thread wakes, so more waits of half a millisecond and longer end on
    /// time, for the same CPU time of the thread. Next to busy threads it changes nothing, because
    /// the CPU is not idle.
    ///
    /// The interrupt costs the machine some microseconds for each wait, in no thread's account. It
    /// is that of a timer that nobody reads (`timerfd_create(2)`), a file descriptor that the
    /// waiter holds until it is dropped. A program that closes descriptors that it does not own
    /// must drop the waiter before. In a forked child the copy of the waiter sets the same timer,
    /// so interrupts may come at other times, and waits are as without it.
    ///
    /// # Errors
    /// [`Unsupported`](std::io::ErrorKind::Unsupported) on other systems than Linux;
    /// [`PermissionDenied`](std::io::ErrorKind::PermissionDenied) if a filter of system calls is
    /// active, which might end the process; and what the system reports, such as too many open
    /// files. Waits work all the same.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Waiter};
    /// let mut waiter = Waiter::new(Effort::Balanced);
    /// if let Err(reason) = waiter.wake_cpu_first() {
    ///     eprintln!("waits may be later: {reason}");
    /// }
    /// waiter.sleep(std::time::Duration::from_millis(10));
    /// ```
    pub fn wake_cpu_first(&mut self) -> std::io::Result<()> {
        if self.alarm.is_none() {
            self.alarm = Some(Alarm::new()?);
        }
        Ok(())
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
        let waited = wait(self.clock, |waited| {
            let mind = (&mut self.memory, self.slice.as_mut(), self.alarm.as_ref());
            asleep_for(self.clock, mind, self.manner, time, now, waited)
        });
        if let Some(cause) = waited.cause {
            self.late(cause);
        }
        waited
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
        let waited = wait(self.clock, |waited| {
            let mind = (&mut self.memory, self.slice.as_mut(), self.alarm.as_ref());
            asleep_until(self.clock, mind, self.manner, deadline, waited)
        });
        if let Some(cause) = waited.cause {
            self.late(cause);
        }
        waited
    }

    #[cold]
    #[inline(never)]
    fn late(&mut self, cause: Cause) {
        self.memory.watch.late();
        if let Some(slice) = &mut self.slice {
            slice.lag.ended(cause);
        }
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

/// What a waiter has learnt, its short slice, and what interrupts its CPU.
type Mind<'m> = (&'m mut Memory, Option<&'m mut ShortSlice>, Option<&'m Alarm>);

#[inline(never)]
fn asleep_for<M: Machine>(
    clock: &Clock<M>,
    (memory, slice, alarm): Mind<'_>,
    manner: Manner,
    time: Duration,
    begin: (Ticks, u64),
    waited: &mut Waited,
) -> Awake {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let goal = Goal::Duration { begin, nanos };
    let start = earn(clock, (&mut *memory, slice), (begin, nanos), waited);
    until::asleep(clock, (memory, alarm), manner, goal, start, waited)
}

#[inline(never)]
fn asleep_until<M: Machine>(
    clock: &Clock<M>,
    (memory, slice, alarm): Mind<'_>,
    manner: Manner,
    ticks: Ticks,
    waited: &mut Waited,
) -> Awake {
    let begin = both(clock);
    let remaining = clock.ns_between(begin.0, ticks);
    let start = earn(clock, (&mut *memory, slice), (begin, remaining), waited);
    until::asleep(clock, (memory, alarm), manner, Goal::Moment(ticks), start, waited)
}

/// Spends the beginning of a wait on what makes its end punctual, if that is due, and returns how
/// the rest begins.
fn earn<M: Machine>(
    clock: &Clock<M>,
    (memory, slice): (&mut Memory, Option<&mut ShortSlice>),
    (begin, remaining): ((Ticks, u64), u64),
    waited: &mut Waited,
) -> Start {
    let took = slice.and_then(|slice| slice.earn(clock.machine(), remaining));
    let Some(took) = took else {
        return Start { now: begin, cause: None };
    };
    waited.wakes += 1;
    waited.slept_ns = waited.slept_ns.saturating_add(took);
    let now = both(clock);
    let late = now.1.saturating_sub(begin.1.saturating_add(remaining));
    let cause = (late > 0).then(|| memory.watch.explain(clock.machine(), late));
    memory.watch.queued();
    Start { now, cause }
}

thread_local! {
    static MEMORY: RefCell<Memory> = const { RefCell::new(Memory::NEW) };
}

#[inline(never)]
fn with_memory(mut asleep: impl FnMut(&mut Memory) -> Awake) -> Awake {
    // A thread that is ending, or a signal handler during a wait, learns nothing.
    let awake = MEMORY.try_with(|memory| memory.try_borrow_mut().ok().map(|mut m| asleep(&mut m)));
    awake.ok().flatten().unwrap_or_else(|| asleep(&mut Memory::NEW.clone()))
}

/// The balanced waits of [`sleep`] and [`sleep_until`].
const BALANCED: Manner = Manner::new(Effort::Balanced);

/// Makes this thread's next waits find out more, if this one was late.
#[inline(always)]
fn watched(waited: Waited) -> Waited {
    if waited.cause.is_some() {
        watch();
    }
    waited
}

#[cold]
#[inline(never)]
fn watch() {
    // As above: no memory, nothing to find out.
    let _ = MEMORY.try_with(|memory| {
        if let Ok(mut memory) = memory.try_borrow_mut() {
            memory.watch.late();
        }
    });
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
    watched(wait(clock, |waited| {
        with_memory(|memory| asleep_for(clock, (memory, None, None), BALANCED, time, now, waited))
    }))
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
    watched(wait(clock, |waited| {
        with_memory(|memory| asleep_until(clock, (memory, None, None), BALANCED, ticks, waited))
    }))
}
