//! The mean of many calls, of a few, and one alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one clock says of its own calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calls {
    /// The clock.
    pub id: String,
    /// What the API says of its resolution, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_ns: Option<f64>,
    /// How many calls lie behind each of the three figures; fewer than usual for a slow clock, or
    /// in a short time.
    pub counts: [u64; 3],
    /// The passes, in order; fewer than three where the run was interrupted.
    pub passes: Vec<Pass>,
}

/// One pass: the same question asked with fewer and fewer calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// Mean of a million calls, in nanoseconds, by the clock itself.
    pub delta1_ns: f64,
    /// Mean of ten calls, in nanoseconds, by the clock itself.
    pub delta2_ns: f64,
    /// One call, in nanoseconds, by the clock itself.
    pub delta3_ns: f64,
    /// The same three by the ruler.
    pub ruler_ns: [f64; 3],
}
