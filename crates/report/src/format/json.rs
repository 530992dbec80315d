//! JSON: a report as one document, described by a JSON Schema, and read back; or one record per
//! line, for tools that read line by line and for files that grow.
//!
//! Also what the tool shows without measuring, for programs: lists and pages, from the same data as
//! their screens. As in a report, keys are only ever added within a version.

use crate::clean::{clean, is_unseen};
use crate::section;
use crate::text::{ListRow, Page};
use chronoscope_model::compare::Compared;
use chronoscope_model::histogram::Histogram;
use chronoscope_model::schema::REPORT;
use chronoscope_model::{Report, SCHEMA};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write};
use std::sync::LazyLock;

/// The largest document that is read. A report of every clock is under a megabyte, but a row of
/// waits can take up to 300 KiB: this is enough for almost a thousand.
pub const LARGEST: usize = 256 << 20;

/// Writes the report. A figure that is not finite is left out, as if it had not been measured.
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    put(serde_json::to_string_pretty(&finite_value(report)?), out)
}

/// Writes JSON and the end of its line. A terminal may show it, so what it would obey, and what
/// hides or reorders other characters, is escaped: outside of strings, JSON has none of these but
/// the ends of lines.
pub(super) fn put(json: serde_json::Result<String>, out: &mut dyn Write) -> io::Result<()> {
    let mut json = json.map_err(io_error)?;
    if !json.is_ascii() || json.contains('\x7f') {
        let mut safe = String::with_capacity(json.len());
        for c in json.chars() {
            if c == '\n' || !is_unseen(c) {
                safe.push(c);
            } else {
                let mut units = [0; 2];
                safe.extend(c.encode_utf16(&mut units).iter().map(|it| format!("\\u{it:04x}")));
            }
        }
        json = safe;
    }
    json.push('\n');
    out.write_all(json.as_bytes())
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
            Self::TooLarge { bytes } => {
                let (own, most) = (bytes >> 20, LARGEST >> 20);
                write!(f, "it has {own} MiB, and reports have at most {most} MiB")
            }
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
    let report = Report::read(bytes);
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

/// Why something was refused, which may quote any text of it.
fn short(why: impl ToString) -> String {
    clean(&why.to_string()).chars().take(200).collect()
}

fn no_record(why: impl ToString) -> ReadError {
    ReadError::NotAReport { why: short(why) }
}

fn refused(error: serde_json::Error) -> ReadError {
    let why = short(&error);
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
    let mut value = report.value().map_err(io::Error::other)?;
    if !holds_null(&value) {
        return Ok(value);
    }
    let root = serde_json::from_str(&REPORT)?;
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

/// The version of [`list`].
pub const LIST: &str = "chronoscope.list/1";
/// The version of [`pages`].
pub const PAGE: &str = "chronoscope.page/1";
/// The version of [`demo`].
pub const DEMO: &str = "chronoscope.demo/1";

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    what: &'a str,
    entries: &'a [ListRow],
}

#[derive(Serialize)]
struct Explanation<'a> {
    schema: &'static str,
    #[serde(flatten)]
    page: &'a Page,
    /// The other pages of that name, and those of the other names that were asked for.
    #[serde(skip_serializing_if = "<[Page]>::is_empty")]
    others: &'a [Page],
}

#[derive(Serialize)]
struct Demonstration<'a> {
    schema: &'static str,
    demo: &'a str,
    happened: bool,
    what: &'a str,
    figures: BTreeMap<&'a str, f64>,
}

/// Writes what a demonstration has shown: whether it happened, in words, and in figures, whose
/// names end with the unit.
///
/// # Errors
/// None are known, because its keys are strings and its values finite.
pub fn demo(
    name: &str,
    happened: bool,
    what: &str,
    figures: &[(&str, f64)],
) -> io::Result<Vec<u8>> {
    let figures = figures.iter().copied().collect();
    written(&Demonstration { schema: DEMO, demo: name, happened, what, figures })
}

/// Writes a list of the things that `what` names.
///
/// # Errors
/// None are known, because its keys and values are strings.
pub fn list(what: &str, entries: &[ListRow]) -> io::Result<Vec<u8>> {
    written(&List { schema: LIST, what, entries })
}

/// Writes a page, and with it the other pages that were asked for.
///
/// # Errors
/// There is no page.
pub fn pages(pages: &[Page]) -> io::Result<Vec<u8>> {
    let [page, others @ ..] = pages else {
        return Err(io::Error::other("there is no page"));
    };
    written(&Explanation { schema: PAGE, page, others })
}

/// Writes a comparison of reports.
///
/// # Errors
/// None are known, because its keys are strings.
pub fn comparison(compared: &Compared) -> io::Result<Vec<u8>> {
    written(compared)
}

fn written(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    put(serde_json::to_string_pretty(document), &mut bytes)?;
    Ok(bytes)
}

/// Writes the report. Each record has `record`, its kind, and `run_id`, which joins the records
/// of one run; its other keys are those of the report's schema. A wait that was measured also has
/// `buckets`: its overshoots as pairs of a bucket's largest value, in nanoseconds, and its count
/// ([`Histogram::buckets`]).
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write_records(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut value = finite_value(report)?;
    let mut line = |kind: &str, part: Value| -> io::Result<()> {
        let mut record = Map::new();
        record.insert("record".into(), kind.into());
        record.insert("run_id".into(), report.run.id.as_str().into());
        if let Value::Object(fields) = part {
            let overshoot = fields.get("overshoot").and_then(|it| Histogram::deserialize(it).ok());
            record.extend(fields);
            // A text that is not ours cannot be decoded; the record keeps it.
            if let Some(Ok(buckets)) = overshoot.map(|it| it.buckets()) {
                record.insert("buckets".into(), serde_json::to_value(buckets)?);
            }
        }
        put(serde_json::to_string(&record), out)
    };
    value["run"]["schema"] = report.schema.as_str().into();
    for (key, kind) in section::ALL.iter().flat_map(|section| section.records) {
        match value.get_mut(key).map(Value::take) {
            Some(Value::Array(items)) => {
                for item in items {
                    line(kind, item)?;
                }
            }
            Some(part) => line(kind, part)?,
            None => {}
        }
    }
    Ok(())
}

/// Whether a line is a record rather than a whole report.
pub fn is_record(line: &[u8]) -> bool {
    memmem::find(line, b"\"record\":\"").is_some()
}

/// Whether a line is the first record of a report.
pub fn begins_report(line: &[u8]) -> bool {
    memmem::find(line, b"\"record\":\"run\"").is_some()
}

/// Reads records back: reports, one after the other.
#[derive(Default)]
pub struct Records {
    report: Map<String, Value>,
    run_id: Value,
    bytes: usize,
}

impl Records {
    /// Adds the record of a line. The first record of the next run ends a report, which is
    /// returned.
    ///
    /// # Errors
    /// The line is no record, or what it ends is no report ([`ReadError`]).
    pub fn add(&mut self, line: &[u8]) -> Result<Option<Report>, ReadError> {
        let mut record: Map<String, Value> = serde_json::from_slice(line).map_err(no_record)?;
        let kind = record.remove("record").unwrap_or_default();
        let run_id = record.remove("run_id").unwrap_or_default();
        let mut known = section::ALL.iter().flat_map(|section| section.records);
        let Some((key, _)) = known.find(|(_, own)| kind == **own) else {
            return Err(no_record(format!("there is no record {kind}")));
        };
        let begins = *key == "run" || run_id != self.run_id;
        let ended = if begins { std::mem::take(self).end()? } else { None };
        self.run_id = run_id;
        self.bytes += line.len();
        if self.bytes > LARGEST {
            return Err(ReadError::TooLarge { bytes: self.bytes });
        }
        record.remove("buckets");
        if let Some(schema) = record.remove("schema").filter(|_| *key == "run") {
            self.report.insert("schema".into(), schema);
        }
        match LISTS.contains(*key) {
            true => {
                let list = self.report.entry(*key).or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut().into_iter().for_each(|list| list.push(record.clone().into()));
            }
            false => drop(self.report.insert((*key).into(), record.into())),
        }
        Ok(ended)
    }

    /// The last report; `None` if there is no record.
    ///
    /// # Errors
    /// See [`Self::add`].
    pub fn end(self) -> Result<Option<Report>, ReadError> {
        if self.report.is_empty() {
            return Ok(None);
        }
        let bytes = serde_json::to_vec(&self.report);
        let bytes = bytes.map_err(|it| ReadError::NotJson { why: it.to_string() })?;
        read(&bytes).map(Some)
    }
}

/// The keys of a report that hold lists, as its schema says.
static LISTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(&REPORT).unwrap_or_default();
    let keys = schema["properties"].as_object().into_iter().flatten();
    keys.filter(|(_, it)| it["type"] == "array").map(|(key, _)| key.clone()).collect()
});

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
