//! The JSON Schemas of the documents, as they are checked in: `cargo xtask generate` computes them.

use crate::packed::text;
use std::sync::LazyLock;

/// That of a [`Report`](crate::Report).
pub static REPORT: LazyLock<String> =
    LazyLock::new(|| text(packed!("../schema/chronoscope.report-1.json")));

/// That of a [`Compared`](crate::compare::Compared).
pub static COMPARISON: LazyLock<String> =
    LazyLock::new(|| text(packed!("../schema/chronoscope.comparison-1.json")));

/// That of an [`Event`](crate::recording::Event), which each line of a recording is.
pub static RECORDING: LazyLock<String> =
    LazyLock::new(|| text(packed!("../schema/chronoscope.recording-1.json")));

/// Each document's name with its schema.
pub static ALL: [(&str, &LazyLock<String>); 3] =
    [("report", &REPORT), ("comparison", &COMPARISON), ("recording", &RECORDING)];

/// Each document's name with its schema as it follows from the types.
#[cfg(feature = "schema")]
pub fn computed() -> [(&'static str, schemars::Schema); 3] {
    [
        ("report", schemars::schema_for!(crate::Report)),
        ("comparison", schemars::schema_for!(crate::compare::Compared)),
        ("recording", schemars::schema_for!(crate::recording::Event)),
    ]
}
