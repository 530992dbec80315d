//! What a run left out or did differently than asked, and what to do about it.

use serde::{Deserialize, Serialize};

/// One note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// A stable name for what happened.
    pub id: String,
    /// What it concerns: the id of a clock or a wait method, or the name of a section; absent if it
    /// concerns the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What happened, in one sentence without a full stop.
    pub text: String,
    /// What to do about it; empty if there is nothing to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
}
