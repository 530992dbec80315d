//! What is wrong, or worth knowing, and how that is known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    #[default]
    Info,
    /// Costs time or precision.
    Warning,
    /// Times measured here may be wrong.
    Error,
}

/// How it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It was seen to happen.
    Measured,
    /// A flag, a file or the kernel says so.
    #[default]
    Evidence,
    /// It could not be looked at.
    Unknown,
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A stable name, which `--allow` takes.
    pub id: String,
    /// How bad it is.
    pub level: Level,
    /// How it is known.
    pub certainty: Certainty,
    /// In one line.
    pub title: String,
    /// Figures, or files with their content, verbatim.
    pub evidence: Vec<String>,
    /// What to do about it.
    pub fix: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
}
