//! What else happens while waits are measured: gaps, steps of the wall clock, and a change of
//! power; and when it all was, over the stops of a run that is resumed.
//!
//! Gaps are periods in which the whole process could not run, because it was stopped, its control
//! group was frozen, or the machine was suspended.
//!
//! `watch` shows the drift of the wall clock too.

use crate::add_up_to;
use crate::engine::ruler::Bracket;
use crate::engine::{keep, keep_cpus, notes};
use chronoscope_model::against::Set;
use chronoscope_model::trust::Gap;
use chronoscope_model::{Note, waits};
use chronoscope_probes::machine::outside::OUTLIVES;
use chronoscope_probes::machine::quota::Freezer;
use chronoscope_probes::machine::{self, Root};
use chronoscope_probes::waits::os;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct Gaps {
    /// When the process was last seen to have continued after a stop, by the system's clock.
    continued: AtomicU64,
    /// The time for which the machine had been suspended at the last check, in nanoseconds.
    suspended: AtomicU64,
    /// When the machine was last seen to have been suspended, by the system's clock.
    resumed: AtomicU64,
    /// For how long it had been suspended at the start, and has been since, in nanoseconds.
    origin: u64,
    pub(super) slept: Arc<AtomicU64>,
    /// When the control group was last seen to have been frozen, by the system's clock.
    thawed: AtomicU64,
    freezer: Freezer,
}

/// The time of an event that has never happened. No clock shows this value: it is some 584 years
/// after the machine started.
const NEVER: u64 = u64::MAX;

/// Whether an event that last happened at `moment` did so within the `ns` nanoseconds before `now`.
/// `ns` may reach back to before the machine started.
fn within(moment: u64, ns: u64, now: u64) -> bool {
    moment != NEVER && now.saturating_sub(moment) <= ns
}

impl Gaps {
    /// Starts to watch now: an earlier stop does not concern the run.
    pub(super) fn watch() -> Self {
        os::forget_continue();
        let origin = os::suspended().unwrap_or(0);
        Self {
            continued: AtomicU64::new(NEVER),
            suspended: AtomicU64::new(origin),
            origin,
            resumed: AtomicU64::new(NEVER),
            slept: Arc::default(),
            thawed: AtomicU64::new(NEVER),
            freezer: Freezer::of(&Root::host()),
        }
    }

    /// Returns why the process could not run at some time within the last `ns` nanoseconds, if so.
    ///
    /// A continued process finds SIGCONT pending. The signal is consumed once it has been recorded,
    /// so that it explains the gap that it caused and nothing later.
    pub(super) fn since(&self, ns: i64) -> Option<&'static str> {
        self.look();
        let (ns, now) = (ns.unsigned_abs(), os::monotonic());
        let within = |moment: &AtomicU64| within(moment.load(Ordering::Acquire), ns, now);
        if within(&self.continued) {
            return Some("stopped");
        }
        if within(&self.thawed) {
            return Some("frozen");
        }
        within(&self.resumed).then_some("suspended")
    }

    /// Records a stop, a freeze or a suspend that has just ended.
    pub(super) fn look(&self) {
        if os::continued() {
            // Record first, then consume: a thread that no longer sees the signal sees the record.
            self.continued.store(os::monotonic(), Ordering::Release);
            os::forget_continue();
        }
        if self.freezer.was_frozen() {
            self.thawed.store(os::monotonic(), Ordering::Release);
            self.freezer.forget();
        }
        if let Some(now) = os::suspended() {
            let before = self.suspended.load(Ordering::Acquire);
            if now >= before.saturating_add(os::SUSPENDED_NS) {
                self.resumed.store(os::monotonic(), Ordering::Release);
                self.slept.store(now.saturating_sub(self.origin), Ordering::Release);
                self.suspended.store(now, Ordering::Release);
            }
        }
    }
}

/// A run cannot last longer than this, in seconds.
pub(super) const MOST_S: f64 = 1e9;

/// The boot of this machine, and the time since then in nanoseconds, if another process can compare
/// it.
fn booted() -> Option<(String, u64)> {
    let boot = machine::boot_id().filter(|_| OUTLIVES)?;
    Some((boot, os::monotonic().saturating_add(os::suspended()?)))
}

/// How long ago a course of an earlier run began, in seconds: by the time since the boot if that is
/// the same, or else by the wall clock. `None` if its figures are impossible, because reports are
/// untrusted.
pub(super) fn age_s(course: &waits::Course) -> Option<f64> {
    let started: jiff::Timestamp = course.started.parse().ok()?;
    let seconds = Some(course.seconds).filter(|s| (0.0..=MOST_S).contains(s))?;
    let same = booted().filter(|(boot, _)| course.boot.as_ref() == Some(boot));
    let passed = same
        .zip(course.booted_ns)
        .map(|((_, now), then)| seconds + now.saturating_sub(then) as f64 / 1e9);
    let by_wall = || (jiff::Timestamp::now().duration_since(started)).as_secs_f64();
    Some(passed.unwrap_or_else(by_wall).clamp(seconds, MOST_S))
}

/// The most steps that a run notes.
const MOST_STEPS: usize = 20;

/// When the waits of a load are measured, and what happens to the machine meanwhile.
pub(super) struct Course {
    so_far: waits::Course,
    last: os::Clocks,
    /// The CPUs that are online.
    cpus: Option<String>,
    /// Since when no checkpoint can be written, in seconds after the beginning.
    unkept_s: Option<f64>,
    /// The steps of the wall clock. They affect no wait here, because none runs on that clock, but
    /// matter to anyone who looks for the cause of an overshoot.
    pub(super) notes: Vec<Note>,
    pub(super) power: Power,
    /// Whether an earlier run left nothing to measure.
    ended: bool,
}

impl Course {
    /// Begins, `at_s` seconds after the first wait of the load could begin, in this run or in an
    /// `earlier` one, which has `ended` if nothing of it is left.
    pub(super) fn new(earlier: Option<&waits::Course>, ended: bool, at_s: f64) -> Self {
        let so_far = match earlier {
            Some(earlier) => {
                let mut so_far = earlier.clone();
                if !ended {
                    let seconds = at_s - earlier.seconds;
                    keep(&mut so_far.stops, Gap { at_s, seconds });
                }
                so_far
            }
            None => {
                let ago = jiff::SignedDuration::from_secs_f64(at_s);
                let started = jiff::Timestamp::now().checked_sub(ago).unwrap_or_default();
                waits::Course { started: started.to_string(), ..waits::Course::default() }
            }
        };
        let ended = ended && earlier.is_some();
        let (last, cpus) = (os::Clocks::now(), machine::online());
        let power = Power::new(None);
        Self { so_far, last, cpus, unkept_s: None, notes: Vec::new(), power, ended }
    }

    /// Takes in a look at the clocks and at the CPUs that are online, `at_s` seconds after the
    /// beginning.
    pub(super) fn look(&mut self, clocks: os::Clocks, cpus: Option<String>, at_s: f64) {
        keep_cpus(&mut self.so_far.cpus, &mut self.cpus, cpus, at_s);
        let os::Change { suspended, set } = clocks.since(&self.last);
        self.last = clocks;
        if suspended > 0 {
            keep(&mut self.so_far.suspensions, Gap { at_s, seconds: suspended as f64 / 1e9 });
        }
        let Some(by_ns) = set else { return };
        keep(&mut self.so_far.set, Set { at_s, by_ns });
        add_up_to(&mut self.notes, MOST_STEPS, notes::stepped(by_ns / 1e9, at_s.ceil()));
    }

    /// Takes in whether a checkpoint could be written, `at_s` seconds after the beginning.
    pub(super) fn kept(&mut self, kept: bool, at_s: f64) {
        self.unkept_s = match self.unkept_s {
            Some(since) if kept => {
                keep(&mut self.so_far.unkept, Gap { at_s, seconds: at_s - since });
                None
            }
            since => since.or((!kept).then_some(at_s)),
        };
    }

    /// The course until now, `at_s` seconds after the beginning.
    pub(super) fn report(&self, at_s: f64) -> waits::Course {
        if self.ended {
            return self.so_far.clone();
        }
        let (boot, booted_ns) = booted().unzip();
        let mut now = waits::Course { seconds: at_s, boot, booted_ns, ..self.so_far.clone() };
        now.unkept.extend(self.unkept_s.map(|since| Gap { at_s, seconds: at_s - since }));
        now
    }
}

/// The drift is that of at most this many looks, a second apart.
const LOOKS: usize = 60;

/// Watches the wall clock.
pub struct ClockWatch {
    last: os::Clocks,
    /// The clock that nothing slews, and the wall clock less that one, which wraps, since the last
    /// step.
    looks: VecDeque<(u64, u64)>,
}

/// What was seen since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// The rate of the wall clock against a clock that nothing slews, in parts per million, over
    /// the last minute or since the last step.
    pub drift_ppm: Option<f64>,
    /// Steps.
    pub steps: u64,
}

impl Default for ClockWatch {
    fn default() -> Self {
        Self { last: os::Clocks::now(), looks: VecDeque::from([look_at_clocks()]) }
    }
}

/// The clock that nothing slews, and the wall clock less that one: the tightest of a few tries.
fn look_at_clocks() -> (u64, u64) {
    let found = Bracket::tightest(8, os::reference, os::wall, os::reference);
    (found.middle(), found.value.wrapping_sub(found.middle()))
}

impl ClockWatch {
    /// Looks at the clocks. Call it about once a second.
    pub fn look(&mut self) -> Kept {
        let clocks = os::Clocks::now();
        let os::Change { suspended, set } = clocks.since(&self.last);
        self.last = clocks;
        if suspended > 0 || set.is_some() {
            self.looks.clear();
        }
        self.looks.truncate(LOOKS);
        self.looks.push_front(look_at_clocks());
        Kept { drift_ppm: drift_ppm(&self.looks), steps: set.is_some().into() }
    }
}

/// The drift from the oldest of these looks to the newest, which is the first.
fn drift_ppm(looks: &VecDeque<(u64, u64)>) -> Option<f64> {
    let (newest, oldest) = (looks.front()?, looks.back()?);
    let moved = newest.1.wrapping_sub(oldest.1).cast_signed() as f64;
    let passed = newest.0.saturating_sub(oldest.0) as f64;
    (passed > 0.0).then(|| moved / passed * 1e6)
}

pub(super) struct Power {
    /// The power source when the run began; absent if the system does not report it.
    pub(super) source: Option<String>,
    now: Option<String>,
    pub(super) notes: Vec<Note>,
}

/// The most changes that a run notes.
const MOST_CHANGES: usize = 20;

impl Power {
    /// Starts with the current source.
    pub(super) fn new(source: Option<String>) -> Self {
        Self { now: source.clone(), source, notes: Vec::new() }
    }

    /// Checks the source again, `at_s` seconds into the run.
    pub(super) fn look(&mut self, source: Option<String>, at_s: f64) {
        let Some(source) = source else { return };
        let before = self.now.replace(source.clone()).filter(|before| *before != source);
        if let Some(before) = before {
            let note = notes::power_changed(&before, &source, at_s);
            add_up_to(&mut self.notes, MOST_CHANGES, note);
        }
    }
}

#[cfg(test)]
mod gaps_tests {
    use super::*;

    #[test]
    fn what_never_happened_explains_no_overshoot() {
        // One second after the machine started, and an hour late.
        assert!(!within(NEVER, 3_600_000_000_000, 1_000_000_000));
        assert!(!within(NEVER, u64::MAX, u64::MAX - 1));
        assert!(within(500, 3_600_000_000_000, 1_000_000_000));
        assert!(within(500, 100, 600) && !within(500, 99, 600));
    }
}

#[cfg(test)]
mod course_tests {
    use super::*;

    #[test]
    fn a_course_goes_on_over_a_stop_and_keeps_what_was_before() {
        let started = jiff::Timestamp::now() - jiff::SignedDuration::from_secs(100);
        let earlier = waits::Course {
            started: started.to_string(),
            seconds: 40.0,
            suspensions: vec![Gap { at_s: 3.0, seconds: 1.0 }],
            ..waits::Course::default()
        };
        let age = age_s(&earlier).expect("sane");
        assert!(age >= 100.0, "{age}");
        let course = Course::new(Some(&earlier), false, age).report(age + 1.0);
        assert_eq!(course.stops, [Gap { at_s: age, seconds: age - 40.0 }]);
        assert_eq!(course.suspensions, earlier.suspensions);
        assert_eq!((course.started.clone(), course.seconds), (earlier.started.clone(), age + 1.0));
        assert_eq!(Course::new(Some(&earlier), true, age).report(age), earlier);
        if let Some((boot, now)) = booted() {
            // Whatever the wall clock shows.
            let (boot, booted_ns) = (Some(boot), Some(now.saturating_sub(5_000_000_000)));
            let started = "1971-01-01T00:00:00Z".into();
            let same = waits::Course { boot, booted_ns, started, ..earlier.clone() };
            let age = age_s(&same).expect("sane");
            assert!((45.0..1e6).contains(&age), "{age}");
        }
        for seconds in [f64::NAN, -1.0, 1e300] {
            assert_eq!(age_s(&waits::Course { seconds, ..earlier.clone() }), None);
        }
        assert_eq!(age_s(&waits::Course::default()), None);
    }

    #[test]
    fn a_suspension_and_a_step_are_entries_and_only_the_step_is_noted() {
        const S: u64 = 1_000_000_000;
        let mut course = Course::new(None, true, 0.0);
        let begin = os::Clocks { suspended: Some(0), ..course.last };
        course.last = begin;
        let at = |s: u64, slept: u64, set: u64| os::Clocks {
            monotonic: begin.monotonic + (s - slept) * S,
            wall_offset: begin.wall_offset.wrapping_add((slept + set) * S),
            suspended: Some(slept * S),
        };
        course.look(at(1, 0, 0), None, 1.0);
        course.look(at(62, 60, 0), None, 62.0);
        assert!(course.notes.is_empty(), "{:?}", course.notes);
        course.look(at(64, 60, 5), None, 63.5);
        let [note] = &course.notes[..] else { panic!("{:?}", course.notes) };
        assert!(note.text.contains("+5.00") && note.text.contains("before second 64 "), "{note:?}");
        let found = course.report(65.0);
        assert_eq!(found.suspensions, [Gap { at_s: 62.0, seconds: 60.0 }]);
        assert_eq!(found.set, [Set { at_s: 63.5, by_ns: 5e9 }]);
        assert_eq!((found.seconds, found.stops.len()), (65.0, 0));
        // A clock that steps endlessly does not fill the report.
        (65..1_000).for_each(|s| course.look(at(s, 60, s), None, s as f64));
        let found = course.report(1_000.0);
        assert_eq!((course.notes.len(), found.set.len()), (MOST_STEPS, 256));
        assert_eq!(found.set.last().map(|set| set.at_s), Some(999.0));
    }

    #[test]
    fn cpus_that_go_offline_and_times_without_a_checkpoint_are_entries() {
        let mut course = Course::new(None, true, 0.0);
        course.cpus = None;
        for (at_s, cpus, kept) in [
            (1.0, Some("0-3"), true),
            (2.0, Some("0-2"), false),
            (3.0, None, false),
            (4.0, Some("0-3"), true),
            (5.0, Some("0-3"), false),
        ] {
            course.look(course.last, cpus.map(str::to_owned), at_s);
            course.kept(kept, at_s);
        }
        let found = course.report(6.5);
        let cpus: Vec<_> = found.cpus.iter().map(|it| (it.at_s, &*it.before, &*it.after)).collect();
        assert_eq!(cpus, [(2.0, "0-3", "0-2"), (4.0, "0-2", "0-3")]);
        // The last of them goes on.
        let times = [Gap { at_s: 4.0, seconds: 2.0 }, Gap { at_s: 6.5, seconds: 1.5 }];
        assert_eq!(found.unkept, times);
    }
}

#[cfg(test)]
mod clock_watch_tests {
    use super::*;

    #[test]
    fn the_drift_is_that_of_the_whole_time_even_where_the_offset_wraps() {
        let looks: VecDeque<_> = (0..10u64)
            .rev()
            .map(|n| (n * 1_000_000_000, (n * 2_000).wrapping_sub(7_000)))
            .collect();
        assert_eq!(drift_ppm(&looks), Some(2.0));
        assert_eq!(drift_ppm(&VecDeque::from([(5, 5)])), None);
        let mut watch = ClockWatch::default();
        for _ in 0..LOOKS + 5 {
            watch.look();
        }
        assert!(watch.looks.len() <= LOOKS + 1);
    }
}

#[cfg(test)]
mod power_tests {
    use super::*;

    #[test]
    fn a_change_is_noted_once_and_the_source_at_the_start_stays() {
        let some = |source: &str| Some(source.to_owned());
        let mut power = Power::new(some("mains"));
        power.look(some("mains"), 1.0);
        // For once, the source could not be read.
        power.look(None, 2.0);
        power.look(some("battery"), 3.2);
        power.look(some("battery"), 4.0);
        let [note] = power.notes.as_slice() else { panic!("{:?}", power.notes) };
        assert!(note.text.contains("mains until about second 3"), "{}", note.text);
        assert!(note.text.contains("battery after"), "{}", note.text);
        assert_eq!(power.source.as_deref(), Some("mains"));
        let mut none = Power::new(None);
        none.look(some("mains"), 1.0);
        assert!(none.notes.is_empty() && none.source.is_none());
    }
}
