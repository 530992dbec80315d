//! What a read of a clock costs.

use crate::Estimate;
use serde::{Deserialize, Serialize};

/// The costs of one read. Each answers a different question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Independent reads back to back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Estimate>,
    /// Each read ordered after the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Estimate>,
    /// One read after caches and branch history were displaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold: Option<Estimate>,
    /// What was displaced before each cold read; absent in reports of earlier versions, which
    /// walked 4 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displaced: Option<Displaced>,
    /// The first read in a new process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Estimate>,
    /// The instructions that a read back to back executes in user mode, without those of the empty
    /// loop; absent if no counter shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
}

/// What was displaced before a cold read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Displaced {
    /// The memory that was walked, in bytes.
    pub bytes: u64,
    /// The level of the largest cache that it fills; absent if the caches are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Whether that is the last cache before memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
}
