//! When, how and with what a report was made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The run that made the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Sixteen hexadecimal digits that tell this run from others.
    pub id: String,
    /// The start, as RFC 3339 in UTC.
    pub started: String,
    /// The end, as RFC 3339 in UTC.
    pub finished: String,
    /// The command line.
    pub argv: Vec<String>,
    /// The version of the tool.
    pub tool_version: String,
    /// The seed of the order in which entries were measured within each round.
    pub order_seed: u64,
    /// Whether the run went to its end. `false`: it was interrupted, and holds what was
    /// measured until then.
    pub complete: bool,
    /// Wall time the run took, in seconds.
    pub seconds: f64,
}

/// The clock that all durations of the report were measured with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ruler {
    /// How it reads at start and stop, for example `lfence-rdtsc-lfence/rdtscp-lfence`.
    pub id: String,
    /// Whether it is the processor's counter, and not a clock of the system.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_counter: bool,
    /// Ticks per second, by calibration against [`Ruler::reference`].
    pub hz: f64,
    /// Bound on the relative error of `hz` against the reference, in parts per million.
    pub hz_error_ppm: f64,
    /// What it was calibrated against.
    pub reference: String,
    /// An empty start and stop, in nanoseconds; already taken off every figure.
    pub cost_ns: f64,
    /// Its tick, in nanoseconds.
    pub tick_ns: f64,
    /// The processor that the measuring thread was pinned to; absent where it could not be pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<usize>,
    /// Notes of reports of earlier versions; now they are in [`Report::notes`](crate::Report).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How quiet the machine was.
    pub noise: Noise,
}

/// What disturbed the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// Batches measured.
    pub batches: u64,
    /// Batches that saw an involuntary context switch, a migration or steal; they count here
    /// and in no estimate.
    pub disturbed: u64,
    /// Involuntary context switches of the measuring thread; absent where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// Time that the hypervisor took from the machine's processors during the run, in
    /// milliseconds; absent where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_ms: Option<f64>,
    /// The frequency of the core that was measured on; absent where it cannot be told, as on an
    /// emulated processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
}

/// The core's frequency while costs were measured, from a chain of dependent additions once a
/// round. Costs in nanoseconds go with its inverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// The usual one, the median of all rounds, in hertz. Costs that follow the frequency are given
    /// at this one.
    pub hz: f64,
    /// Its first percentile, in hertz.
    pub low_hz: f64,
    /// Its 99th percentile, in hertz.
    pub high_hz: f64,
    /// Share of the rounds that were more than 1 % away from the usual one, 0 to 1.
    pub elsewhere: f64,
}
