//! What happened to the wall clock during a run.

use serde::{Deserialize, Serialize};

/// What happened to the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wall {
    /// How often it was compared with the monotonic clock.
    pub looks: u64,
    /// Its steps, in the order in which they were seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Further steps that `steps` does not list.
    #[serde(default, skip_serializing_if = "crate::why::is_zero")]
    pub more_steps: u64,
    /// How often the kernel reported that it was set (`TFD_TIMER_CANCEL_ON_SET`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<u64>,
    /// How it was slewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slew: Option<Slew>,
    /// By how much the time since boot advanced more than the monotonic clock, in nanoseconds: the
    /// machine was suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_ns: Option<f64>,
    /// What the kernel said of the clock when the run began, and when it ended (adjtimex(2)), in
    /// one line each; absent if that is not permitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjtimex: Option<[String; 2]>,
    /// What could not be watched, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A sudden change of the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// When it was seen, in seconds from the start of the run.
    pub at_s: f64,
    /// By how much the wall clock moved against the monotonic clock, in nanoseconds.
    pub by_ns: f64,
    /// How it was seen.
    pub seen: StepSeen,
}

/// How a step was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StepSeen {
    /// The distance from the monotonic clock changed by more than a slew explains.
    #[default]
    Offset,
    /// The kernel reported that the clock was set, and the distance changed.
    Both,
    /// The kernel reported that the clock was set; the distance changed by no more than a slew
    /// explains.
    Reported,
}

/// How fast the wall clock was made to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slew {
    /// By how much it ran faster than the kernel's unslewed clock over the whole run, in parts per
    /// million.
    pub ppm: f64,
    /// The uncertainty of that, in parts per million.
    pub error_ppm: f64,
    /// The fastest in any second, in parts per million.
    pub most_ppm: f64,
}
