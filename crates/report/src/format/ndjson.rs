//! One record per line, for tools that read line by line and for files that grow.

use super::json::{self, LARGEST, ReadError, io_error};
use crate::section;
use chronoscope_model::Report;
use chronoscope_model::histogram::Histogram;
use chronoscope_model::schema::REPORT;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::LazyLock;

/// Writes the report. Each record has `record`, its kind, and `run_id`, which joins the records
/// of one run; its other keys are those of the report's schema. A wait that was measured also has
/// `buckets`: its overshoots as pairs of a bucket's largest value, in nanoseconds, and its count
/// ([`Histogram::buckets`]).
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut value = json::finite_value(report)?;
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
        serde_json::to_writer(&mut *out, &record).map_err(io_error)?;
        out.write_all(b"\n")
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
    has(line, b"\"record\":\"")
}

/// Whether a line is the first record of a report.
pub fn begins_report(line: &[u8]) -> bool {
    has(line, b"\"record\":\"run\"")
}

fn has(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|it| it == part)
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
        let refused = |why: String| ReadError::NotAReport { why };
        let mut record: Map<String, Value> =
            serde_json::from_slice(line).map_err(|it| refused(it.to_string()))?;
        let kind = record.remove("record").unwrap_or_default();
        let run_id = record.remove("run_id").unwrap_or_default();
        let mut known = section::ALL.iter().flat_map(|section| section.records);
        let Some((key, _)) = known.find(|(_, own)| kind == **own) else {
            return Err(refused(format!("there is no record {kind}")));
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
        match lists().contains(*key) {
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
        json::read(&bytes).map(Some)
    }
}

/// The keys of a report that hold lists, as its schema says.
fn lists() -> &'static BTreeSet<String> {
    static LISTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let schema: Value = serde_json::from_str(&REPORT).unwrap_or_default();
        let keys = schema["properties"].as_object().into_iter().flatten();
        keys.filter(|(_, it)| it["type"] == "array").map(|(key, _)| key.clone()).collect()
    });
    &LISTS
}
