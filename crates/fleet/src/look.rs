//! The look at the system's clocks once a second: steps of the wall clock, stalls, suspension, and
//! what a CPU quota throttled.

use chronoscope_probes::machine::Root;
use chronoscope_probes::machine::noise::run_queue_ns;
use chronoscope_probes::machine::quota::{Freezer, Quota};
use chronoscope_probes::waits::os;
use std::thread;
use std::time::Duration;

/// How much faster or slower the wall clock may run without a step: what an NTP client may slew
/// (adjtimex(2), 500 ppm), and the uncertainty of the reads, in nanoseconds.
const SLEW: f64 = 500e-6;
const READS_NS: f64 = 1e6;
/// A shorter standstill is not a stall: ordinary machines wake a thread that late. In nanoseconds,
/// as for the pauses of `trust`.
const STALL_NS: u64 = 100_000_000;
/// Suspension that is shorter is an error of the reads, in nanoseconds.
const SUSPEND_NS: u64 = 1_000_000;

/// What the clocks and counts show at one moment, in nanoseconds; `None` is unknown here.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    monotonic: u64,
    /// The wall clock less the monotonic clock, which wraps.
    wall_offset: u64,
    suspended: Option<u64>,
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
        thread::sleep(time);
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
                self.last.suspended.is_none(),
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
            monotonic: os::monotonic(),
            wall_offset: os::wall_offset(),
            suspended: os::suspended(),
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
    let passed_ns = after.monotonic.saturating_sub(before.monotonic) as f64;
    let suspended = Some(grew(before.suspended, after.suspended)).filter(|ns| *ns >= SUSPEND_NS);
    let suspended_ns = suspended.unwrap_or(0);
    let moved_ns = after.wall_offset.wrapping_sub(before.wall_offset).cast_signed() as f64;
    // The monotonic clock of Linux stands still during suspension, and the wall clock does not; on
    // Windows both go on.
    let without_ns = moved_ns - suspended_ns as f64;
    let moved_ns = if without_ns.abs() < moved_ns.abs() { without_ns } else { moved_ns };
    let tolerance_ns = SLEW * (passed_ns + suspended_ns as f64) + READS_NS;
    let stepped = after.suspended.is_some() && moved_ns.abs() > tolerance_ns;
    Seen {
        stepped_forward: stepped.then_some(moved_ns > 0.0),
        stalled_s: 0.0,
        suspended_s: seconds(suspended_ns),
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
    let late = after.monotonic.saturating_sub(before.monotonic).saturating_sub(asked);
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
        Look {
            monotonic: before.monotonic + SECOND,
            wall_offset: before.wall_offset.wrapping_add(400_000),
            suspended: before.suspended.or(Some(0)),
            throttled: before.throttled.or(Some(0)),
            queued: before.queued.or(Some(0)),
        }
    }

    fn first() -> Look {
        // The offset wraps while it is slewed.
        one_second_later(Look { wall_offset: u64::MAX - 1_000_000, ..Look::default() })
    }

    #[test]
    fn a_step_is_seen_once_with_its_direction_and_a_slew_is_not() {
        let mut looks = vec![first()];
        for second in 1..100u64 {
            let mut look = one_second_later(looks[looks.len() - 1]);
            match second {
                30 => look.wall_offset = look.wall_offset.wrapping_add(3_600 * SECOND),
                60 => look.wall_offset = look.wall_offset.wrapping_sub(SECOND / 100),
                _ => {}
            }
            looks.push(look);
        }
        let seen = looks.windows(2).map(|pair| between(&pair[0], &pair[1]));
        let steps: Vec<(usize, bool)> = seen
            .enumerate()
            .filter_map(|(at, seen)| Some((at + 1, seen.stepped_forward?)))
            .collect();
        assert_eq!(steps, [(30, true), (60, false)]);
    }

    #[test]
    fn suspension_is_no_step_on_either_kind_of_system() {
        let before = first();
        let night = 8 * 3_600 * SECOND;
        let linux = Look {
            suspended: Some(night),
            wall_offset: before.wall_offset.wrapping_add(night),
            ..one_second_later(before)
        };
        let windows = Look {
            suspended: Some(night),
            monotonic: before.monotonic + night,
            ..one_second_later(before)
        };
        for after in [linux, windows] {
            let seen = between(&before, &after);
            assert_eq!((seen.stepped_forward, seen.suspended_s), (None, 8.0 * 3_600.0));
            assert!(seen.is_event());
        }
        // A wall clock that is set right after the machine wakes.
        let set = Look { wall_offset: linux.wall_offset.wrapping_sub(60 * SECOND), ..linux };
        assert_eq!(between(&before, &set).stepped_forward, Some(false));
        // Whoever does not know suspension cannot tell it from a step.
        let unknown = Look { suspended: None, ..linux };
        assert_eq!(between(&Look { suspended: None, ..before }, &unknown), Seen::default());
    }

    #[test]
    fn a_stall_is_the_lateness_that_nothing_on_the_system_explains() {
        let before = first();
        let time = Duration::from_secs(1);
        let late = |late: u64, queued: u64, throttled: u64| {
            let after = one_second_later(before);
            let after = Look {
                monotonic: after.monotonic + late,
                queued: Some(queued),
                throttled: Some(throttled),
                ..after
            };
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
        let before = Look { throttled: Some(5), suspended: Some(9 * SECOND), ..first() };
        let after = Look { throttled: Some(5 + SECOND / 4), ..one_second_later(before) };
        let seen = between(&before, &after);
        assert_eq!((seen.throttled_s, seen.suspended_s, seen.is_event()), (0.25, 0.0, false));
        // A group that was removed, and clocks that go back.
        let seen = between(&after, &Look { throttled: Some(0), ..before });
        assert_eq!((seen.throttled_s, seen.suspended_s), (0.0, 0.0));
    }
}
