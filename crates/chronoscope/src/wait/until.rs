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

/// In the last stretch, no `pause`: it can take 140 cycles (Intel optimisation manual, "PAUSE
/// latency in Skylake client").
const LAST_STRETCH_NS: u64 = 300;

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

/// Waits until the clock and the system's monotonic clock are at their deadlines.
pub(super) fn until<M: Machine>(
    clock: &Clock<M>,
    memory: &mut Memory,
    effort: Effort,
    deadline: Deadline,
) -> Waited {
    let machine = clock.machine();
    let mut waited = Waited::default();
    let mut now = clock.start();
    let mut os_now = machine.monotonic();
    // Where the counter stands still, the system's clock alone decides, a little later.
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
        now = clock.start();
        os_now = machine.monotonic();
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
            memory.learn(remaining, late, slept_at);
        }
    }
    spin(clock, now, deadline, os_latest, &mut waited);
    waited
}

/// Spins until both deadlines have passed, and says how long that took.
fn spin<M: Machine>(
    clock: &Clock<M>,
    begin: Ticks,
    deadline: Deadline,
    os_latest: u64,
    waited: &mut Waited,
) {
    let mut now = begin;
    let machine = clock.machine();
    let scale = clock.scale();
    let ticks = |ns| scale.ticks(ns).unwrap_or(u64::MAX);
    let (gap, close, last) = (ticks(GAP_NS), ticks(CLOSE_NS), ticks(LAST_STRETCH_NS));
    let mut goal = deadline.ticks.0;
    let mut stretch = Stretch {
        scale,
        begin,
        due: deadline.ticks,
    };
    let mut reconciled = false;
    let mut looks = 0u32;
    loop {
        if now.0 >= goal && reconciled {
            return close_up(waited, &stretch, now);
        }
        let left = goal.saturating_sub(now.0);
        if left <= close && !reconciled {
            // The last look at the system's clock, by which the caller may judge. It is taken
            // shortly before the end, where its cost delays nothing: it was read before the
            // counter, so at the new goal it has reached its deadline.
            let os_now = machine.monotonic();
            now = clock.now();
            let os_goal = match deadline.os.checked_sub(os_now) {
                Some(left) => now.0.saturating_add(ticks(left)),
                None => now.0.saturating_sub(ticks(os_now - deadline.os)),
            };
            goal = goal.max(os_goal);
            // What it takes to read two clocks is lateness, what they are slewed by is not.
            if deadline.both && os_goal.saturating_sub(deadline.ticks.0) > close {
                stretch.due = Ticks(os_goal);
            }
            // If that is far off the system's clock is the slower one, and will be asked again.
            reconciled = goal.saturating_sub(now.0) <= close;
            // Once now, while there is time, for what it leaves in the caches: after a long sleep
            // they are cold, and each miss after the deadline is lateness.
            close_up(waited, &stretch, now);
            continue;
        }
        if left > last {
            std::hint::spin_loop();
        }
        let next = clock.now();
        if next.0.saturating_sub(now.0) > gap {
            waited.preempted += 1;
        }
        now = next;
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(LOOKS) && machine.monotonic() >= os_latest {
            // The counter has fallen behind: let the calibration find out why.
            clock.sync();
            return close_up(waited, &stretch, now);
        }
    }
}

/// What a spin is measured by. It is handed over by reference, so that it takes no register of the
/// loop.
struct Stretch {
    /// One that is at hand at the end.
    scale: Scale,
    begin: Ticks,
    /// From when on a return is late.
    due: Ticks,
}

/// What is left to do after the deadline: as little as possible.
#[inline(never)]
fn close_up(waited: &mut Waited, stretch: &Stretch, end: Ticks) {
    let ns = |from: Ticks| stretch.scale.ns(end.0.saturating_sub(from.0));
    (waited.spun_ns, waited.late_ns) = (ns(stretch.begin), ns(stretch.due));
}
