//! One clock, as it was found on this machine.

use crate::estimate::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Raw ticks without an epoch.
    Counter,
    /// Local time that is never stepped.
    #[default]
    Monotonic,
    /// Universal time, which may be stepped.
    Wall,
    /// Processor time of the process or the thread.
    Cpu,
}

/// Whose time a clock tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Of this machine, since some start of its own.
    #[default]
    Local,
    /// Of the world.
    Universal,
    /// Of the process or the thread.
    Cpu,
}

impl From<Kind> for Scope {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Counter | Kind::Monotonic => Self::Local,
            Kind::Wall => Self::Universal,
            Kind::Cpu => Self::Cpu,
        }
    }
}

/// What a read goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// The processor's own counter, with one of its instructions.
    Counter,
    /// The kernel's clock, in user space if the system can read its clock source there: through
    /// the vDSO on Linux, the shared user page on Windows, the commpage on macOS.
    #[default]
    Vdso,
    /// The kernel's clock, by a system call each time.
    SystemCall,
    /// A device, by a system call on its file.
    File,
    /// A value in memory that another thread of the program updates.
    Memory,
}

/// What a read waits for. Without an order, the processor may take the value while earlier
/// instructions are still running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orders {
    /// Neither documented nor measured.
    #[default]
    Unknown,
    /// Nothing: it may be read early.
    Nothing,
    /// Earlier loads and stores. Whether it also waits for other instructions depends on the
    /// vendor: MFENCE does on AMD (APM volume 3, MFENCE) and is not documented to on Intel
    /// (SDM volume 2B, RDTSC).
    Memory,
    /// All earlier instructions.
    Earlier,
    /// All earlier instructions, and later ones wait for the read.
    Both,
}

/// What the value of a clock is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Time, at one rate.
    #[default]
    Time,
    /// Cycles of the core, whose rate changes.
    Cycles,
}

/// Where the length of a clock's unit comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateFrom {
    /// The interface defines it, nanoseconds for example.
    #[default]
    Interface,
    /// The system reports it, as QueryPerformanceFrequency does.
    System,
    /// It must be found by calibration against another clock.
    Calibration,
    /// It has no fixed length.
    Nothing,
}

/// What is known of a clock before it is measured: its entry in the catalogue states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// What a read goes to.
    pub reads: Reads,
    /// What a read waits for, by the manuals.
    pub orders: Orders,
    /// What its value is made of.
    pub counts: Counts,
    /// Where the length of its unit comes from.
    pub rate_from: RateFrom,
    /// Whether a hypervisor always intercepts one of its instructions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exits_guest: bool,
}

/// The language whose compiler made the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Language {
    /// C
    #[default]
    C,
    /// C++
    #[serde(rename = "C++")]
    Cxx,
    /// Rust
    Rust,
}

impl Language {
    /// The language's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cxx => "C++",
            Self::Rust => "Rust",
        }
    }
}

/// One clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Its name in the catalogue, `family/variant`.
    pub id: String,
    /// The call as a user writes it.
    pub call: String,
    /// The language the reader was compiled in.
    pub language: Language,
    /// What it counts.
    pub kind: Kind,
    /// What is known of it before it is measured; absent in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// The id of the clock that this is another path to, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternative_to: Option<String>,
    /// The systems or processors that have it, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub home: String,
    /// Whether it can be read here.
    pub available: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
    /// Whether it exists only on other systems or processors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// What a read costs.
    #[serde(default)]
    pub cost: Cost,
    /// How fine it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// What it says of an interval of 100 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_100ms: Option<Difference>,
    /// Whether it was seen to go backwards on one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backwards: Option<Backwards>,
    /// When the value returns to zero, in seconds from its zero, by its type and rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wraps_after_s: Option<f64>,
    /// Significant bits of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Whose time it tells.
    pub scope: Scope,
    /// Value read in this run, in its own unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// `--calls N`: the duration of so many calls, really made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bulk: Option<Bulk>,
    /// What to think of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether it is the best of its kind here: the cheapest with no known problem, or the cheapest
    /// that is fine enough if all have one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
}

impl Clock {
    /// What a read costs back to back, in nanoseconds, or after the one before if only that was
    /// measured. A read that is too cheap to be resolved counts as its upper bound.
    pub fn read_ns(&self) -> Option<f64> {
        let estimate = self.cost.throughput.as_ref();
        estimate.or(self.cost.latency.as_ref())?.known_ns()
    }

    /// What a read costs when it is ordered after the one before, in nanoseconds, or back to back
    /// if only that was measured.
    pub fn ordered_ns(&self) -> Option<f64> {
        let estimate = self.cost.latency.as_ref();
        estimate
            .and_then(Estimate::known_ns)
            .or_else(|| self.read_ns())
    }

    /// By how much its value changes at once, in nanoseconds: as it was seen, or as the interface
    /// claims if no change was seen.
    pub fn step_ns(&self) -> Option<f64> {
        self.resolution.as_ref()?.known_step_ns()
    }

    /// Whether anything of it was measured.
    pub fn was_measured(&self) -> bool {
        self.read_ns().is_some() || self.resolution.is_some() || self.bulk.is_some()
    }
}

/// The costs of one read. Each is a different question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Independent reads back to back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Estimate>,
    /// Each read ordered after the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Estimate>,
    /// One read after caches and branch history have been displaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold: Option<Estimate>,
    /// The first read in a new process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Estimate>,
}

/// What limits the smallest difference a clock can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The tick is longer than a read: the tick is the resolution.
    Tick,
    /// A read takes longer than the tick: the resolution has the order of the cost.
    Latency,
    /// The clock did not change while it was watched.
    #[default]
    NotSeen,
}

/// How fine a clock is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// What the API says of itself, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_ns: Option<f64>,
    /// The greatest common divisor of the non-zero differences seen, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick_ns: Option<f64>,
    /// The smallest non-zero difference seen between two reads in a row, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_min_ns: Option<f64>,
    /// The median non-zero difference, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_median_ns: Option<f64>,
    /// Non-zero differences seen.
    pub changes: u64,
    /// How long the clock was watched, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched_ns: Option<f64>,
    /// What limits it.
    pub verdict: Limit,
}

/// A clock whose median difference is so many times its unit, or its cost, is renewed now and then
/// and not counted on: between two reads of any other lies one unit, or one read.
pub const RENEWED: f64 = 10.0;

/// A clock that says nothing of its tick is watched at least so long, in nanoseconds, before it is
/// said to stand still: three times the longest tick of a system's timer, 15.625 ms on Windows.
const STILL_NS: f64 = 50e6;
/// A clock is watched for at least so many of the ticks that it claims before it is said to stand
/// still: in a little more than one it must have changed.
const STILL_TICKS: f64 = 1.2;

impl Resolution {
    /// Whether the clock stood still: it did not change, and was watched for longer than a clock
    /// of its kind takes to change. One that was watched too briefly has no verdict yet.
    pub fn stood_still(&self) -> bool {
        let least = self.nominal_ns.unwrap_or(0.0) * STILL_TICKS;
        self.verdict == Limit::NotSeen
            && self
                .watched_ns
                .is_some_and(|watched| watched >= least.max(STILL_NS))
    }

    /// How far apart two values are that differ, in nanoseconds: the tick; but where a finer one
    /// only says in which unit a value is given that the system renews now and then (Windows'
    /// system time is told in 100 ns and renewed each 15.6 ms), the median difference.
    pub fn step_ns(&self) -> Option<f64> {
        match (self.tick_ns, self.observed_median_ns, self.verdict) {
            (Some(tick), Some(median), Limit::Tick) if median > RENEWED * tick => Some(median),
            (tick, ..) => tick,
        }
    }

    /// How far apart two values are that differ, as it was seen; where no step was seen, as the
    /// interface says. In nanoseconds, above 0.
    pub fn known_step_ns(&self) -> Option<f64> {
        let seen = match self.verdict {
            Limit::NotSeen => None,
            Limit::Tick | Limit::Latency => self.step_ns(),
        };
        seen.or(self.nominal_ns)
            .filter(|ns| ns.is_finite() && *ns > 0.0)
    }
}

/// What a clock says of an independent interval of about 100 ms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The interval by the reference, in milliseconds.
    pub reference_ms: f64,
    /// The interval by the clock, in milliseconds.
    pub clock_ms: f64,
    /// How far the two may differ: two ticks of the clock plus the duration of the reads, in
    /// milliseconds.
    pub tolerance_ms: f64,
    /// Whether they agree within that.
    pub agrees: bool,
}

/// Whether a clock went backwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Backwards {
    /// Pairs of successive reads.
    pub tries: u64,
    /// Pairs whose second value was smaller.
    pub violations: u64,
    /// The largest step back, in nanoseconds.
    pub worst_ns: f64,
}

/// How the calls of one clock compare with the cheapest of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speed {
    /// Up to twice the cheapest.
    Fast,
    /// Up to ten times the cheapest.
    #[default]
    Ok,
    /// More than that, as a system call is.
    Slow,
}

/// Many calls, really made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bulk {
    /// How many.
    pub calls: u64,
    /// How long they took, in milliseconds.
    pub ms: f64,
    /// How that compares with the cheapest clock whose tick is below 1 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

impl Bulk {
    /// Nanoseconds for one of them.
    pub fn ns_per_call(&self) -> f64 {
        self.ms * 1e6 / self.calls.max(1) as f64
    }
}

/// How good a clock is for measuring here.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing speaks against it.
    #[default]
    Good,
    /// Good within a limit that the text names.
    Limited,
    /// Better not.
    Avoid,
}

/// What to think of a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// In a word.
    pub grade: Grade,
    /// In a few words, as the table shows it.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_renewed_now_and_then_steps_as_far_as_it_is_renewed() {
        let of = |verdict, tick, median| Resolution {
            tick_ns: Some(tick),
            observed_median_ns: Some(median),
            verdict,
            ..Resolution::default()
        };
        // GetSystemTimeAsFileTime: told in 100 ns, renewed each 15.6 ms.
        assert_eq!(of(Limit::Tick, 100.0, 15.6e6).step_ns(), Some(15.6e6));
        assert_eq!(of(Limit::Tick, 4e6, 4e6).step_ns(), Some(4e6));
        assert_eq!(of(Limit::Tick, 100.0, 200.0).step_ns(), Some(100.0));
        // Told in nanoseconds, and a read takes half a microsecond.
        assert_eq!(of(Limit::Latency, 1.0, 500.0).step_ns(), Some(1.0));
        assert_eq!(Resolution::default().step_ns(), None);
    }

    #[test]
    fn a_clock_stands_still_once_it_was_watched_for_longer_than_its_tick() {
        let still = |nominal_ns, watched_ns| {
            Resolution {
                nominal_ns,
                watched_ns,
                ..Resolution::default()
            }
            .stood_still()
        };
        // time() moves once a second.
        assert!(!still(Some(1e9), Some(0.9e9)));
        assert!(still(Some(1e9), Some(1.3e9)));
        assert!(!still(Some(100.0), Some(10e6)));
        assert!(still(Some(100.0), Some(60e6)) && still(None, Some(60e6)));
        assert!(!still(None, None));
    }
}
