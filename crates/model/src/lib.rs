//! What a run of chronoscope found: the types of the report, their JSON Schema, units and
//! histograms. Nothing in this crate runs a measurement or prints a screen.
//!
//! A report is one JSON document. [`SCHEMA`] names its version; within a version, keys are only
//! ever added, so a reader ignores keys it does not know and treats absent ones as empty.
//! A figure that could not be obtained is absent, with a reason beside it; it is never zero.

#![forbid(unsafe_code)]

pub mod advice;
pub mod calls;
pub mod clock;
pub mod deltas;
pub mod environment;
pub mod estimate;
pub mod finding;
pub mod histogram;
pub mod note;
mod older;
pub mod overhead;
pub mod run;
pub mod snippet;
pub mod units;
pub mod waits;

pub use advice::Advice;
pub use clock::Clock;
pub use environment::Environment;
pub use estimate::Estimate;
pub use finding::{Certainty, Finding, Level};
pub use note::Note;
pub use run::{Ruler, Run};
pub use waits::Wait;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the report that this crate writes.
pub const SCHEMA: &str = "chronoscope.report/1";

/// Everything that one run found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Name and version of the document's schema, [`SCHEMA`].
    pub schema: String,
    /// When, how and by which version the report was made.
    pub run: Run,
    /// The machine, as it was found.
    pub environment: Environment,
    /// What every duration in this report was measured with; absent where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruler: Option<Ruler>,
    /// The clocks, in the order of the catalogue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Clock>,
    /// What lies between two reads in a row, one per clock asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deltas: Vec<deltas::Deltas>,
    /// Mean of a million calls, mean of ten, one alone, in three passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<calls::Calls>,
    /// What timing adds to a real loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overhead: Vec<overhead::Overhead>,
    /// How exactly one can wait, one row per method, duration and load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// What was asked of the waits: a checkpoint is resumed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_plan: Option<waits::Plan>,
    /// What the run left out or did differently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What is wrong or worth knowing, with its evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Which clock to use for what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Advice>,
}

/// The JSON Schema of [`Report`], as it is checked in under `docs/`.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Report)
}
