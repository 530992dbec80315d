//! One record per line, for tools that read line by line and for files that grow.

use super::Format;
use super::json::io_error;
use crate::{finite, section};
use chronoscope_model::Report;
use chronoscope_model::histogram::Histogram;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::{self, Write};

pub const FORMAT: Format = Format {
    id: "ndjson",
    extension: "ndjson",
    about: "one JSON record per line: the run, the machine, then each clock, wait, finding, advice",
    distributions_only: false,
    write,
};

/// Writes the report. Each record has `record`, its kind, and `run_id`, which joins the records
/// of one run; its other keys are those of the report's schema. A wait that was measured also has
/// `buckets`: its overshoots as pairs of a bucket's largest value, in nanoseconds, and its count
/// ([`Histogram::buckets`]).
///
/// # Errors
/// Those of the writer, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut value = finite::value(report)?;
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
