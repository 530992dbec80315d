//! The look at the system's clocks once a second: steps of the wall clock, stalls, suspension, and
//! what a CPU quota throttled.

use chronoscope_probes::machine::Root;
use chronoscope_probes::machine::noise::run_queue_ns;
use chronoscope_probes::machine::quota::{Freezer, Quota};
use chronoscope_probes::waits::os;
use std::time::Duration;

/// A shorter standstill is not a stall: ordinary machines wake a thread that late. In nanoseconds,
/// as for the pauses of `trust`.
const STALL_NS: u64 = 100_000_000;

/// What the clocks and counts show at one moment, in nanoseconds; `None` is unknown here.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    clocks: os::Clocks,
    throttled: Option<u64>,
    /// How long this thread has been ready to run and waited for a CPU.
    queued: Option<u64>,
}

/// What happened between two looks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// Whether the wall clock was stepped, and if so, whether forward.
    pub stepped_forward: Option<bool>,
    /// In seconds, like the others.
    pub stalled_s: f64,
    pub suspended_s: f64,
    pub throttled_s: f64,
}

impl Seen {
    /// Whether anything happened that should be shown at once.
    pub fn is_event(&self) -> bool {
        self.stepped_forward.is_some() || self.stalled_s + self.suspended_s > 0.0
    }
}

/// Looks at this machine.
#[derive(Debug)]
pub struct Watch {
    quota: Option<Quota>,
    freezer: Freezer,
    last: Look,
}

impl Watch {
    /// Takes the first look. [`os::hold_signals`] must have been called on every thread, or a
    /// process that is stopped and continued looks like a stall.
    pub fn new() -> Self {
        let root = Root::host();
        let (quota, freezer) = (Quota::of(&root), Freezer::of(&root));
        let mut watch = Self { quota, freezer, last: Look::default() };
        watch.last = watch.look();
        watch
    }

    /// Sleeps for this time, and returns what happened since the last sleep, and during this one.
    pub fn sleep(&mut self, time: Duration) -> Seen {
        os::forget_continue();
        self.freezer.forget();
        let before = self.look();
        chronoscope_probes::time::sleep(time);
        let after = self.look();
        let halted = os::continued() || self.freezer.was_frozen();
        let stalled = if halted { 0 } else { stall(&before, &after, time) };
        let seen = Seen { stalled_s: seconds(stalled), ..between(&self.last, &after) };
        self.last = after;
        seen
    }

    /// What cannot be seen here, each with the reason.
    pub fn absent(&self) -> Vec<String> {
        let all = [
            (
                self.last.queued.is_none(),
                "stalls: this system does not count how long a thread waits for a CPU",
            ),
            (
                self.last.clocks.suspended.is_none(),
                "steps and suspension: this system does not count how long it was suspended",
            ),
            (
                self.quota.is_none(),
                "throttling: no control group of this process with a CPU quota can be seen",
            ),
        ];
        all.into_iter().filter(|(absent, _)| *absent).map(|(_, what)| what.into()).collect()
    }

    fn look(&self) -> Look {
        Look {
            clocks: os::Clocks::now(),
            throttled: self.quota.as_ref().map(|quota| quota.throttled().ns),
            queued: run_queue_ns(),
        }
    }
}

fn seconds(ns: u64) -> f64 {
    Duration::from_nanos(ns).as_secs_f64()
}

/// How much a count grew; 0 if it is unknown.
fn grew(before: Option<u64>, after: Option<u64>) -> u64 {
    before.zip(after).map_or(0, |(before, after)| after.saturating_sub(before))
}

/// Finds what happened between two looks, except for stalls.
fn between(before: &Look, after: &Look) -> Seen {
    let os::Change { suspended, set } = after.clocks.since(&before.clocks);
    // Whoever does not know suspension cannot tell it from a step.
    let set = set.filter(|_| after.clocks.suspended.is_some());
    Seen {
        stepped_forward: set.map(|ns| ns > 0.0),
        stalled_s: 0.0,
        suspended_s: seconds(suspended),
        throttled_s: seconds(grew(before.throttled, after.throttled)),
    }
}

/// For how long the machine, or at least the CPU of this thread, stood still during a sleep of this
/// time, in nanoseconds. That is the part of the sleep beyond its end in which nothing on this
/// system kept the thread from running: it neither waited for a CPU next to other threads, nor was
/// its group throttled. It is a hypervisor that ran something else, or an interrupt of the
/// firmware; a control group of the first version that was frozen looks the same. A part of less
/// than 100 ms counts as none, and so does everything where the system does not count how long a
/// thread waits for a CPU.
fn stall(before: &Look, after: &Look, time: Duration) -> u64 {
    if before.queued.is_none() || after.queued.is_none() {
        return 0;
    }
    let asked = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let slept = after.clocks.monotonic.saturating_sub(before.clocks.monotonic);
    let late = slept.saturating_sub(asked);
    let explained =
        grew(before.queued, after.queued).saturating_add(grew(before.throttled, after.throttled));
    Some(late.saturating_sub(explained)).filter(|ns| *ns >= STALL_NS).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A look one second after another, on a machine that knows everything.
    fn one_second_later(before: Look) -> Look {
        let clocks = os::Clocks {
            monotonic: before.clocks.monotonic + SECOND,
            suspended: before.clocks.suspended.or(Some(0)),
            ..before.clocks
        };
        Look { clocks, throttled: before.throttled.or(Some(0)), queued: before.queued.or(Some(0)) }
    }

    fn first() -> Look {
        one_second_later(Look::default())
    }

    #[test]
    fn a_step_has_its_direction_and_may_be_a_suspension_that_nobody_counts() {
        let before = first();
        let seen = |suspended: Option<u64>, by: i64| {
            let mut after = one_second_later(before);
            after.clocks.wall_offset = after.clocks.wall_offset.wrapping_add_signed(by);
            after.clocks.suspended = suspended;
            let seen = between(&before, &after);
            (seen.stepped_forward, seen.suspended_s, seen.is_event())
        };
        assert_eq!(seen(Some(0), 10_000_000), (Some(true), 0.0, true));
        assert_eq!(seen(Some(0), -10_000_000), (Some(false), 0.0, true));
        let minute = 60 * SECOND;
        assert_eq!(seen(Some(minute), minute.cast_signed()), (None, 60.0, true));
        assert_eq!(seen(None, minute.cast_signed()), (None, 0.0, false));
    }

    #[test]
    fn a_stall_is_the_lateness_that_nothing_on_the_system_explains() {
        let before = first();
        let time = Duration::from_secs(1);
        let late = |late: u64, queued: u64, throttled: u64| {
            let after = one_second_later(before);
            let mut after = Look { queued: Some(queued), throttled: Some(throttled), ..after };
            after.clocks.monotonic += late;
            stall(&before, &after, time)
        };
        assert_eq!(late(50_000_000, 0, 0), 0);
        assert_eq!(late(2 * SECOND, 0, 0), 2 * SECOND);
        // Others had the CPU, or the quota was used up.
        assert_eq!(late(2 * SECOND, 2 * SECOND - 1_000, 0), 0);
        assert_eq!(late(2 * SECOND, 0, 2 * SECOND), 0);
        assert_eq!(late(2 * SECOND, SECOND / 2, SECOND / 2), SECOND);
        assert_eq!(late(2 * SECOND, u64::MAX, u64::MAX), 0);
        let unknown = Look { queued: None, ..before };
        assert_eq!(stall(&unknown, &one_second_later(unknown), Duration::ZERO), 0);
    }

    #[test]
    fn throttling_and_counts_that_fall() {
        let mut before = Look { throttled: Some(5), ..first() };
        before.clocks.suspended = Some(9 * SECOND);
        let after = Look { throttled: Some(5 + SECOND / 4), ..one_second_later(before) };
        let seen = between(&before, &after);
        assert_eq!((seen.throttled_s, seen.suspended_s, seen.is_event()), (0.25, 0.0, false));
        // A group that was removed, and clocks that go back.
        let seen = between(&after, &Look { throttled: Some(0), ..before });
        assert_eq!((seen.throttled_s, seen.suspended_s), (0.0, 0.0));
    }
}
