//! What changed from one report, or from the runs of one command, to another.

use super::row::{Row, Unit};
use serde::{Deserialize, Serialize};

/// What changed from A to B.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// What it is compared with.
    pub a: Side,
    /// What is compared.
    pub b: Side,
    /// What costs are judged in.
    #[serde(default)]
    pub unit: Unit,
    /// Why, in a clause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit_why: String,
    /// Facts about the machines and the tool: those that differ, and those that a reader would ask
    /// for although they are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<Difference>,
    /// Every figure that both have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Row>,
    /// What the changed rows share, and no other row has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<Shared>,
    /// Findings that only one has; the key is the id of the fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Difference>,
    /// Verdicts on clocks that are not the same; the key is the id of the clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Difference>,
    /// What differs in the tests of trust.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<Difference>,
    /// How many rows have each verdict.
    #[serde(default)]
    pub counts: Counts,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Side {
    /// The file as it was named, or the words of the command that made the runs.
    pub file: String,
    /// [`Run::id`](crate::Run); empty if the side is several runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The start of the run, or of the first of them, in UTC as RFC 3339.
    pub started: String,
    /// The CPU that was measured on; absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<usize>,
    /// How many runs it is; absent unless the side is a set of stored runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Why the run may be off as a whole; empty for a calm one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<String>,
}

/// A fact on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// The fact, in a few words, or an id.
    pub key: String,
    /// What it is in A; absent if A has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// What it is in B; absent if B has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Whether it may be why figures differ.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub matters: bool,
}

impl Difference {
    /// Whether both sides have the same.
    pub fn is_same(&self) -> bool {
        self.a == self.b
    }
}

/// A fact that all changed rows have, and no row that is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shared {
    /// The fact: `reads`, `built_on`, `language`, `kind`.
    pub fact: String,
    /// What it is, as the report spells it.
    pub value: String,
    /// How many changed rows have it.
    pub changed: usize,
    /// How many rows changed.
    pub of: usize,
    /// How many rows that are the same have it.
    pub same: usize,
}

/// How many rows have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Worse, or higher on another machine.
    pub worse: usize,
    /// Better, or lower on another machine.
    pub better: usize,
    /// The same.
    pub same: usize,
    /// Those of which it cannot be told.
    pub cannot_tell: usize,
}
