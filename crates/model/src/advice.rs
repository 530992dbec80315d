//! Which clock to use for which purpose.

use crate::units;
use crate::waits::{Load, Wait};
use std::collections::BTreeMap;

/// The languages that code is given in, in the order in which it is shown.
pub const LANGUAGES: [&str; 8] = ["C", "C++", "Rust", "C#", "Java", "Go", "Python", "JavaScript"];

/// One piece of advice.
#[record]
pub struct Advice {
    /// The purpose's id, as `--for` takes it.
    pub purpose: String,
    /// The purpose in words.
    pub title: String,
    /// The purpose in a word or three, as a summary shows it; empty if a summary leaves it out.
    #[absent]
    pub short: String,
    /// The id of the clock; absent if none on this machine is suitable.
    pub clock: Option<String>,
    /// Why this clock was chosen.
    pub why: String,
    /// The cost of a read of it here, in nanoseconds.
    pub cost_ns: Option<f64>,
    /// The figure that a summary shows: the cost of a read, or how late a wait ends.
    #[absent]
    pub figure: String,
    /// Whether it represents its purpose in a summary.
    pub summary: bool,
    /// The rule by which it was chosen, if that is the same for several pieces of advice.
    #[absent]
    pub criterion: String,
    /// The shortest intervals that the code times precisely enough, if that is the purpose.
    pub shortest: Vec<Shortest>,
    /// The languages whose own clock it names; empty for the choice among all that was measured.
    pub languages: Vec<String>,
    /// Which wait it is, if the advice is about waiting.
    pub wait: Option<WaitChoice>,
    /// The lines of code, by language: they read the clock, or make the wait, that is named.
    pub code: BTreeMap<String, String>,
}

impl Advice {
    /// Its figure; in reports of earlier versions, which lack it, that of the cost.
    pub fn figure(&self) -> String {
        match self.figure.as_str() {
            "" => self.cost_ns.map_or(String::new(), units::human_ns),
            figure => figure.into(),
        }
    }
}

/// The shortest interval that one pair of reads times to within an error, 95 times in 100.
#[record(Copy)]
pub struct Shortest {
    /// The error, in percent of the interval.
    pub error_percent: f64,
    /// The interval, in nanoseconds.
    pub interval_ns: f64,
}

/// What a wait is chosen for.
#[record]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Goal {
    /// No CPU to waste: a wait that sleeps, unless it is much later than a spin.
    #[cfg_attr(feature = "clap", value(skip))]
    Usual,
    /// The least overshoot on an otherwise idle machine.
    #[default]
    Accuracy,
    /// The least CPU time on an otherwise idle machine.
    Cpu,
    /// The least overshoot under load.
    Load,
}

/// The row of the waits that was chosen; its method is the advice's `clock`.
#[record]
pub struct WaitChoice {
    /// What it was chosen for.
    pub goal: Goal,
    /// The languages that it was chosen for, if another row is better but these cannot make that
    /// wait; empty for the best of all rows.
    pub languages: Vec<String>,
    /// The duration, in nanoseconds.
    pub requested_ns: u64,
    /// The load of the row: of several, the one under which the method was latest.
    pub load: Load,
    /// The timer slack that was set, in nanoseconds; absent if it is the default, or none.
    pub slack_ns: Option<u64>,
    /// The argument of `timeBeginPeriod`, in milliseconds (Windows); absent if it was not called.
    pub timer_period_ms: Option<u32>,
    /// The scheduler's slice that was set, in nanoseconds; absent if it is the default.
    pub slice_ns: Option<u64>,
    /// The other methods that could not be told apart from it, with the slack that was set.
    pub equal: Vec<String>,
    /// How many methods were compared.
    pub compared: u64,
    /// The median overshoot, in nanoseconds; absent if there is no choice, and in reports of
    /// earlier versions.
    pub p50_ns: Option<u64>,
    /// The share of a CPU, 0 to 1; absent where `p50_ns` is, or if it was not measured.
    pub cpu_share: Option<f64>,
    /// The best spin, if the goal is `usual` and the choice sleeps.
    pub spinning: Option<Spinning>,
    /// What the loop did, if `requested_ns` is the period of one; absent for single waits.
    pub paced: Option<Paced>,
}

/// A loop with a fixed period, which works and then waits.
#[record]
pub struct Paced {
    /// How long it computed in each period, in nanoseconds; the CPU time includes that.
    pub work_ns: Option<u64>,
    /// How many of its waits ended per second; absent if there is no choice.
    pub frames_per_s: Option<f64>,
    /// The deadlines that it missed.
    #[always]
    pub missed: u64,
    /// The waits that it made.
    #[always]
    pub waits: u64,
    /// The standard deviation of its overshoots, in nanoseconds: its jitter.
    pub std_dev_ns: Option<f64>,
}

/// What a spin would do instead of a sleep.
#[record]
pub struct Spinning {
    /// The method.
    pub wait: String,
    /// Its median overshoot, in nanoseconds.
    pub p50_ns: u64,
    /// Its share of a CPU, 0 to 1; absent if it was not measured.
    pub cpu_share: Option<f64>,
}

impl WaitChoice {
    /// Whether this row is the one that was chosen, if its method is.
    pub fn is(&self, wait: &Wait) -> bool {
        let slack_ns = wait.slack_ns.filter(|_| !wait.default_slack);
        wait.requested_ns == Some(self.requested_ns)
            && wait.period_ns.is_some() == self.paced.is_some()
            && wait.load == self.load
            && wait.timer_period_ms == self.timer_period_ms
            && wait.slice_ns == self.slice_ns
            && (self.timer_period_ms.is_some() || slack_ns == self.slack_ns)
    }
}
