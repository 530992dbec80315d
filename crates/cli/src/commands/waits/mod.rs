//! How precisely can I wait here?

pub mod checkpoint;
mod line;

use super::{Examples, Run};
use crate::context::Context;
use crate::finish::{finish, with_section};
use crate::uses::{Makes, Uses};
use chronoscope_model::waits::StoppedBy;
use chronoscope_model::{Report, Wait};
use chronoscope_report::section;
use chronoscope_report::text;
use chronoscope_survey::{Progress, Survey, WaitSpec};
use clap::builder::ArgPredicate;
use clap::{Args as _, Id};
use line::Line;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope waits linux/nanosleep --wait 1ms --count 500", "How late 500 waits of 1 ms end."),
    (
        "chronoscope waits --load normal --slice default,100us",
        "What a short scheduler slice changes under load.",
    ),
    (
        "chronoscope waits --duration 2h --checkpoint run.json",
        "Hours of every method; --resume run.json continues.",
    ),
];

/// How precisely can I wait here?
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    spec: WaitSpec,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    /// It must not exist yet.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Resume from this checkpoint with its original options, and keep it up to date.
    #[arg(long, value_name = "FILE", conflicts_with_all = not_with_resume())]
    resume: Option<PathBuf>,
    /// How the table is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
    #[arg(default_value_if("preset", ArgPredicate::IsPresent, "ticks"))]
    style: Style,
}

/// How the table is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    /// Overshoot with its percentiles.
    #[default]
    Table,
    /// MIN, AVG, MAX and MAX OVER in ticks of the reference.
    #[value(alias = "seed")]
    Ticks,
}

/// The options that conflict with `--resume`, because the checkpoint holds those that the run was
/// started with. How the result is shown is not among them.
fn not_with_resume() -> Vec<Id> {
    let spec = WaitSpec::augment_args(clap::Command::default());
    let asked = spec.get_arguments().map(|arg| arg.get_id().clone());
    asked.chain(["checkpoint", "budget", "cpu", "seed"].map(Id::from)).collect()
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses {
            makes: Makes::Distributions,
            verbose: self.style == Style::Table,
            ..Uses::measuring("waits")
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let style = self.style;
        let file = self.checkpoint_file(context);
        if let Some(path) = &self.checkpoint {
            checkpoint::fresh(path, "resume its run with `chronoscope waits --resume {}`")?;
        }
        let survey = match &self.resume {
            Some(path) => checkpoint::resumed(path)?,
            None => Survey::waits(self.spec)?,
        };
        let report = measure(context.survey(survey), context, file.as_deref())?;
        let limit = |wait: &Wait| wait.stopped_by == StoppedBy::Limit;
        let above = report.waits.iter().any(limit);
        let code = match style {
            Style::Table => with_section(context, report, &section::waits::SECTION),
            Style::Ticks => {
                // Its table has no room for notes.
                report.notes.iter().for_each(|note| context.note(note));
                finish(context, report, |report| {
                    text::blocks(section::waits::ticks(report), &context.style)
                })
            }
        }?;
        let stopped = above && code == ExitCode::SUCCESS;
        Ok(if stopped { ExitCode::from(1) } else { code })
    }
}

impl Args {
    /// Where the checkpoint goes: to the file asked for, to the checkpoint that is resumed, or to
    /// the file that a long run exports its report to.
    fn checkpoint_file(&self, context: &Context) -> Option<PathBuf> {
        let export = || {
            let mut exports = context.global.export.iter();
            exports.find(|e| e.format.id == "json")?.path.clone()
        };
        let asked = self.checkpoint.clone().or_else(|| self.resume.clone());
        asked.or_else(|| self.spec.duration.and_then(|_| export()))
    }
}

fn measure(survey: Survey, context: &Context, file: Option<&Path>) -> anyhow::Result<Report> {
    let line = Line::new(context);
    let keeper = checkpoint::Keeper::default();
    let keep = |report: &Report| keeper.keep(file, report, |what| line.say(what));
    let survey = survey.interrupt(&context.stop.interrupt).checkpoint(keep);
    let survey = survey.progress(|state| {
        if let Progress::Waits(progress) = state {
            line.show(progress);
        }
    });
    Ok(survey.run()?)
}
