//! How a report is shown: screens for people, formats for programs. Nothing here measures, judges
//! or looks at a terminal; a screen or a file is a function of the report.

#![forbid(unsafe_code)]

pub mod documents;
pub mod format;
pub mod text;

mod finite;
mod machine;

// The samples of the integration tests, which name this crate, serve unit tests, too.
#[cfg(test)]
extern crate self as chronoscope_report;

pub use format::{csv, json, markdown, ndjson};

/// The JSON Schema of a report, as it is checked in under `docs/schema/`.
pub fn schema() -> String {
    // A schema is a JSON value whose keys are strings, so writing it cannot fail.
    let mut text = serde_json::to_string_pretty(&chronoscope_model::schema()).unwrap_or_default();
    text.push('\n');
    text
}
