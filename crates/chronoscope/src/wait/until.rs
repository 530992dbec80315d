//! One wait: sleep for most of it, spin for the rest, and do not return before its time.

use super::learn::Memory;
use super::{Effort, Waited};
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::Machine;

/// A sleep that is shorter than this would cost more CPU time than spinning does.
const SHORTEST_SLEEP_NS: u64 = 50_000;

/// Two reads further apart than this had something else run in between.
const GAP_NS: u64 = 20_000;

/// How shortly before the end both clocks are looked at together. Their rates differ by less than a
/// thousandth (`adjtimex(2)`), a nanosecond over this.
const CLOSE_NS: u64 = 1_000;

/// Looks at the counter between two looks at the system's clock, which ends a wait on a counter
/// that has stopped.
const LOOKS: u32 = 4096;

/// A precise wait from this long on is woken once more, this much before its end: from a short
/// sleep the processor returns faster than from a long one.
const TWICE_NS: u64 = 4_000_000;
const TWICE_BEFORE_NS: u64 = 500_000;

/// What a wait is for.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    pub ticks: Ticks,
    /// By the system's monotonic clock.
    pub os: u64,
    /// Whether both were asked for, so that the later is the deadline; else a moment of this clock
    /// was, and the system's is what it should be then.
    pub both: bool,
}

/// A wait that has only to be spun to its end.
///
/// The two halves are calls of their own from the caller's code, into which the methods of a waiter
/// are inlined: returning from the first, shortly after the wake, brings that code back into the
/// caches before the second, whose return is what counts.
pub(super) struct Awake {
    begin: Ticks,
    deadline: Deadline,
    /// Where the counter stands still, the system's clock alone decides, a little later.
    os_latest: u64,
}

/// Sleeps for all but the end of a wait that begins `now`.
#[inline(never)]
pub(super) fn asleep<M: Machine>(
    clock: &Clock<M>,
    memory: &mut Memory,
    effort: Effort,
    deadline: Deadline,
    now: (Ticks, u64),
    waited: &mut Waited,
) -> Awake {
    let machine = clock.machine();
    let (mut now, mut os_now) = now;
    let whole = clock.ns_between(now, deadline.ticks);
    let os_latest = deadline
        .os
        .saturating_add(whole / 8)
        .saturating_add(1_000_000);
    while os_now < os_latest {
        // By the clock that has longer to go: one may have jumped, or be slewed.
        let remaining = clock
            .ns_between(now, deadline.ticks)
            .max(deadline.os.saturating_sub(os_now));
        // Before anything else is worked out: a wake that is late already is not to become later.
        if remaining < SHORTEST_SLEEP_NS {
            break;
        }
        let mut margin = memory.margin(remaining, effort, machine.margin_cap(), os_now);
        let ahead = effort == Effort::Precise && remaining >= TWICE_NS;
        if ahead {
            margin = TWICE_BEFORE_NS;
        }
        if remaining < margin.saturating_add(SHORTEST_SLEEP_NS) {
            break;
        }
        let asleep = (remaining - margin).min(os_latest - os_now);
        let wake = os_now.saturating_add(asleep);
        machine.sleep_until(wake, asleep);
        // What slept is judged by the clock by which it slept: against another it may be slewed.
        let slept_at = os_now;
        (now, os_now) = super::both(clock);
        waited.wakes += 1;
        let slept = os_now.saturating_sub(slept_at);
        waited.slept_ns = waited.slept_ns.saturating_add(slept);
        // A signal: nothing to be learnt, and there may be more to sleep.
        let Some(late) = os_now.checked_sub(wake) else {
            continue;
        };
        if late > machine.margin_cap() {
            // Not the timer: something else ran here. No margin mends that, so it is not learnt.
            waited.preempted += 1;
        } else if !ahead {
            memory.note(remaining, late, slept_at);
        }
    }
    Awake {
        begin: now,
        deadline,
        os_latest,
    }
}

/// Spins until both deadlines have passed.
#[inline(never)]
pub(super) fn spin<M: Machine>(clock: &Clock<M>, awake: &Awake, waited: &mut Waited) {
    let &Awake {
        begin,
        deadline,
        os_latest,
    } = awake;
    let machine = clock.machine();
    let scale = clock.scale();
    let ticks = |ns| scale.ticks(ns).unwrap_or(u64::MAX);
    let (gap, close) = (ticks(GAP_NS), ticks(CLOSE_NS));
    let mut looks = 0u32;
    // The next look at the counter, or at last none: it has fallen behind, or stands still.
    let mut next = |now: Ticks, waited: &mut Waited| {
        let next = clock.now();
        if next.0.saturating_sub(now.0) > gap {
            waited.preempted += 1;
        }
        looks = looks.wrapping_add(1);
        let stuck = looks.is_multiple_of(LOOKS) && machine.monotonic() >= os_latest;
        (!stuck).then_some(next)
    };
    let mut now = begin;
    let mut goal = deadline.ticks;
    let mut due = goal;
    loop {
        while goal.0.saturating_sub(now.0) > close {
            // It can take 140 cycles (Intel optimisation manual, "PAUSE latency in Skylake
            // client"): not in the last stretch.
            std::hint::spin_loop();
            now = match next(now, waited) {
                Some(next) => next,
                None => return give_up(clock, awake, waited),
            };
        }
        // The last look at the system's clock, by which the caller may judge. It is taken shortly
        // before the end, where its cost delays nothing: it was read before the counter, so at the
        // new goal it has reached its deadline.
        let os_now = machine.monotonic();
        now = clock.now();
        let os_goal = Ticks(match deadline.os.checked_sub(os_now) {
            Some(left) => now.0.saturating_add(ticks(left)),
            None => now.0.saturating_sub(ticks(os_now - deadline.os)),
        });
        goal = goal.max(os_goal);
        // What it takes to read two clocks is lateness, what they are slewed by is not.
        if deadline.both && os_goal.0.saturating_sub(deadline.ticks.0) > close {
            due = os_goal;
        }
        // Once now, while there is time, for what it leaves in the caches: after a long sleep they
        // are cold, and each miss after the deadline is lateness.
        close_up(waited, scale, (begin, due), now);
        // If that is far off the system's clock is the slower one, and is asked again.
        if goal.0.saturating_sub(now.0) <= close {
            break;
        }
    }
    while now < goal {
        now = match next(now, waited) {
            Some(next) => next,
            None => return give_up(clock, awake, waited),
        };
    }
    close_up(waited, scale, (begin, due), now);
}

/// What is left to do after the deadline: as little as possible.
#[inline(never)]
fn close_up(waited: &mut Waited, scale: Scale, (begin, due): (Ticks, Ticks), end: Ticks) {
    waited.spun_ns = scale.ns(end.0.saturating_sub(begin.0));
    waited.late_ns = scale.ns(end.0.saturating_sub(due.0));
}

/// The end by the system's clock of a spin on a counter that did not get there.
#[cold]
fn give_up<M: Machine>(clock: &Clock<M>, awake: &Awake, waited: &mut Waited) {
    // Let the calibration find out why.
    clock.sync();
    let scale = clock.scale();
    close_up(
        waited,
        scale,
        (awake.begin, awake.deadline.ticks),
        clock.now(),
    );
}
