//! The mean of many calls, the mean of a few, and a single call.

use crate::load::Load;
use serde::{Deserialize, Serialize};

/// What one clock measures of its own calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calls {
    /// The clock.
    pub id: String,
    /// What ran alongside; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The resolution that the API claims, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_ns: Option<f64>,
    /// How many calls each of the three figures is based on; fewer than usual if the clock is slow
    /// or the time short.
    pub counts: [u64; 3],
    /// The passes, in order; fewer than three if the run was interrupted.
    pub passes: Vec<Pass>,
}

/// One pass: the same measurement with fewer and fewer calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pass {
    /// The mean of a million calls, in nanoseconds, by the clock itself.
    pub delta1_ns: f64,
    /// The mean of ten calls, in nanoseconds, by the clock itself.
    pub delta2_ns: f64,
    /// A single call, in nanoseconds, by the clock itself.
    pub delta3_ns: f64,
    /// The same three figures, in nanoseconds, by the ruler.
    pub ruler_ns: [f64; 3],
}
