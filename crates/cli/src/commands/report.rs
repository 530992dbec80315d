//! Shows a stored report on any screen and in any format.

use super::{Examples, Run};
use crate::code::Code;
use crate::context::Context;
use crate::error::Usage;
use crate::finish::finish;
use crate::input;
use crate::uses::{Makes, Uses};
use crate::view::View;
use chronoscope_model::Report;
use chronoscope_report::format::{self, Format};
use chronoscope_report::{section, text};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope report run.json", "The screen that the run showed, for this terminal."),
    ("chronoscope report run.json --as markdown", "The same report as tables for an issue."),
    (
        "chronoscope report mains.json --compare battery.json",
        "The waits of two runs next to each other.",
    ),
];

/// Show a stored report on any screen and in any format.
#[derive(clap::Args)]
pub struct Args {
    /// The file that --json or --export json=PATH wrote; '-' is standard input.
    file: PathBuf,
    /// A screen (summary, brief, clocks, waits, ticks, deltas, calls, overhead, hardware,
    /// findings, doctor, advise) or a format (see chronoscope list formats). Default: the screen
    /// that the run showed.
    #[arg(long = "as", value_name = "SCREEN|FORMAT", value_parser = shape)]
    shape: Option<Shape>,
    /// Compare its waits with those of another report, for example one on battery with one on
    /// mains.
    #[arg(long, value_name = "OTHER", conflicts_with_all = ["shape", "json", "export"])]
    compare: Option<PathBuf>,
    /// Add the runtimes of other reports, for example of other machines.
    #[arg(long, value_name = "REPORT.json", conflicts_with = "compare")]
    with: Vec<PathBuf>,
}

/// What a report is shown as.
#[derive(Clone, Copy)]
enum Shape {
    Screen(View),
    Format(&'static Format),
}

fn shape(name: &str) -> Result<Shape, String> {
    let screen = View::find(name).map(Shape::Screen);
    let found = screen.or_else(|| format::find(name).map(Shape::Format));
    found.ok_or_else(|| {
        let formats = format::ALL.iter().map(|format| format.id);
        let names: Vec<&str> = View::names().chain(formats).collect();
        format!("there is no such screen or format: use one of {}", names.join(", "))
    })
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses {
            findings: true,
            verbose: match self.shape {
                Some(Shape::Screen(view)) => view.has_more(),
                Some(Shape::Format(_)) => false,
                None => true,
            },
            makes: Makes::Distributions,
            ..Uses::showing("report")
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let global = &context.global;
        let taken = global.json || global.export.iter().any(|export| export.path.is_none());
        if taken && self.shape.is_some() {
            let line = "standard output can hold one document: use --as, --json or one \
                        --export FORMAT=-";
            return Err(Usage(line.into()).into());
        }
        let mut report = input::report(&self.file)?;
        let others = input::with_runtimes(&self.with)?;
        report.runtimes.extend(others.into_iter().flat_map(|other| other.runtimes));
        if let Some(other) = &self.compare {
            return self.compared(report, other, context);
        }
        match self.shape {
            Some(Shape::Format(format)) => {
                let text = self.written(format, &report)?;
                finish(context, report, |_| text)
            }
            Some(Shape::Screen(view)) => show(view, report, context),
            None => show(View::of_run(&report), report, context),
        }
    }
}

impl Args {
    fn compared(
        &self,
        report: Report,
        other: &Path,
        context: &Context,
    ) -> anyhow::Result<ExitCode> {
        let waits = |path: &Path, report: &Report| match report.waits.iter().any(|w| w.samples > 0)
        {
            true => Ok(()),
            false => Err(Usage(format!("{}: it has no waits to compare", path.display()))),
        };
        waits(&self.file, &report)?;
        let second = input::report(other)?;
        waits(other, &second)?;
        finish(context, report, |report| {
            text::blocks(section::waits::compared(report, &second), &context.style)
        })
    }

    /// The report in a format.
    fn written(&self, format: &Format, report: &Report) -> anyhow::Result<String> {
        if format.distributions_only && section::distributions(report).is_empty() {
            let (file, id) = (self.file.display(), format.id);
            let line = format!("{file}: it has no waits, and {id} holds nothing else");
            return Err(Usage(line).into());
        }
        let mut bytes = Vec::new();
        (format.write)(report, &mut bytes)?;
        // Every format is text.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn show(view: View, report: Report, context: &Context) -> anyhow::Result<ExitCode> {
    let code = Code::usual(context.global.verbose)?;
    finish(context, report, |report| view.draw(report, code, context))
}
