//! Earlier runs of the same machine, and a report next to each of many.

use super::change::{Counts, Difference, Side};
use super::row::{Key, Row};
use serde::{Deserialize, Serialize};

/// Runs of the same machine and configuration, over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// The runs that took part, by their start.
    pub runs: Vec<Side>,
    /// The runs that took no part, by what differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The files that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Each figure over time, in the order of the rows.
    pub trends: Vec<Trend>,
}

/// Runs that took no part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// What differs first: in these runs (A), and in the others (B).
    #[serde(flatten)]
    pub difference: Difference,
    /// How many runs these are.
    pub runs: usize,
}

/// A file that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unread {
    /// Its name.
    pub file: String,
    /// Why.
    pub why: String,
}

/// A figure over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trend {
    /// What it is about.
    #[serde(flatten)]
    pub key: Key,
    /// The figure in each run, in the unit that it was judged in; `null` if the run does not have
    /// it.
    pub values: Vec<Option<f64>>,
    /// When it changed, the earliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
}

/// A run that began a new level: it and the next one lie on the same side of those before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Turn {
    /// The place of the run, from 0.
    pub run: usize,
    /// Its start, in UTC as RFC 3339.
    pub started: String,
    /// The new level divided by the old one, less 1.
    pub change: f64,
}

/// A report of many, next to the one that all are compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Other {
    /// The report. Of a stream, the file is followed by the line.
    #[serde(flatten)]
    pub side: Side,
    /// What differs between the machines and may be why figures differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
    /// How many rows have each verdict.
    #[serde(default)]
    pub counts: Counts,
    /// The row that is worse by the largest share or, if none is, better by it; absent if nothing
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Row>,
    /// Why it cannot be read or compared; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
