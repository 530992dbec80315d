//! The same measurements under each clock source of the kernel.

use crate::clock::Clock;
use crate::deltas::Deltas;
use serde::{Deserialize, Serialize};

/// What was measured under one clock source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The clock source, as the kernel names it.
    pub name: String,
    /// Whether it was in use when the run began.
    pub original: bool,
    /// Why nothing, or not everything, was measured under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What the clocks cost under it, and what their resolution is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Clock>,
    /// The differences between their successive reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deltas: Vec<Deltas>,
}
