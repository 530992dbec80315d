//! Which clock to use for which purpose.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The languages that code is given in, in the order in which it is shown.
pub const LANGUAGES: [&str; 8] = [
    "C",
    "C++",
    "Rust",
    "C#",
    "Java",
    "Go",
    "Python",
    "JavaScript",
];

/// One piece of advice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// The purpose's id, as `--for` takes it.
    pub purpose: String,
    /// The purpose in words.
    pub title: String,
    /// The id of the clock; absent if none on this machine is suitable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// Why this clock was chosen.
    pub why: String,
    /// The cost of a read of it here, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_ns: Option<f64>,
    /// Whether it represents its purpose in a summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
    /// The line of code, by language.
    pub code: BTreeMap<String, String>,
}
