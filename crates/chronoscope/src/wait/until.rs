//! A single wait: sleeps for most of it, spins for the rest, and never returns early.
//!
//! Also the margin of waits whose sleep something else makes.

use std::time::Duration;

use super::cause::{Cause, Count, LATE_NS, Queued};
use super::learn::{Aim, Memory, Plan, SHORTEST_SLEEP_NS};
use super::{Effort, Waited};
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::Machine;
use crate::sys::thread::Alarm;

/// If two reads are further apart than this, something else ran in between.
const GAP_NS: u64 = 20_000;

/// How shortly before the end both clocks are checked together. Their rates differ by less than a
/// thousandth (`adjtimex(2)`), which is a nanosecond over this time.
const CLOSE_NS: u64 = 1_000;

/// How often the counter is read between two reads of the system's clock, which ends a wait if the
/// counter has stopped.
const LOOKS: u32 = 4096;

/// For how long the processor rests in a spin at most: much less than a [`GAP_NS`]. A rest counts
/// as so many reads.
const REST_NS: u64 = 5_000;
const REST_READS: u32 = LOOKS / 4;

/// A precise wait of at least this length is woken an additional time, this long before its end:
/// the CPU wakes faster from a short sleep than from a long one.
const TWICE_NS: u64 = 4_000_000;
const TWICE_BEFORE_NS: u64 = 500_000;

/// How long before a thread is to wake its CPU is interrupted, if that is wanted, and the shortest
/// sleep for which it is.
const CPU_FIRST_NS: u64 = 75_000;
const CPU_FIRST_FROM_NS: u64 = 500_000;

/// From this length on, a wait checks the clock before it sleeps and after each such sleep: the
/// machine may have been suspended, restored or moved, and a rate that was only roughly known would
/// make the wait too long.
const LONG_NS: u64 = 1_000_000_000;

/// From this length on, a wait checks the clock before it sleeps if the last check is old.
const CHECK_NS: u64 = 1_000_000;

/// A wake that is so much later than expected may have another cause than the timer. That is asked
/// if there is time: reading the scheduler's count takes 7 us on a virtual machine.
const UNUSUAL_NS: u64 = 50_000;
const ASKING_NS: u64 = 15_000;

/// The most that a balanced wait spins on average, as a share of what a precise one may spin: 14 us
/// on Linux. It is more on systems whose timers are later, where 14 us would hardly make a wait end
/// on time.
const BALANCED_PART: f32 = 7.0 / 75.0;

/// What a wait is for.
#[derive(Clone, Copy)]
pub(super) enum Goal {
    /// So many nanoseconds after both clocks were read.
    Duration { begin: (Ticks, u64), nanos: u64 },
    /// A moment of the clock.
    Moment(Ticks),
}

impl Goal {
    /// Where both clocks are then, as far as is known now.
    fn deadline<M: Machine>(self, clock: &Clock<M>, now: (Ticks, u64)) -> Deadline {
        match self {
            Self::Duration { begin, nanos } => Deadline {
                ticks: clock.after(begin.0, Duration::from_nanos(nanos)).unwrap_or(Ticks(u64::MAX)),
                os: begin.1.saturating_add(nanos),
                both: true,
            },
            Self::Moment(ticks) => Deadline {
                ticks,
                os: now.1.saturating_add(clock.ns_between(now.0, ticks)),
                both: false,
            },
        }
    }
}

/// The deadline of a wait.
#[derive(Clone, Copy)]
struct Deadline {
    ticks: Ticks,
    /// By the system's monotonic clock.
    os: u64,
    /// Whether both were asked for, so that the later one is the deadline. Otherwise a moment of
    /// this clock was, and the system's is its equivalent.
    both: bool,
}

impl Deadline {
    /// If the counter stands still, only the system's clock decides, slightly later.
    fn os_latest(&self, whole: u64) -> u64 {
        self.os.saturating_add(whole / 8).saturating_add(1_000_000)
    }
}

/// A wait of which only the spin is left.
///
/// The two halves are separate calls from the caller's code, into which the methods of a waiter are
/// inlined. Returning from the first, shortly after the wake, brings that code back into the caches
/// before the second returns, and that return is what counts.
pub(super) struct Awake {
    begin: Ticks,
    deadline: Deadline,
    /// If the counter stands still, only the system's clock decides, slightly later.
    os_latest: u64,
    /// What the scheduler counted when it was last asked.
    count: Count,
    /// Why the deadline has passed, if it has by so much that it matters.
    cause: Option<Cause>,
}

/// How a waiter waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// The most that is spun on average, in nanoseconds, if not what the effort allows.
    pub spin: Option<f32>,
    pub effort: Effort,
}

impl Manner {
    pub const fn new(effort: Effort) -> Self {
        Self { spin: None, effort }
    }

    pub fn aim(self, cap: u64) -> Aim {
        let (quantile, spin) = match (self.spin, self.effort) {
            (Some(spin), _) => (0.999, spin),
            (None, Effort::Economy) => (0.5, f32::MAX),
            (None, Effort::Balanced) => (0.99, cap as f32 * BALANCED_PART),
            (None, Effort::Precise) => (0.999, f32::MAX),
        };
        Aim { quantile, spin }
    }

    /// Whether a wait of this length is woken an additional time.
    fn wakes_ahead(self, remaining: u64) -> bool {
        self.spin.is_none() && self.effort == Effort::Precise && remaining >= TWICE_NS
    }
}

/// How a wait begins.
pub(super) struct Start {
    /// Both clocks.
    pub now: (Ticks, u64),
    /// Why its deadline has passed, if it has because of what was done before.
    pub cause: Option<Cause>,
}

/// Sleeps for all but the end of a wait.
#[inline(never)]
pub(super) fn asleep<M: Machine>(
    clock: &Clock<M>,
    (memory, alarm): (&mut Memory, Option<&Alarm>),
    manner: Manner,
    goal: Goal,
    start: Start,
    waited: &mut Waited,
) -> Awake {
    let machine = clock.machine();
    let cap = machine.margin_cap();
    let aim = manner.aim(cap);
    let (mut now, mut os_now) = start.now;
    let mut deadline = goal.deadline(clock, (now, os_now));
    let mut whole = clock.ns_between(now, deadline.ticks);
    if whole >= CHECK_NS {
        clock.check_if_due();
        if whole >= LONG_NS {
            clock.check_now();
        }
        // A counter that was reset makes a moment that has passed look far away.
        (now, os_now) = super::both(clock);
        deadline = goal.deadline(clock, (now, os_now));
        whole = clock.ns_between(now, deadline.ticks);
    }
    let passed = matches!(goal, Goal::Moment(_)) && whole == 0;
    let mut cause = start.cause.or(passed.then_some(Cause::Passed));
    let mut count = memory.watch.begin(machine, whole >= SHORTEST_SLEEP_NS);
    let mut os_latest = deadline.os_latest(whole);
    // With no more than this left, the wait is spun to its end.
    let mut enough = SHORTEST_SLEEP_NS;
    while os_now < os_latest {
        // Use the clock that has longer to go: one of them may have jumped, or be slewed.
        let remaining =
            clock.ns_between(now, deadline.ticks).max(deadline.os.saturating_sub(os_now));
        // Check this before anything else is computed, so that a late wake does not become later.
        if remaining < enough {
            break;
        }
        let ahead = alarm.is_none() && manner.wakes_ahead(remaining);
        let plan = if ahead {
            Plan::Sleep { margin: TWICE_BEFORE_NS }
        } else {
            memory.plan(remaining, waited.wakes == 0, aim, cap, os_now)
        };
        let Plan::Sleep { margin } = plan else {
            break;
        };
        let asleep = (remaining - margin).min(os_latest - os_now);
        let wake = os_now.saturating_add(asleep);
        if let Some(alarm) = alarm.filter(|_| asleep >= CPU_FIRST_FROM_NS) {
            alarm.set(wake - CPU_FIRST_NS);
        }
        machine.sleep_until(wake, asleep);
        // Judge the sleep by the clock that it used; another one may be slewed against it.
        let (before, slept_at) = (now, os_now);
        (now, os_now) = super::both(clock);
        waited.wakes += 1;
        if (now, os_now) == (before, slept_at) {
            return without_clocks(machine, (before, asleep), remaining - asleep, waited);
        }
        let slept = os_now.saturating_sub(slept_at);
        waited.slept_ns = waited.slept_ns.saturating_add(slept);
        if asleep >= LONG_NS {
            clock.check_now();
            (now, os_now) = super::both(clock);
            deadline = goal.deadline(clock, (now, os_now));
            os_latest = deadline.os_latest(clock.ns_between(now, deadline.ticks));
        }
        // A signal: there is nothing to learn, and perhaps more to sleep.
        let Some(late) = slept_at.saturating_add(slept).checked_sub(wake) else {
            continue;
        };
        if !ahead {
            enough = enough.max(margin + 1);
        }
        let mut queued = Queued::Unknown;
        let missed = late.saturating_sub(margin);
        let unusual = late > memory.expected.saturating_add(UNUSUAL_NS);
        if missed > LATE_NS || (unusual && late.saturating_add(ASKING_NS) < margin) {
            (queued, count) = count.explains(machine, late);
            memory.watch.noticed(count);
            if missed > LATE_NS {
                cause = Some(queued.asleep());
            }
        }
        // Nothing that runs instead is the timer's doing, and no margin helps against it. Without
        // an answer, what is later than any timer counts as that.
        let instead = queued == Queued::Yes || (queued == Queued::Unknown && late > cap);
        waited.preempted += u32::from(instead || late > cap);
        if !instead && !ahead {
            memory.note(remaining, late, cap, slept_at);
        }
    }
    Awake { begin: now, deadline, os_latest, count, cause }
}

/// Ends a wait on a system that lets the process sleep but read no clock: by sleeping for what is
/// left after a sleep of `asleep` nanoseconds that began at `begin`.
#[cold]
fn without_clocks<M: Machine>(
    machine: &M,
    (begin, asleep): (Ticks, u64),
    left: u64,
    waited: &mut Waited,
) -> Awake {
    machine.sleep_until(left, left);
    waited.wakes += 1;
    waited.slept_ns = waited.slept_ns.saturating_add(asleep).saturating_add(left);
    Awake {
        begin,
        deadline: Deadline { ticks: begin, os: 0, both: false },
        os_latest: 0,
        count: Count::NONE,
        cause: None,
    }
}

/// Spins until both deadlines have passed.
#[inline(never)]
pub(super) fn spin<M: Machine>(clock: &Clock<M>, awake: &Awake, waited: &mut Waited) {
    let &Awake { begin, deadline, os_latest, .. } = awake;
    let machine = clock.machine();
    let scale = clock.scale();
    let ticks = |ns| scale.ticks(ns).unwrap_or(u64::MAX);
    let [gap, close, rest] = [GAP_NS, CLOSE_NS, REST_NS].map(ticks);
    let mut looks = 0u32;
    let mut looked = None;
    // The next read of the counter, or `None` if it has fallen behind or stands still.
    let mut next = |now: Ticks, reads: u32, waited: &mut Waited| {
        let next = clock.now();
        if next.0.saturating_sub(now.0) > gap {
            waited.preempted += 1;
        }
        looks += reads;
        if looks < LOOKS {
            return Some(next);
        }
        looks = 0;
        // If neither clock advances, no clock can be read, and waiting for one would never end.
        let read = (next, machine.monotonic());
        let stuck = read.1 >= os_latest || looked == Some(read);
        looked = Some(read);
        (!stuck).then_some(next)
    };
    let mut now = begin;
    let mut goal = deadline.ticks;
    let mut due = goal;
    loop {
        while goal.0.saturating_sub(now.0) > close {
            // A rest ends early enough that its end can take as long as the last stretch.
            let end = goal.0.saturating_sub(2 * close).min(now.0.saturating_add(rest));
            let rested = end > now.0
                && clock.is_counted()
                && machine.rest_until(end, end.saturating_add(close));
            if !rested {
                // This can take 140 cycles (Intel optimisation manual, "PAUSE latency in Skylake
                // client"), so it is not used in the last stretch.
                std::hint::spin_loop();
            }
            now = match next(now, if rested { REST_READS } else { 1 }, waited) {
                Some(next) => next,
                None => return give_up(clock, awake, waited),
            };
        }
        // The last read of the system's clock, by which the caller may judge. It is made shortly
        // before the end, where its cost delays nothing. It was made before the counter was read,
        // so at the new goal the system's clock has reached its deadline.
        let os_now = machine.monotonic();
        now = clock.now();
        let os_goal = Ticks(match deadline.os.checked_sub(os_now) {
            Some(left) => now.0.saturating_add(ticks(left)),
            None => now.0.saturating_sub(ticks(os_now - deadline.os)),
        });
        goal = goal.max(os_goal);
        // The time to read two clocks is lateness; a slew between them is not.
        if deadline.both && os_goal.0.saturating_sub(deadline.ticks.0) > close {
            due = os_goal;
        }
        // Call this once now, while there is time, for its effect on the caches: after a long sleep
        // they are cold, and each miss after the deadline is lateness.
        close_up(waited, scale, (begin, due), now);
        // If the goal is still far off, the system's clock is the slower one and is read again.
        if goal.0.saturating_sub(now.0) <= close {
            break;
        }
    }
    while now < goal {
        now = match next(now, 1, waited) {
            Some(next) => next,
            None => return give_up(clock, awake, waited),
        };
    }
    close_up(waited, scale, (begin, due), now);
    if waited.late_ns > LATE_NS {
        explain(clock, awake, due, waited);
    }
}

/// Finds out why a wait is late, which makes it some microseconds later.
#[cold]
#[inline(never)]
fn explain<M: Machine>(clock: &Clock<M>, awake: &Awake, due: Ticks, waited: &mut Waited) {
    let spun = || {
        // The sleep ended on time by the clock that it used, or that would have been noticed.
        if clock.ns_between(awake.deadline.ticks, awake.begin) > 2 * LATE_NS {
            return Cause::Clock;
        }
        let (queued, _) = awake.count.explains(clock.machine(), waited.late_ns);
        queued.awake()
    };
    waited.cause = Some(awake.cause.unwrap_or_else(spun));
    close_up(waited, clock.scale(), (awake.begin, due), clock.now());
}

/// What is left to do after the deadline: as little as possible.
#[inline(never)]
fn close_up(waited: &mut Waited, scale: Scale, (begin, due): (Ticks, Ticks), end: Ticks) {
    waited.spun_ns = scale.ns(end.0.saturating_sub(begin.0));
    waited.late_ns = scale.ns(end.0.saturating_sub(due.0));
}

/// Ends a spin by the system's clock if the counter did not get there.
#[cold]
fn give_up<M: Machine>(clock: &Clock<M>, awake: &Awake, waited: &mut Waited) {
    // Let the calibration determine the cause.
    clock.check_now();
    let scale = clock.scale();
    let machine = clock.machine();
    if machine.monotonic() < awake.deadline.os {
        // No clock can be read.
        let left = scale.ns(awake.deadline.ticks.0.saturating_sub(awake.begin.0));
        machine.sleep_until(left, left);
    }
    close_up(waited, scale, (awake.begin, awake.deadline.ticks), clock.now());
    if waited.late_ns > LATE_NS {
        waited.cause = Some(Cause::Clock);
    }
}

/// A wake of an event loop waits for the turn of the loop as well, so its margin may be so many
/// times that of a thread's own sleep.
const TURN: u64 = 2;

/// Learns how early something else must wake a wait, as a [`Waiter`](super::Waiter) learns it of
/// its own sleeps: an event loop, whose timer is a descriptor, or a thread that notifies others.
///
/// ```
/// use chronoscope::wait::{Effort, Margin};
/// use std::time::{Duration, Instant};
///
/// let mut margin = Margin::new(Effort::Balanced);
/// for _ in 0..3 {
///     let (begin, wait) = (Instant::now(), Duration::from_millis(1));
///     if let Some(sleep) = margin.sleep(wait) {
///         std::thread::sleep(sleep); // or whatever wakes you then
///         margin.woke(wait, begin.elapsed().saturating_sub(sleep));
///     }
///     while begin.elapsed() < wait {
///         std::thread::yield_now();
///     }
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Margin {
    manner: Manner,
    memory: Memory,
}

impl Margin {
    /// Makes one that has learnt nothing yet; 60 us are its first guess.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// let first = Margin::new(Effort::Balanced).sleep(std::time::Duration::from_millis(1));
    /// assert!(first.is_some_and(|sleep| sleep.as_micros() < 1000));
    /// ```
    pub const fn new(effort: Effort) -> Self {
        Self { manner: Manner::new(effort), memory: Memory::NEW }
    }

    /// Sets how long each wait may spin on average; see
    /// [`Waiter::set_budget`](super::Waiter::set_budget).
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// let mut margin = Margin::new(Effort::Balanced);
    /// margin.set_budget(std::time::Duration::from_micros(25));
    /// ```
    pub fn set_budget(&mut self, spin: Duration) {
        self.manner.spin = Some(spin.as_nanos() as f32);
    }

    /// For how long to sleep in a wait of `wait` from now; `None` if a sleep does not pay.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// use std::time::Duration;
    /// let mut margin = Margin::new(Effort::Balanced);
    /// assert_eq!(margin.sleep(Duration::from_micros(20)), None);
    /// assert!(margin.sleep(Duration::from_secs(1)) < Some(Duration::from_secs(1)));
    /// ```
    pub fn sleep(&mut self, wait: Duration) -> Option<Duration> {
        let machine = Clock::global().machine();
        let (cap, now) = (machine.margin_cap(), machine.monotonic());
        let aim = self.manner.aim(cap);
        match self.memory.plan(nanos(wait), true, aim, cap.saturating_mul(TURN), now) {
            Plan::Spin => None,
            Plan::Sleep { margin } => Some(wait.saturating_sub(Duration::from_nanos(margin))),
        }
    }

    /// Learns that a sleep of a wait of `wait` ended `late` after its own end. What is later than
    /// any timer is not learnt, because no margin helps against what else ran.
    ///
    /// ```
    /// use chronoscope::wait::{Effort, Margin};
    /// use std::time::Duration;
    /// let (wait, late) = (Duration::from_millis(1), Duration::from_micros(120));
    /// let mut margin = Margin::new(Effort::Balanced);
    /// let first = margin.sleep(wait);
    /// for _ in 0..20 {
    ///     margin.woke(wait, late);
    /// }
    /// assert!(margin.sleep(wait) < first);
    /// ```
    pub fn woke(&mut self, wait: Duration, late: Duration) {
        let machine = Clock::global().machine();
        let cap = machine.margin_cap().saturating_mul(TURN);
        if nanos(late) <= cap {
            self.memory.note(nanos(wait), nanos(late), cap, machine.monotonic());
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
