//! How a report is shown: screens for people, formats for programs. Nothing here measures, judges
//! or examines a terminal; a screen or a file is a function of the report.
//!
//! A [section] of the report describes itself once, as [blocks](block) with typed cells. The
//! [screens](text) and the [formats](mod@format) are made from these: a section knows no format,
//! and a format knows no section.

#![forbid(unsafe_code)]

mod ascii;
pub mod block;
pub mod clean;
pub mod compare;
pub mod documents;
pub mod format;
pub mod metrics;
pub mod page;
pub mod recording;
pub mod scale;
pub mod section;
pub mod terms;
pub mod text;

mod finite;
mod number;
mod under_load;

pub use format::{csv, json, markdown, ndjson};

/// The JSON Schemas that are checked in under `docs/schema/`, each with its name: that of a report
/// comes first.
pub const SCHEMAS: [NamedSchema; 3] = [
    ("report", || written(&chronoscope_model::schema())),
    ("comparison", || written(&chronoscope_model::compare::schema())),
    ("recording", || written(&chronoscope_model::recording::schema())),
];

/// A document, and its JSON Schema.
pub type NamedSchema = (&'static str, fn() -> String);

/// The JSON Schema of a report.
pub fn schema() -> String {
    SCHEMAS[0].1()
}

/// A schema is a JSON value whose keys are strings, so writing it cannot fail.
fn written(schema: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(schema).unwrap_or_default();
    text.push('\n');
    text
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
