//! The JSON Schemas of the documents, as they are checked in: `cargo xtask generate` computes them.

use flate2::read::ZlibDecoder;
use std::io::Read;
use std::sync::LazyLock;

/// A schema's text, which the build script compressed.
macro_rules! schema {
    ($document:literal) => {
        LazyLock::new(|| {
            let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/", $document, ".z"));
            let mut text = String::new();
            ZlibDecoder::new(&bytes[..]).read_to_string(&mut text).expect("our own text");
            text
        })
    };
}

/// That of a [`Report`](crate::Report).
pub static REPORT: LazyLock<String> = schema!("report");

/// That of a [`Compared`](crate::compare::Compared).
pub static COMPARISON: LazyLock<String> = schema!("comparison");

/// That of an [`Event`](crate::recording::Event), which each line of a recording is.
pub static RECORDING: LazyLock<String> = schema!("recording");

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
