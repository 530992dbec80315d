//! A recording of `watch`: what happened, in the order in which it was seen, as one JSON object per
//! line. The view of a run, and that of a recording of it, are made of the same events.

use crate::Note;
use crate::environment::Environment;
use crate::waits::Load;
use crate::why::Worst;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of [`Start::schema`].
pub const SCHEMA: &str = "chronoscope.recording/1";

/// Something that happened. All times are nanoseconds since the start of the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first event of every recording.
    Start(Box<Start>),
    /// A load has begun to run.
    Load(LoadSince),
    /// Waits of a row have ended.
    Waits(Waits),
    /// A wait ended late, and why.
    Late(Late),
    /// What the machine did, about once a second.
    Machine(Machine),
    /// Reads of the watched clock, one after the other.
    Deltas(Deltas),
    /// Nothing was measured for some time, because it was asked for.
    Pause(Pause),
    /// Waits that were measured and could not be kept.
    Dropped(Dropped),
}

/// What is measured, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// `chronoscope.recording/1`.
    pub schema: String,
    /// The version of the tool.
    pub tool_version: String,
    /// The wall clock at the start, in nanoseconds since 1970.
    pub wall_ns: u64,
    /// The rows, which events name by their place in this list.
    pub rows: Vec<Row>,
    /// The clock whose deltas are watched, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// What could not be done as asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The machine.
    pub environment: Environment,
}

/// A method that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The id of the method.
    pub id: String,
    /// The duration of a wait, or the period of the grid, in nanoseconds.
    pub requested_ns: u64,
    /// The CPU of its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<usize>,
    /// Why it cannot be measured here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
}

/// The load from a time on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSince {
    /// When it began.
    pub at_ns: u64,
    /// The load.
    pub load: Load,
}

/// Some waits of a row, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// The row.
    pub row: usize,
    /// When the first of them ended.
    pub at_ns: u64,
    /// The time from the end of the one before to the end of each; 0 for the first.
    pub after_ns: Vec<u64>,
    /// The overshoot of each, negative if it ended early.
    pub late_ns: Vec<i64>,
}

/// A late wake-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Late {
    /// The row.
    pub row: usize,
    /// When the wait ended.
    pub at_ns: u64,
    /// The frequency of the core around it, in Hz, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hz: Option<f64>,
    /// The lateness and its parts.
    pub wake: Worst,
}

/// What the machine did since the last such event. What is absent is not known here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// When.
    pub at_ns: u64,
    /// The rate of the wall clock against the monotonic one, in parts per million.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_ppm: Option<f64>,
    /// Steps of the wall clock.
    pub steps: u64,
    /// What the hypervisor took from the CPUs, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_ns: Option<u64>,
    /// How often a waiting thread moved to another CPU.
    pub moved: u64,
    /// Times in which the process could not run at all, in nanoseconds.
    pub paused_ns: u64,
    /// The share of a CPU that each row took, 0 to 1, in the order of the rows.
    pub cpu: Vec<Option<f64>>,
}

/// Differences of successive reads of a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deltas {
    /// When the last of them was read.
    pub at_ns: u64,
    /// The differences in nanoseconds, each with how often it was seen, in ascending order.
    pub counts: Vec<(u64, u64)>,
    /// Reads that were earlier than the one before.
    pub backwards: u64,
}

/// A time in which nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Its start.
    pub at_ns: u64,
    /// Its end.
    pub until_ns: u64,
}

/// Waits that could not be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// When that was noticed.
    pub at_ns: u64,
    /// The row.
    pub row: usize,
    /// How many.
    pub waits: u64,
}
