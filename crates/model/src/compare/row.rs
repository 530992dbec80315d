//! A figure that two reports have.

use crate::load::Load;
use serde::{Deserialize, Serialize};

/// How changes were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// By the intervals of stored reports.
    #[default]
    Stored,
    /// By pairs of runs that took turns in random order.
    Pairs,
    /// By how much earlier runs of the same machine differ.
    History,
    /// By how much the runs of each of two sets differ among themselves.
    Sets,
}

/// What costs are judged in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    #[default]
    Ns,
    /// Cycles of the core.
    CoreCycles,
}

/// The part of a report that a row is from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The clocks.
    #[default]
    Clocks,
    /// The waits.
    Waits,
    /// The clocks of language runtimes.
    Runtimes,
    /// What timing adds to a loop.
    Overhead,
}

/// What a row is about.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The cost of a read back to back.
    #[default]
    Read,
    /// The cost of a read that is ordered after the one before.
    Ordered,
    /// The cost of a read after the caches were displaced.
    Cold,
    /// The cost of the first read of a process.
    First,
    /// How late a wait ended.
    Overshoot,
    /// What timing adds to an iteration.
    Overhead,
}

/// What is said of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It costs more, and the change is neither chance nor small.
    Worse,
    /// It costs less, and the change is neither chance nor small.
    Better,
    /// It costs more on another machine.
    Higher,
    /// It costs less on another machine.
    Lower,
    /// Any change is smaller than a bound, which is stated.
    Same,
    /// None of these.
    #[default]
    CannotTell,
}

impl Verdict {
    /// Those that say that something changed.
    pub const CHANGED: [Self; 4] = [Self::Worse, Self::Better, Self::Higher, Self::Lower];

    /// Whether it says that something changed.
    pub const fn changed(self) -> bool {
        !matches!(self, Self::Same | Self::CannotTell)
    }
}

/// A figure with its 95 % interval, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// The estimate; of several runs, their median.
    pub value_ns: f64,
    /// Lower end of the interval.
    pub low_ns: f64,
    /// Upper end of the interval.
    pub high_ns: f64,
}

/// What a row is about: a comparison has one row for each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Key {
    /// The part of the report.
    pub section: Section,
    /// The id of the clock, the wait, or the runtime and its clock.
    pub id: String,
    /// What was measured of it.
    pub quantity: Quantity,
    /// The percentile of a wait: `p50`, `p99.9`; absent for costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<String>,
    /// The duration that a wait asked for, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_ns: Option<u64>,
    /// Its timer slack, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack_ns: Option<u64>,
    /// Its scheduler slice, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_ns: Option<u64>,
    /// What ran alongside; absent for costs without a load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
}

/// A figure that both sides have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub key: Key,
    /// The figure in A.
    pub a: Figure,
    /// The figure in B.
    pub b: Figure,
    /// B divided by A, less 1, in the unit of the comparison.
    pub change: f64,
    /// Lower end of its 95 % interval, for this row alone.
    pub change_low: f64,
    /// Upper end of the same interval.
    pub change_high: f64,
    /// Any change is smaller than this share: the far end of the interval.
    pub at_most: f64,
    /// The probability of a difference as large as this one without a change, allowing for all
    /// rows that were judged; absent if the row was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it cannot be told, and what would tell; absent for other verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What is known of the change whatever the distribution; absent unless sets are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// B divided by A in each pair of runs; empty for stored reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<f64>,
}

/// How a run of B differs from one of A, whatever the distribution: medians of all quotients and
/// differences of a run of each, with intervals from the ranks of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bounds {
    /// B divided by A.
    pub ratio: f64,
    /// Lower end of its interval.
    pub ratio_low: f64,
    /// Upper end of its interval.
    pub ratio_high: f64,
    /// B less A, in nanoseconds.
    pub shift_ns: f64,
    /// Lower end of its interval.
    pub shift_low_ns: f64,
    /// Upper end of its interval.
    pub shift_high_ns: f64,
    /// The probability that an interval misses what it encloses.
    pub misrate: f64,
}
