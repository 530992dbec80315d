//! How precisely one can wait, as found on this machine.
//!
//! Overshoots, added up as waits end.

mod spec;

use crate::against;
use crate::clock::Language;
use crate::histogram::{Decoded, Histogram, empty};
pub use crate::load::{Load, LoadProcess, LoadRun};
use crate::quantile::{Intervals, Percentile};
use crate::trust;
use crate::units::percent;
use crate::why::Why;
pub(crate) use spec::ns;
pub use spec::{Class, Moment, Plan, Policy, Priority, Slack, WaitSpec};

/// One method of waiting, at one duration, under one load: one row of the table.
///
/// Overshoot is the time at which the thread ran again, less the deadline, by the ruler of the
/// report. A negative overshoot is an early wake; it is counted, and recorded as 0 in the
/// histogram.
#[record]
pub struct Wait {
    /// The method's name in the catalogue, `family/variant`.
    pub id: String,
    /// The call as a user writes it.
    pub call: String,
    /// The language of that call.
    pub language: Language,
    /// What the thread does while it waits.
    pub kind: Kind,
    /// What is known of the method before it is measured; absent in reports of earlier versions.
    pub facts: Option<Facts>,
    /// The lines of code that make this wait, in that language; absent if the method cannot be
    /// used, and in reports of earlier versions.
    #[absent]
    pub code: String,
    /// Whether it can be used here.
    #[always]
    pub available: bool,
    /// Why it cannot be used, or why it failed during the run.
    pub unavailable_reason: Option<String>,
    /// Whether it exists only on other systems or processors.
    pub elsewhere: bool,
    /// The duration asked for, in nanoseconds; absent if the method is not available.
    pub requested_ns: Option<u64>,
    /// The period of the grid of absolute deadlines, in nanoseconds; absent for single waits, each
    /// of which begins after the one before has ended.
    pub period_ns: Option<u64>,
    /// How long the thread computed in each period, in nanoseconds; its CPU time includes that.
    pub work_ns: Option<u64>,
    /// Timer slack in effect, in nanoseconds; absent if it does not affect the method. On Windows,
    /// the period of the clock interrupt as the system reports it.
    pub slack_ns: Option<u64>,
    /// Whether that is the slack the thread had by default.
    pub default_slack: bool,
    /// The argument of `timeBeginPeriod`, in milliseconds (Windows); absent if it was not called.
    pub timer_period_ms: Option<u32>,
    /// What `NtSetTimerResolution` was asked for instead, in nanoseconds (Windows).
    pub timer_resolution_ns: Option<u64>,
    /// The scheduler's slice that the waiting thread asked for, in nanoseconds, as the system then
    /// reported it; absent for the slice that a thread has by default.
    pub slice_ns: Option<u64>,
    /// What ran alongside.
    #[serde(default)]
    pub load: Load,
    /// The CPU that the waiting thread was pinned to.
    pub cpu: Option<usize>,
    /// The slice that the scheduler gives a thread by default, in nanoseconds; absent if the system
    /// does not report it, and in reports of earlier versions.
    pub default_slice_ns: Option<u64>,
    /// How the waiting thread was scheduled: `other`, `fifo:40`, `class:high`, `ext:scx_lavd`; with
    /// a deadline its runtime and its period in nanoseconds, `deadline:100000/1000000`.
    #[absent]
    pub scheduling: String,
    /// The policy that the row was asked for; absent for that of the tool, or of its priority.
    pub policy: Option<Policy>,
    /// What powered the machine when the waits of this load began: `mains`, `battery`; absent if
    /// the system does not report it.
    pub power: Option<String>,
    /// Whether the CPUs were kept out of deep idle states during the run.
    pub kept_awake: bool,
    /// How many waits were measured, without those that fell into a gap.
    pub samples: u64,
    /// Waits that ended before their deadline by the ruler, by more than its stated error.
    pub early: u64,
    /// Smallest overshoot, in nanoseconds, by the ruler.
    pub min_ns: i64,
    /// Mean overshoot, in nanoseconds, by the ruler.
    pub mean_ns: f64,
    /// Largest overshoot, in nanoseconds, by the ruler.
    pub max_ns: i64,
    /// Standard deviation of the overshoots, in nanoseconds, by the ruler; absent in reports of
    /// earlier versions, and in runs that continue one of those.
    pub std_dev_ns: Option<f64>,
    /// Whether late waits took a whole number of ticks of the system's timer; absent if they did
    /// not, or if no tick is known.
    pub whole_ticks: Option<WholeTicks>,
    /// The same waits by the clock that the system's timers run on.
    pub by_clock: Option<ByClock>,
    /// The overshoots by the ruler.
    #[serde(default)]
    pub overshoot: Histogram,
    /// The 95 % intervals of its percentiles; absent in reports of earlier versions.
    #[absent]
    pub intervals: Intervals,
    /// Waits that were still in progress when the run ended; absent if there were none. They are
    /// not among the samples.
    pub censored: Option<Censored>,
    /// What a CPU quota throttled while the row was measured; absent if no control group with a
    /// quota can be seen.
    pub throttled: Option<Throttled>,
    /// CPU time of the waiting thread per wait, in nanoseconds, including the sampling.
    pub cpu_ns: Option<f64>,
    /// The same as a share of the time waited, 0 to 1.
    pub cpu_share: Option<f64>,
    /// The energy that the machine used while the row was measured, or why that is not known;
    /// absent in reports of earlier versions.
    pub energy: Option<Energy>,
    /// How often the waiting thread gave up its CPU.
    pub voluntary_switches: Option<u64>,
    /// How often it was taken off its CPU.
    pub involuntary_switches: Option<u64>,
    /// What applies only to a grid of deadlines; absent for single waits.
    pub grid: Option<Grid>,
    /// Periods in which the process could not run at all; a wait that touched one is not a sample.
    pub gaps: Vec<Gap>,
    /// How many gaps `gaps` leaves out because there were too many.
    #[absent]
    pub gaps_left_out: u64,
    /// When its load was measured, and what happened to all rows of it; absent in reports of
    /// earlier versions.
    pub course: Option<Course>,
    /// What the load really got; absent without a load.
    pub load_run: Option<LoadRun>,
    /// Wall time of this row's waits, in seconds.
    pub seconds: f64,
    /// What ended the run.
    #[serde(default)]
    pub stopped_by: StoppedBy,
    /// What is known of the overshoot that ended the run.
    pub moment: Option<Moment>,
    /// Why its waits ended late; absent if that was not asked for.
    pub why: Option<Why>,
    /// What happened to clocks or the machine during the run, in words.
    pub notes: Vec<String>,
}

impl Wait {
    /// The share of a CPU in words. A spin takes all the CPU time that it gets: a share that is
    /// much less than the whole is that of the time that something else left it, and not a low
    /// cost.
    pub fn cpu_words(&self) -> Option<String> {
        const WHOLE: f64 = 0.95;
        let share = self.cpu_share.filter(|share| share.is_finite())?;
        let all = self.kind == Kind::Busy && share < WHOLE;
        Some(format!("{}{}", percent(share), if all { ", all it got" } else { "" }))
    }

    /// How often the thread gave up its CPU per second: each of these is a wake-up.
    pub fn wakeups_per_s(&self) -> Option<f64> {
        let woken = self.voluntary_switches.filter(|_| self.seconds > 0.0)?;
        Some(woken as f64 / self.seconds)
    }

    /// The method, with what Windows' timer or the policy adds to its name.
    pub fn method(&self) -> String {
        let period = self.timer_period_ms.map(|ms| format!("+period({ms})"));
        let resolution = self.timer_resolution_ns.filter(|_| period.is_none());
        let resolution = resolution.map(|ns| format!("+resolution({} us)", ns as f64 / 1e3));
        let policy = self.policy.map(|policy| format!("+{}", policy.name()));
        [Some(self.id.clone()), period, resolution, policy].into_iter().flatten().collect()
    }

    /// The largest wait less the smallest, in nanoseconds: how repeatable the method is. Absent for
    /// a single wait, which has no spread.
    pub fn range_ns(&self) -> Option<u64> {
        (self.samples > 1).then(|| self.max_ns.abs_diff(self.min_ns))
    }

    /// The standard deviation, in nanoseconds. Older reports have one for a single wait, too.
    pub fn std_dev_ns(&self) -> Option<f64> {
        self.std_dev_ns.filter(|_| self.samples > 1)
    }

    /// By how much the waits were longer by the clock that the system's timers run on than by the
    /// ruler, in nanoseconds, on average.
    pub fn clock_difference_ns(&self) -> Option<f64> {
        let clock = self.by_clock.as_ref().filter(|_| self.samples > 0)?;
        Some(clock.mean_ns - self.mean_ns)
    }

    /// A percentile of its overshoots, in nanoseconds; absent if there are too few waits. It is
    /// capped at the largest of them: older reports hold the top of the bucket, which may lie
    /// above.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        self.capped(&self.overshoot, percentile)
    }

    /// The same with an entry for each missed deadline of a grid.
    pub fn corrected(&self, percentile: Percentile) -> Option<u64> {
        self.capped(&self.grid.as_ref()?.corrected, percentile)
    }

    fn capped(&self, histogram: &Histogram, percentile: Percentile) -> Option<u64> {
        let largest = u64::try_from(self.max_ns).unwrap_or(0);
        Some(histogram.percentile(percentile)?.min(largest))
    }
}

/// The energy that a whole machine used while a row was measured, whatever used it.
#[record]
pub struct Energy {
    /// What counts it, such as `package-0`.
    #[absent]
    pub source: String,
    /// The power, in watts, with its 95 % interval; absent if there were too few bursts.
    pub watts: Option<f64>,
    /// Lower end of the interval.
    pub low_watts: Option<f64>,
    /// Upper end of the interval.
    pub high_watts: Option<f64>,
    /// The energy of a wait, in microjoules.
    pub wait_uj: Option<f64>,
    /// Why it is not known.
    pub reason: Option<String>,
    /// What was counted, for `--resume`, as sums over bursts of waits: their number, their energy
    /// in microjoules, their time in nanoseconds, and the squares of the energy, the products of
    /// both, and the squares of the time.
    pub counted: Option<[f64; 6]>,
}

/// Waits that were still in progress when a run ended, and had been given a moment to end.
#[record(Eq)]
pub struct Censored {
    /// How many.
    pub count: u64,
    /// How late the latest of them was already, in nanoseconds: its overshoot is at least that. 0:
    /// none of them had reached its deadline.
    pub late_ns: u64,
}

/// What a CPU quota throttled, in the control groups of the process: itself, and the load.
#[record(Copy, Eq)]
pub struct Throttled {
    /// Periods in which a group had used up its quota.
    pub periods: u64,
    /// For how long groups were throttled, in nanoseconds, added up over their CPUs.
    pub ns: u64,
}

impl Throttled {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            periods: self.periods.saturating_add(other.periods),
            ns: self.ns.saturating_add(other.ns),
        }
    }

    /// What was throttled since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            periods: self.periods.saturating_sub(before.periods),
            ns: self.ns.saturating_sub(before.ns),
        }
    }
}

/// What a method takes as its argument.
#[record(Hash)]
pub enum Takes {
    /// A duration, which begins with the call.
    #[default]
    Duration,
    /// A deadline: the time between reading the clock and the call does not add to the wait.
    Deadline,
}

/// What is known of a wait method before it is measured, as its entry in the catalogue states.
#[record(Copy, Eq)]
pub struct Facts {
    /// What it takes as its argument.
    pub takes: Takes,
    /// The unit of that argument, in nanoseconds; the tool rounds finer durations up to it.
    pub unit_ns: u64,
    /// How early a wait may end by design, in nanoseconds. Such a wake still counts as early.
    #[absent]
    pub early_by_design_ns: u64,
    /// How late the kernel may let its timer expire.
    #[absent]
    pub timer_slack: TimerSlack,
}

/// How late a method's timer may expire, by the timer slack of the thread.
#[record]
pub enum TimerSlack {
    /// By as much as the slack.
    #[default]
    Whole,
    /// The kernel arms the timer without the slack.
    Unused,
    /// By the larger of the slack and 0.1 % of the duration, up to 100 ms (Linux fs/select.c,
    /// `select_estimate_accuracy`).
    Share,
}

impl TimerSlack {
    /// How late the timer of a wait may expire, in nanoseconds, for a thread with this slack.
    pub fn of(self, slack_ns: u64, wait_ns: u64) -> u64 {
        match self {
            Self::Whole => slack_ns,
            Self::Unused => 0,
            Self::Share => slack_ns.max((wait_ns / 1_000).min(100_000_000)),
        }
    }
}

/// What the thread does while it waits.
#[record(Names, Hash)]
pub enum Kind {
    /// It sleeps in the kernel.
    #[default]
    Sleep,
    /// It reads a clock repeatedly.
    Busy,
    /// It sleeps, then reads a clock.
    Hybrid,
}

/// The waits by a second clock.
#[record]
pub struct ByClock {
    /// Which clock, for example `CLOCK_MONOTONIC`.
    pub clock: String,
    /// Waits that ended before their deadline by this clock, by more than it takes to read it.
    pub early: u64,
    /// Smallest overshoot, in nanoseconds.
    pub min_ns: i64,
    /// Mean overshoot, in nanoseconds.
    pub mean_ns: f64,
    /// Largest overshoot, in nanoseconds.
    pub max_ns: i64,
    /// Standard deviation of the overshoots, in nanoseconds; absent in reports of earlier versions.
    pub std_dev_ns: Option<f64>,
}

/// Late waits that took a whole number of ticks of the system's timer: they began and ended at
/// ticks.
#[record(Copy, Eq)]
pub struct WholeTicks {
    /// The tick, in nanoseconds, as the system reports it.
    pub tick_ns: u64,
    /// Waits that were late by more than a small part of a tick.
    pub late: u64,
    /// How many of them took a whole number of ticks, to within that part.
    pub whole: u64,
    /// The number of ticks that most of those took.
    pub usual: u64,
}

/// Waits for deadlines that were all fixed in advance.
#[record]
pub struct Grid {
    /// Deadlines that had passed before the thread could wait for them, because it woke late from
    /// an earlier one.
    pub missed: u64,
    /// How many waits for deadlines ended per second, which are the frames per second of a game:
    /// the rate of the grid less the missed deadlines. Absent if nothing was measured.
    pub frames_per_s: Option<f64>,
    /// The overshoots including those of the missed deadlines: how late the thread was for each.
    /// The plain histogram omits them, because a thread that is late does not wait (coordinated
    /// omission).
    pub corrected: Histogram,
}

/// When the waits of a load were measured, and what happened meanwhile. All times of a row go on
/// from `started` over whatever stopped the run or the machine.
#[record]
pub struct Course {
    /// When the first wait could begin, in UTC by the wall clock, as RFC 3339.
    pub started: String,
    /// When the last had ended, in seconds from then.
    pub seconds: f64,
    /// Times at which the run was stopped, until it was resumed.
    pub stops: Vec<trust::Gap>,
    /// Times at which the machine was suspended.
    pub suspensions: Vec<trust::Gap>,
    /// Times at which the wall clock was set.
    pub set: Vec<against::Set>,
    /// Times at which CPUs went offline, or came back.
    pub cpus: Vec<trust::Online>,
    /// Times for which no checkpoint could be written.
    pub unkept: Vec<trust::Gap>,
    /// The boot of the machine at the end, for `--resume`; absent if the system does not tell one
    /// boot from another.
    pub boot: Option<String>,
    /// The time since that boot, in nanoseconds.
    pub booted_ns: Option<u64>,
}

/// A period in which the whole process could not run, and its cause.
#[record]
pub struct Gap {
    /// The cause: `stopped` (SIGSTOP and SIGCONT), `frozen` (its control group was), `suspended`
    /// (the machine slept).
    pub cause: String,
    /// When it ended, in seconds from the start of the course.
    pub at_s: f64,
    /// How late it made the wait that it fell into, in nanoseconds.
    pub late_ns: u64,
    /// Deadlines of the grid that passed during it.
    #[absent]
    pub missed: u64,
}

/// What ended a run.
#[record]
pub enum StoppedBy {
    /// All waits asked for were made.
    #[default]
    Count,
    /// The time asked for was over.
    Time,
    /// An overshoot exceeded the limit.
    Limit,
    /// The user, or the end of the process.
    Interrupt,
    /// The method returned an error.
    Failure,
}

/// The overshoots of a row's waits, however they become known: measured, recorded or watched.
#[derive(Clone, Debug)]
pub struct Overshoots {
    /// An early wait counts as zero.
    pub histogram: Decoded,
    /// The same overshoots with their signs.
    pub spread: Spread,
}

/// The extremes, the mean and the deviation of overshoots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many there are.
    pub samples: u64,
    /// Those of waits that ended before their deadline, by more than their tolerance.
    pub early: u64,
    /// The smallest, in nanoseconds.
    pub min_ns: i64,
    /// The largest, in nanoseconds.
    pub max_ns: i64,
    /// The mean, in nanoseconds.
    pub mean_ns: f64,
    /// The sum of the squares about the mean; not a number if it is not known.
    pub squares: f64,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            samples: 0,
            early: 0,
            min_ns: i64::MAX,
            max_ns: i64::MIN,
            mean_ns: 0.0,
            squares: 0.0,
        }
    }
}

impl Spread {
    /// Adds an overshoot that was seen this often (Welford 1962, Technometrics 4, 419-420).
    fn add(&mut self, late_ns: i64, tolerance_ns: u64, times: u64) {
        self.samples = self.samples.saturating_add(times);
        let is_early = late_ns < 0 && late_ns.unsigned_abs() > tolerance_ns;
        self.early = self.early.saturating_add(if is_early { times } else { 0 });
        self.min_ns = self.min_ns.min(late_ns);
        self.max_ns = self.max_ns.max(late_ns);
        let off = late_ns as f64 - self.mean_ns;
        self.mean_ns += off * (times as f64 / self.samples as f64);
        self.squares += off * (late_ns as f64 - self.mean_ns) * times as f64;
    }

    /// The smallest and the largest; zero if there are none.
    fn ends(&self) -> (i64, i64) {
        if self.samples == 0 { (0, 0) } else { (self.min_ns, self.max_ns) }
    }

    /// The standard deviation, in nanoseconds: to the picosecond, so that a run that continues
    /// another one begins with the same figure. A single wait has none.
    fn std_dev_ns(&self) -> Option<f64> {
        let std_dev = (self.squares.max(0.0) / self.samples as f64).sqrt();
        let known = self.samples > 1 && self.squares.is_finite();
        known.then_some((std_dev * 1e3).round() / 1e3)
    }

    /// The figures by a second clock.
    pub fn by_clock(&self, clock: &str) -> ByClock {
        let (min_ns, max_ns) = self.ends();
        ByClock {
            clock: clock.into(),
            early: self.early,
            min_ns,
            mean_ns: self.mean_ns,
            max_ns,
            std_dev_ns: self.std_dev_ns(),
        }
    }
}

impl Default for Overshoots {
    fn default() -> Self {
        Self { histogram: empty(), spread: Spread::default() }
    }
}

impl Overshoots {
    /// Adds an overshoot that was seen this often. A wait that is early by no more than its
    /// tolerance does not count as early. What more than 2^64 waits would add up to is left out.
    pub fn add(&mut self, late_ns: i64, tolerance_ns: u64, times: u64) {
        if times == 0 || u64::MAX - self.spread.samples < times {
            return;
        }
        self.histogram.saturating_record_n(u64::try_from(late_ns).unwrap_or(0), times);
        self.spread.add(late_ns, tolerance_ns, times);
    }

    /// The largest overshoot, in nanoseconds, exactly; zero if no wait was late.
    pub fn largest_ns(&self) -> u64 {
        u64::try_from(self.spread.max_ns).unwrap_or(0)
    }

    /// A percentile, in nanoseconds; `None` if there are too few waits for it.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        let supported = percentile.is_supported_by(self.histogram.len());
        let value = || self.histogram.value_at_quantile(percentile.share()).min(self.largest_ns());
        supported.then(value)
    }

    /// The figures of a grid with this period in nanoseconds, from the overshoots including those
    /// of missed deadlines.
    pub fn grid(&self, corrected: &Decoded, period_ns: u64) -> Grid {
        let (kept, all) = (self.histogram.len(), corrected.len());
        let hz = 1e9 / period_ns.max(1) as f64;
        Grid {
            missed: all.saturating_sub(kept),
            frames_per_s: (kept > 0).then(|| hz * kept as f64 / all.max(kept) as f64),
            corrected: Histogram::of(corrected).capped(self.largest_ns()),
        }
    }

    /// Writes the figures into a row. `above` more waits are known to be late by an unknown amount.
    #[must_use]
    pub fn fill(&self, above: u64, row: Wait) -> Wait {
        let (min_ns, max_ns) = self.spread.ends();
        let largest_ns = self.largest_ns();
        Wait {
            samples: self.histogram.len(),
            early: self.spread.early,
            min_ns,
            mean_ns: self.spread.mean_ns,
            max_ns,
            std_dev_ns: self.spread.std_dev_ns(),
            overshoot: Histogram::of(&self.histogram).capped(largest_ns),
            intervals: Intervals::of(&self.histogram, above).capped(largest_ns),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_the_round_trip() {
        let wait = Wait {
            id: "linux/nanosleep".into(),
            grid: Some(Grid::default()),
            gaps: vec![Gap::default()],
            moment: Some(Moment::default()),
            load_run: Some(LoadRun::default()),
            ..Wait::default()
        };
        let text = serde_json::to_string(&wait).expect("plain data");
        assert_eq!(serde_json::from_str::<Wait>(&text).expect("its own"), wait);
    }
}

#[cfg(test)]
mod overshoots_tests {
    use super::*;

    #[test]
    fn an_early_wait_counts_as_zero_and_as_early_beyond_its_tolerance() {
        let mut all = Overshoots::default();
        for late_ns in [-101, -100, 0, 50, i64::MIN] {
            all.add(late_ns, 100, 1);
        }
        let row = all.fill(0, Wait::default());
        assert_eq!((row.samples, row.early, row.overshoot.min_ns), (5, 2, 0));
        assert_eq!((row.min_ns, row.max_ns, all.largest_ns()), (i64::MIN, 50, 50));
        assert_eq!(Overshoots::default().fill(0, Wait::default()).max_ns, 0);
        // One wait has no spread, also in a report that claims one.
        let mut one = Overshoots::default();
        one.add(50, 100, 1);
        let row = one.fill(0, Wait::default());
        assert_eq!((row.std_dev_ns, row.range_ns()), (None, None));
        assert_eq!(Wait { std_dev_ns: Some(0.0), ..row }.std_dev_ns(), None);
    }

    #[test]
    fn many_at_once_are_the_same_as_one_by_one_and_do_not_overflow() {
        let (mut at_once, mut single) = (Overshoots::default(), Overshoots::default());
        for (late_ns, times) in [(1_000, 3), (4_000, 2), (-7, 5)] {
            at_once.add(late_ns, 0, times);
            (0..times).for_each(|_| single.add(late_ns, 0, 1));
        }
        let (one, other) = (at_once.spread, single.spread);
        assert!((one.mean_ns - other.mean_ns).abs() < 1e-9 && one.early == 5);
        assert_eq!(one.std_dev_ns(), other.std_dev_ns());
        at_once.add(1, 0, u64::MAX);
        assert_eq!(at_once.spread.samples, 10);
        assert!(at_once.percentile(Percentile::P50).is_some());
        assert_eq!(at_once.percentile(Percentile::P90), None);
    }
}
