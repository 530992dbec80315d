//! Stored reports next to each other.

use super::Args;
use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::task::{Document, Task};
use chronoscope_model::Report;
use chronoscope_report::{compare, documents, text};

/// What changed from the first report to each of the others, and what works on all machines.
pub fn task(args: &Args, context: &Context) -> anyhow::Result<Task> {
    if args.files.len() < 2 {
        let line = "compare needs two reports or more: name another file";
        return Err(Usage(line.into()).into());
    }
    let mut reports = Vec::new();
    for file in &args.files {
        let (name, report) = (file.display().to_string(), input::report(file)?);
        if report.clocks.is_empty() && report.overhead.is_empty() {
            let line = format!(
                "{name}: it has neither clocks nor overhead to compare; `chronoscope clocks \
                     --export json=PATH` writes a report that has"
            );
            return Err(Usage(line).into());
        }
        reports.push((name, report));
    }
    let compared = chronoscope_diagnose::compare(&reports);
    if compared.clocks.is_empty() && compared.overhead.is_empty() {
        return Err(Usage(nothing_shared(&reports)).into());
    }
    let view = compare::view(&compared, context.detail());
    Ok(Task::Document(Document {
        text: text::blocks(view, &context.style),
        json: documents::comparison(&compared)?,
        others: compare::formats(&compared)?,
    }))
}
/// Names two reports, one with clocks and one without.
fn nothing_shared(reports: &[(String, Report)]) -> String {
    let with = |clocks: bool| {
        let found = reports.iter().find(|(_, report)| report.clocks.is_empty() != clocks);
        found.map_or("", |(name, _)| name)
    };
    format!(
        "{} has clocks, {} has overhead only: name reports of one kind",
        with(true),
        with(false)
    )
}
