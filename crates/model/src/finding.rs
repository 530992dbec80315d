//! Problems and facts worth knowing, and how they are known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How serious a finding is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    #[default]
    Info,
    /// It costs time or precision.
    Warning,
    /// Times measured here may be wrong.
    Error,
}

/// How a finding is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It was seen to happen.
    Measured,
    /// A flag, a file or the kernel reports it.
    #[default]
    Evidence,
    /// It could not be determined.
    Unknown,
}

impl Certainty {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Evidence => "evidence",
            Self::Unknown => "unknown",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A stable name, as `--allow` takes it.
    pub id: String,
    /// How serious it is.
    pub level: Level,
    /// How it is known.
    pub certainty: Certainty,
    /// Whether it makes every figure of the run doubtful. Screens then show it above the figures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub affects_all: bool,
    /// One line that describes it.
    pub title: String,
    /// Figures, or files with their content, verbatim.
    pub evidence: Vec<String>,
    /// What to do about it.
    pub fix: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
}
