//! What lies between two reads in a row.

use crate::histogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The differences between successive reads of one clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deltas {
    /// The clock.
    pub id: String,
    /// Reads made.
    pub reads: u64,
    /// Reads asked for, where the time was spent or the run interrupted before they were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// Nanoseconds in one tick of the clock, as `rows` counts them.
    pub ns_per_tick: f64,
    /// Share of differences that were zero, 0 to 1.
    pub zero_share: f64,
    /// Every distinct difference, or the most frequent and the largest where there are too many.
    pub rows: Vec<Row>,
    /// Distinct differences that `rows` leaves out.
    pub rows_left_out: u64,
    /// Differences below zero: how many, and the rows with their values.
    pub negative: u64,
    /// The largest difference, in ticks.
    pub max_ticks: i64,
    /// The non-negative differences in nanoseconds.
    pub histogram: Histogram,
    /// Periods recognised among the large differences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<Period>,
    /// The largest elapsed time of an interval in which nothing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_measured: Option<Nothing>,
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

/// A regular disturbance, recognised by its distance in time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Period {
    /// Its period, in nanoseconds.
    pub period_ns: f64,
    /// What it probably is.
    pub name: String,
    /// How many differences belong to it.
    pub count: u64,
}

/// An empty interval, timed again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {
    /// Tries.
    pub tries: u64,
    /// The largest elapsed time, in ticks of the clock.
    pub max_ticks: i64,
    /// The same in nanoseconds.
    pub max_ns: f64,
    /// The smallest elapsed time, in nanoseconds; below zero where the clock went backwards.
    pub min_ns: f64,
}
