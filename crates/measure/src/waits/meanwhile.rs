//! What else happens while waits are measured: gaps, steps of the wall clock, and a change of
//! power; and when it all was, over the stops of a run that is resumed.
//!
//! Gaps are periods in which the whole process could not run, because it was stopped, its control
//! group was frozen, or the machine was suspended.
//!
//! `watch` shows the drift of the wall clock too.

use crate::engine::notes;
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

/// Shorter suspends, in nanoseconds, are within the scatter of the clocks.
const SHORTEST_SUSPEND: u64 = 1_000_000;

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
            if now > before + SHORTEST_SUSPEND {
                self.resumed.store(os::monotonic(), Ordering::Release);
                self.slept.store(now.saturating_sub(self.origin), Ordering::Release);
                self.suspended.store(now, Ordering::Release);
            }
        }
    }
}

/// The most stops, suspensions and steps of each kind that a course keeps: the latest.
const MOST_ENTRIES: usize = 256;
/// A run cannot last longer than this, in seconds.
pub(super) const MOST_S: f64 = 1e9;

fn keep<T>(entries: &mut Vec<T>, entry: T) {
    entries.push(entry);
    let many = entries.len().saturating_sub(MOST_ENTRIES);
    entries.drain(..many);
}

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

/// When the waits of a load are measured, and what happens to the machine meanwhile.
pub(super) struct Course {
    so_far: waits::Course,
    pub(super) wall: Wall,
    slept: u64,
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
        Self { so_far, wall: Wall::new(os::wall_offset(), at_s), slept: 0, ended }
    }

    /// Looks what happened, `at_s` seconds after the beginning.
    pub(super) fn look(&mut self, gaps: &Gaps, at_s: f64) {
        let slept = || {
            gaps.look();
            gaps.slept.load(Ordering::Acquire)
        };
        let (before, offset, now) = (slept(), os::wall_offset(), slept());
        self.see(now, (before == now).then_some(offset), at_s);
    }

    /// Takes in for how long the machine has been suspended, in nanoseconds, and the offset of the
    /// clocks, if that was read meanwhile.
    fn see(&mut self, slept: u64, offset: Option<u64>, at_s: f64) {
        if slept > self.slept {
            let seconds = (slept - self.slept) as f64 / 1e9;
            keep(&mut self.so_far.suspensions, Gap { at_s, seconds });
            self.slept = slept;
        }
        // The wall clock goes on while the machine is suspended, which sets nothing.
        let offset = offset.map(|offset| offset.wrapping_sub(slept));
        if let Some(by_ns) = offset.and_then(|offset| self.wall.look(offset, at_s)) {
            keep(&mut self.so_far.set, Set { at_s, by_ns });
        }
    }

    /// The course until now, `at_s` seconds after the beginning.
    pub(super) fn report(&self, at_s: f64) -> waits::Course {
        if self.ended {
            return self.so_far.clone();
        }
        let (boot, booted_ns) = booted().unzip();
        waits::Course { seconds: at_s, boot, booted_ns, ..self.so_far.clone() }
    }
}

/// The most steps that a run notes.
const MOST_STEPS: usize = 20;
/// How far the system's clocks may differ without a step: what an NTP client may slew in a second
/// (adjtimex(2), 500 ppm), and the uncertainty of the reads.
const SLEW: f64 = 500e-6;
const READS_NS: f64 = 1e6;

/// What happened to the wall clock. A step affects no wait here, because none runs on that clock,
/// but it matters to anyone who looks for the cause of an overshoot.
pub(super) struct Wall {
    offset: u64,
    at_s: f64,
    /// How many steps there were.
    pub(super) steps: u64,
    pub(super) notes: Vec<Note>,
}

impl Wall {
    /// Starts with the current offset of the clocks, `at_s` seconds into the run.
    pub(super) fn new(offset: u64, at_s: f64) -> Self {
        Self { offset, at_s, steps: 0, notes: Vec::new() }
    }

    /// Checks the offset again. Returns by how many nanoseconds the wall clock was set, if it was.
    pub(super) fn look(&mut self, offset: u64, at_s: f64) -> Option<f64> {
        let moved = offset.wrapping_sub(self.offset) as i64 as f64;
        let slewed = (at_s - self.at_s).max(0.0) * SLEW * 1e9 + READS_NS;
        if moved.abs() > slewed {
            self.steps += 1;
            if self.notes.len() < MOST_STEPS {
                self.notes.push(notes::stepped(moved / 1e9, at_s.ceil()));
            }
        }
        self.forget(offset, at_s);
        (moved.abs() > slewed).then_some(moved)
    }

    /// Begins again with this offset, whatever happened before.
    pub(super) fn forget(&mut self, offset: u64, at_s: f64) {
        (self.offset, self.at_s) = (offset, at_s);
    }
}

/// The drift is that of at most this many looks, a second apart.
const LOOKS: usize = 60;

/// Watches the wall clock.
pub struct ClockWatch {
    wall: Wall,
    suspended: Option<u64>,
    /// The clock that nothing slews, and the wall clock less that one, which wraps, since the last
    /// step.
    looks: VecDeque<(u64, u64)>,
    began: u64,
}

/// What was seen since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// The rate of the wall clock against a clock that nothing slews, in parts per million, over
    /// the last minute or since the last step.
    pub drift_ppm: Option<f64>,
    /// Steps. One while the machine was suspended is not seen.
    pub steps: u64,
}

impl Default for ClockWatch {
    fn default() -> Self {
        Self {
            wall: Wall::new(os::wall_offset(), 0.0),
            suspended: os::suspended(),
            looks: VecDeque::from([look_at_clocks()]),
            began: os::monotonic(),
        }
    }
}

/// The clock that nothing slews, and the wall clock less that one: the tightest of a few tries.
fn look_at_clocks() -> (u64, u64) {
    let tries = (0..8).map(|_| {
        let before = os::reference();
        let wall = os::wall();
        let width = os::reference().wrapping_sub(before);
        let middle = before.wrapping_add(width / 2);
        (width, middle, wall.wrapping_sub(middle))
    });
    tries.min().map_or((0, 0), |(_, at, offset)| (at, offset))
}

impl ClockWatch {
    /// Looks at the clocks. Call it about once a second.
    pub fn look(&mut self) -> Kept {
        let suspended = os::suspended();
        let at_s = os::monotonic().saturating_sub(self.began) as f64 / 1e9;
        let before = self.wall.steps;
        if suspended.zip(self.suspended).is_some_and(|(now, before)| now > before + SUSPEND_NS) {
            // The clocks have moved apart, and a step could not be told from that.
            self.wall.forget(os::wall_offset(), at_s);
            self.looks.clear();
        } else {
            self.wall.look(os::wall_offset(), at_s);
        }
        self.suspended = suspended;
        let steps = self.wall.steps - before;
        if steps > 0 {
            self.looks.clear();
        }
        self.looks.truncate(LOOKS);
        self.looks.push_front(look_at_clocks());
        Kept { drift_ppm: drift_ppm(&self.looks), steps }
    }
}

/// A shorter suspend, in nanoseconds, is within the scatter of the clocks.
const SUSPEND_NS: u64 = 1_000_000;

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

    /// Whether the source can change: a machine that reports no source shows no changes.
    pub(super) fn is_known(&self) -> bool {
        self.source.is_some()
    }

    /// Checks the source again, `at_s` seconds into the run.
    pub(super) fn look(&mut self, source: Option<String>, at_s: f64) {
        let Some(source) = source else { return };
        if let Some(before) = self.now.as_ref().filter(|before| **before != source)
            && self.notes.len() < MOST_CHANGES
        {
            self.notes.push(notes::power_changed(before, &source, at_s));
        }
        self.now = Some(source);
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
    fn a_suspension_is_an_entry_and_sets_no_clock() {
        const S: u64 = 1_000_000_000;
        let mut course = Course::new(None, true, 0.0);
        let offset = course.wall.offset;
        course.see(0, Some(offset), 1.0);
        course.see(60 * S, Some(offset.wrapping_add(60 * S)), 62.0);
        course.see(60 * S, None, 63.0);
        assert!(course.wall.notes.is_empty(), "{:?}", course.wall.notes);
        course.see(60 * S, Some(offset.wrapping_add(61 * S)), 64.0);
        let found = course.report(65.0);
        assert_eq!(found.suspensions, [Gap { at_s: 62.0, seconds: 60.0 }]);
        let [set] = found.set[..] else { panic!("{found:?}") };
        assert!((set.by_ns - 1e9).abs() < 1e7 && set.at_s == 64.0, "{set:?}");
        assert_eq!((found.seconds, found.stops.len()), (65.0, 0));
    }
}

#[cfg(test)]
mod wall_tests {
    use super::*;

    #[test]
    fn a_step_is_noted_once_and_a_slew_is_not() {
        let mut wall = Wall::new(u64::MAX - 5, 0.0);
        let mut offset = u64::MAX - 5;
        for second in 1..=100u32 {
            // A clock that is slewed as fast as the kernel allows, across the end of the numbers.
            offset = offset.wrapping_add(500_000);
            match second {
                40 => offset = offset.wrapping_add(3_600_000_000_000),
                70 => offset = offset.wrapping_sub(2_000_000_000),
                _ => {}
            }
            wall.look(offset, f64::from(second));
        }
        let [forth, back] = wall.notes.as_slice() else { panic!("{:?}", wall.notes) };
        assert!(
            forth.text.contains("+3600.00") && forth.text.contains("before second 40 "),
            "{forth:?}"
        );
        let two = ["-1.99", "-2.0"].iter().any(|s| back.text.contains(s));
        assert!(two, "{back:?}");
    }

    #[test]
    fn a_clock_that_steps_endlessly_does_not_fill_the_report() {
        let mut wall = Wall::new(0, 0.0);
        for second in 1..=1000u32 {
            wall.look(u64::from(second) * 1_000_000_000_000, f64::from(second));
        }
        assert_eq!((wall.notes.len(), wall.steps), (MOST_STEPS, 1000));
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
        assert!(none.notes.is_empty() && !none.is_known());
    }
}
