//! The differences between successive reads.

use crate::histogram::Histogram;
use crate::load::Load;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The differences between successive reads of one clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deltas {
    /// The clock.
    pub id: String,
    /// The call, if the clock is that of a language runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The runtime with its version, if the clock is that of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// What ran alongside; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// How many reads were made.
    pub reads: u64,
    /// How many reads were asked for, if the time ran out or the run was interrupted before all
    /// were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// Nanoseconds per tick of the clock, in which `rows` counts.
    pub ns_per_tick: f64,
    /// The largest error of `ns_per_tick`, in parts per million, if a runtime's probe measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_tick_ppm: Option<f64>,
    /// The share of differences that were zero, 0 to 1.
    pub zero_share: f64,
    /// The differences above zero; absent if there are none, and in older reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The share of looks between the reads, 0 to 1, in which something else ran on the core's
    /// other hardware thread; absent if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<f64>,
    /// Every distinct difference, or the most frequent and the largest ones if there are too many.
    pub rows: Vec<Row>,
    /// How many distinct differences `rows` leaves out.
    pub rows_left_out: u64,
    /// How many differences were below zero; `rows` has their values.
    pub negative: u64,
    /// The largest difference, in ticks.
    pub max_ticks: i64,
    /// The non-negative differences in nanoseconds.
    pub histogram: Histogram,
    /// The period recognised among the large differences. Older reports may have several, which
    /// contradict each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<Period>,
    /// The largest elapsed time of an empty interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_measured: Option<Nothing>,
    /// What a runtime's object that times intervals shows if it is stopped at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Pairs>,
}

/// The differences above zero: how much the clock's value changes if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Changes {
    /// How many there are.
    pub count: u64,
    /// The smallest, in nanoseconds.
    pub min_ns: f64,
    /// Their mean, in nanoseconds.
    pub mean_ns: f64,
    /// Their median, in nanoseconds.
    pub median_ns: f64,
}

/// Objects that were started and stopped at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairs {
    /// The calls, as a user writes them.
    pub call: String,
    /// How many objects there were.
    pub count: u64,
    /// The share of them that showed no time, 0 to 1.
    pub zero_share: f64,
    /// The mean of what they showed, in nanoseconds.
    pub mean_ns: f64,
    /// The longest, in ticks of the clock.
    pub max_ticks: i64,
    /// The same in nanoseconds.
    pub max_ns: f64,
}

/// One distinct difference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// In ticks of the clock.
    pub ticks: i64,
    /// In nanoseconds.
    pub ns: f64,
    /// How often it was seen.
    pub count: u64,
}

/// A regular disturbance, recognised by its period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Period {
    /// Its period, in nanoseconds.
    pub period_ns: f64,
    /// What it probably is.
    pub name: String,
    /// How many differences belong to it.
    pub count: u64,
    /// How many of its periods the differences extend over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u64>,
    /// How likely differences at random times are to recur like this, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
}

/// An empty interval, timed repeatedly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {
    /// How often it was timed.
    pub tries: u64,
    /// The largest elapsed time, in ticks of the clock.
    pub max_ticks: i64,
    /// The same in nanoseconds.
    pub max_ns: f64,
    /// The smallest elapsed time, in nanoseconds; below zero if the clock went backwards.
    pub min_ns: f64,
    /// Whether an interrupt entered the kernel within the 512 reads around the largest; if not, the
    /// time was taken below the kernel. Absent if that cannot be told, or if the largest is shorter
    /// than a microsecond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<bool>,
}
