//! One record a line, for tools that read line by line and for files that grow.

use super::Format;
use super::json::io_error;
use crate::finite;
use chronoscope_model::Report;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "ndjson",
    extension: "ndjson",
    about: "one JSON record a line: the run, the machine, then each clock, wait, finding and advice",
    waits_alone: false,
    write,
};

/// The lists of the report, and what one of each is called.
const LISTS: [(&str, &str); 7] = [
    ("clocks", "clock"),
    ("deltas", "deltas"),
    ("calls", "calls"),
    ("overhead", "overhead"),
    ("waits", "wait"),
    ("findings", "finding"),
    ("advice", "advice"),
];

/// Writes the report. Each record has `record`, its kind, and `run_id`, which joins the records
/// of one run; its other keys are those of the report's schema.
///
/// # Errors
/// What the writer reports, and a report whose run has no finite duration.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut value = finite::value(report)?;
    let mut line = |kind: &str, part: Value| -> io::Result<()> {
        let mut record = Map::new();
        record.insert("record".into(), kind.into());
        record.insert("run_id".into(), report.run.id.as_str().into());
        if let Value::Object(fields) = part {
            record.extend(fields);
        }
        serde_json::to_writer(&mut *out, &record).map_err(io_error)?;
        out.write_all(b"\n")
    };
    let mut run = value["run"].take();
    run["schema"] = report.schema.as_str().into();
    line("run", run)?;
    line("environment", value["environment"].take())?;
    if value.get("ruler").is_some() {
        line("ruler", value["ruler"].take())?;
    }
    for (list, kind) in LISTS {
        if let Some(Value::Array(items)) = value.get_mut(list).map(Value::take) {
            for item in items {
                line(kind, item)?;
            }
        }
    }
    Ok(())
}
