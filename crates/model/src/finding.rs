//! Problems and facts worth knowing, and how they are known.

use serde::{Deserialize, Serialize};

/// How serious a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Level {
    /// Every level, the worst last.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How a finding is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What a finding is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// The machine: it holds for the next run too, or it happened to every program.
    #[default]
    Machine,
    /// This run: what else ran, or which settings changed, while the tool measured.
    Run,
}

impl About {
    fn is_machine(&self) -> bool {
        *self == Self::Machine
    }
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name, as `--allow` takes it.
    pub id: String,
    /// How serious it is.
    pub level: Level,
    /// How it is known.
    pub certainty: Certainty,
    /// Whether it is about the machine or only about this run.
    #[serde(default, skip_serializing_if = "About::is_machine")]
    pub about: About,
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

impl Finding {
    /// Whether there is evidence of it, rather than of why it could not be examined.
    pub fn is_found(&self) -> bool {
        self.certainty != Certainty::Unknown
    }
}
