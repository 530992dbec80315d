//! One document, described by a JSON Schema, and read back.

use crate::clean::clean;
use chronoscope_model::{Report, SCHEMA, schema};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::io::{self, Write};

/// The largest document that is read. A report of every clock is under a megabyte, but a row of
/// waits can take up to 300 KiB: this is enough for almost a thousand.
pub const LARGEST: usize = 256 << 20;

/// Writes the report. A figure that is not finite is left out, as if it had not been measured.
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &finite_value(report)?).map_err(io_error)?;
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

// Numbers that JSON cannot represent.
//
// JSON has neither NaN nor infinity (RFC 8259, section 6). serde_json writes `null` in their
// place, which the schema does not allow. Such a figure carries no information, so it is left out
// here, together with the smallest part of the report that requires it.

/// Converts the report to a JSON value without the figures that are not finite.
///
/// # Errors
/// The figure is in a part that every report requires.
pub(crate) fn finite_value(report: &Report) -> io::Result<Value> {
    let mut value = serde_json::to_value(report).map_err(io::Error::other)?;
    if !holds_null(&value) {
        return Ok(value);
    }
    let root = serde_json::from_str(&schema::REPORT)?;
    if prune(&mut value, &root, &root) {
        Ok(value)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a figure that every report needs is not a finite number",
        ))
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(fields) => fields.values().any(holds_null),
        _ => false,
    }
}

/// Removes what is null, and every part that requires what was removed. Returns `false` if this
/// value itself must be removed.
fn prune(value: &mut Value, schema: &Value, root: &Value) -> bool {
    let schema = resolve(schema, root);
    match value {
        Value::Null => false,
        Value::Array(items) => {
            let item = schema.get("items").unwrap_or(&Value::Null);
            let before = items.len();
            items.retain_mut(|v| prune(v, item, root));
            // If a position in the list has a meaning, a list with a gap is not valid.
            schema.get("maxItems").is_none() || items.len() == before
        }
        Value::Object(fields) => {
            let required = schema.get("required").and_then(Value::as_array);
            let required = |key: &str| {
                required.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(key)))
            };
            let mut whole = true;
            let properties = schema.get("properties");
            fields.retain(|key, field| {
                let of = properties.and_then(|p| p.get(key)).unwrap_or(&Value::Null);
                let keep = prune(field, of, root);
                whole &= keep || !required(key);
                keep
            });
            whole
        }
        _ => true,
    }
}

/// Returns the schema behind a reference, or behind `T or null`.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = target.trim_start_matches('#');
        return root.pointer(pointer).unwrap_or(&Value::Null);
    }
    let options = schema.get("anyOf").and_then(Value::as_array);
    match options.and_then(|o| o.iter().find(|s| s.get("type") != Some(&"null".into()))) {
        Some(option) => resolve(option, root),
        None => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::{Clock, Cost};
    use chronoscope_model::environment::Cpu;
    use chronoscope_model::{Environment, Estimate};

    #[test]
    fn a_figure_that_is_not_finite_is_removed_with_whatever_requires_it() {
        let mut report = Report {
            clocks: vec![Clock {
                id: "a/b".into(),
                cost: Cost {
                    throughput: Some(Estimate { p99_ns: f64::INFINITY, ..Estimate::default() }),
                    latency: Some(Estimate { cycles: Some(f64::NAN), ..Estimate::default() }),
                    ..Cost::default()
                },
                wraps_after_s: Some(f64::NAN),
                ..Clock::default()
            }],
            environment: Environment {
                load: Some([1.0, f64::NAN, 1.0]),
                cpu: Cpu::default(),
                ..Environment::default()
            },
            ..Report::default()
        };
        let value = finite_value(&report).expect("all of it can be left out");
        assert!(!holds_null(&value));
        let clock = &value["clocks"][0];
        assert_eq!(clock["cost"].get("throughput"), None);
        assert_eq!(clock["cost"]["latency"].get("cycles"), None);
        assert!(clock["cost"]["latency"].get("value_ns").is_some());
        assert_eq!(clock.get("wraps_after_s"), None);
        assert_eq!(value["environment"].get("load"), None);
        assert!(serde_json::from_value::<Report>(value).is_ok());

        report.run.seconds = f64::NAN;
        assert!(finite_value(&report).is_err());
    }
}
