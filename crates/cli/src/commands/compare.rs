//! Which clocks work on every one of several machines, and what do they cost there?

use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::task::{Document, Examples, Run, Task};
use chronoscope_model::Report;
use chronoscope_report::{compare, documents, text};
use std::path::PathBuf;

pub const EXAMPLES: Examples = [
    ("chronoscope compare pi.json wsl.json windows.json", "The clocks that work on all three."),
    (
        "chronoscope compare *.json --export markdown=clocks.md",
        "Any number of reports, as tables for a README.",
    ),
    ("chronoscope compare a.json b.json --json", "The same for a program."),
];

/// Compare the clocks of several machines, or what timing adds to a loop there.
///
/// Shows what each clock costs on each machine, and which clocks exist, follow an interval of
/// 100 ms and do not wrap within an hour on all of them; then the cheapest of these. Reports of
/// `overhead` are shown side by side.
#[derive(clap::Args)]
pub struct Args {
    /// The reports, at least two; '-' is standard input.
    #[arg(required = true, value_name = "REPORT.json")]
    files: Vec<PathBuf>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        if self.files.len() < 2 {
            let line = "compare needs two reports or more: name another file";
            return Err(Usage(line.into()).into());
        }
        let mut reports = Vec::new();
        for file in &self.files {
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
