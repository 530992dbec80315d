//! One document, described by a JSON Schema, and read back.

use super::Format;
use crate::clean::clean;
use crate::finite;
use chronoscope_model::{Report, SCHEMA};
use serde::Deserialize;
use std::fmt;
use std::io::{self, Write};

pub const FORMAT: Format = Format {
    id: "json",
    extension: "json",
    about: "the whole report as one document, described by a JSON Schema",
    distributions_only: false,
    write,
};

/// The largest document that is read. A report of every clock is under a megabyte, but a row of
/// waits can take up to 300 KiB: this is enough for almost a thousand.
pub const LARGEST: usize = 256 << 20;

/// Writes the report. A figure that is not finite is left out, as if it had not been measured.
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &finite::value(report)?).map_err(io_error)?;
    out.write_all(b"\n")
}

/// serde_json's error as its original error: the writer's own if the writer failed, so that a
/// closed pipe stays a closed pipe.
pub(crate) fn io_error(error: serde_json::Error) -> io::Error {
    match error.io_error_kind() {
        Some(kind) => io::Error::new(kind, error),
        None => io::Error::other(error),
    }
}

/// Why a file cannot be read as a report, in one line with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The file is larger than [`LARGEST`].
    TooLarge { bytes: usize },
    /// The file is not valid JSON.
    NotJson { why: String },
    /// The file is JSON, but not a report.
    NotAReport { why: String },
    /// A newer version wrote the file.
    Newer { schema: String },
    /// The file is a page without a report.
    NoneInPage,
    /// A report in a page is not as it was written.
    Damaged { why: String },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => write!(
                f,
                "it has {} MiB, and reports have at most {} MiB",
                bytes >> 20,
                LARGEST >> 20
            ),
            Self::NotJson { why } => write!(f, "not valid JSON: {why}"),
            Self::NotAReport { why } => {
                write!(f, "not a chronoscope report: {why}; --export json=PATH writes one")
            }
            Self::Newer { schema } => write!(
                f,
                "its schema {schema} is newer than {SCHEMA}: use a newer chronoscope to read it"
            ),
            Self::NoneInPage => {
                f.write_str("the page holds no report; --export html=PATH writes one that does")
            }
            Self::Damaged { why } => write!(f, "the report in the page is damaged: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

/// Reads a report. The bytes are not trusted: their size is limited, serde_json limits their depth
/// (128), and none of them reaches a terminal unchanged.
///
/// # Errors
/// See [`ReadError`].
pub fn read(bytes: &[u8]) -> Result<Report, ReadError> {
    if bytes.len() > LARGEST {
        return Err(ReadError::TooLarge { bytes: bytes.len() });
    }
    let report = serde_json::from_slice::<Report>(bytes);
    let schema = match &report {
        Ok(report) => Some(report.schema.clone()),
        // A newer version may have changed what else is in it.
        Err(_) => serde_json::from_slice::<Head>(bytes).map_err(refused)?.schema,
    };
    let Some(schema) = schema else {
        return Err(ReadError::NotAReport { why: "the key \"schema\" is missing".into() });
    };
    let (name, own) = SCHEMA.split_once('/').unwrap_or((SCHEMA, "1"));
    let version = schema
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('/'))
        .and_then(|version| version.parse::<u32>().ok());
    let shown: String = clean(&schema).chars().take(60).collect();
    match (version, own.parse::<u32>()) {
        (Some(version), Ok(own)) if version > own => Err(ReadError::Newer { schema: shown }),
        (Some(version), _) if version >= 1 => report.map_err(refused),
        _ => Err(ReadError::NotAReport { why: format!("its schema is \"{shown}\"") }),
    }
}

fn refused(error: serde_json::Error) -> ReadError {
    let why: String = clean(&error.to_string()).chars().take(200).collect();
    match error.classify() {
        serde_json::error::Category::Data => ReadError::NotAReport { why },
        _ => ReadError::NotJson { why },
    }
}
