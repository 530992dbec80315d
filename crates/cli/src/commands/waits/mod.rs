//! How precisely can I wait here?

mod numbers;

use crate::checkpoint;
use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Amend, Examples, Job, Measure, Run, Task};
use chronoscope_model::waits::StoppedBy;
use chronoscope_model::{Note, Report};
use chronoscope_survey::{Spec, Survey, WaitSpec};
use clap::builder::ArgPredicate;
use clap::{Args as _, Id};
use std::path::PathBuf;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope waits linux/nanosleep 1 500", "How late 500 waits of 1 ms end."),
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
///
/// For users of cyclictest: `-p` is --priority, `-i` is --period, `-l` is --count, `-a` is --cpu,
/// and `-h` is --style bins. `cyclictest -p 40 -i 1000 -l 1000 -h 400` becomes `chronoscope waits
/// linux/clock_nanosleep-abs --priority 40 --period 1ms --count 1000 --style bins`.
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
    /// MIN, AVG, MAX and MAX OVER in ticks of 100 ns, those of QPC.
    #[value(alias = "seed")]
    Ticks,
    /// The table, and each row's overshoots in bins of 1 us, as cyclictest -h counts them.
    Bins,
}

/// The options that conflict with `--resume`, because the checkpoint holds those that the run was
/// started with. How the result is shown is not among them.
fn not_with_resume() -> Vec<Id> {
    let spec = WaitSpec::augment_args(clap::Command::default());
    let asked = spec.get_arguments().map(|arg| arg.get_id().clone());
    asked.chain(["checkpoint", "budget", "cpu", "seed"].map(Id::from)).collect()
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let checkpoint = self.checkpoint_file(context);
        if let Some(path) = &self.checkpoint {
            checkpoint::fresh(path, "resume its run with `chronoscope waits --resume {}`")?;
        }
        let screen = match self.style {
            Style::Table => Screen::Waits,
            Style::Ticks => Screen::Ticks,
            Style::Bins => Screen::Bins,
        };
        let mut spec = self.spec;
        let read = numbers::read(&mut spec)?;
        let survey = match &self.resume {
            Some(path) => checkpoint::resumed(path, Survey::resume)?,
            None => Survey::of(Spec::Waits(spec))?,
        };
        let job = Job {
            amend: read.map(|text| {
                let id = "read-as-ms".into();
                let note = Note { id, text, ..Note::default() };
                Box::new(|report: &mut Report, _: &Measure| {
                    report.notes.push(note);
                    Ok(())
                }) as Box<Amend>
            }),
            distributions: true,
            checkpoint,
            outcome: |report| {
                let above = report.waits.iter().any(|wait| wait.stopped_by == StoppedBy::Limit);
                Ok(ExitCode::from(u8::from(above)))
            },
            ..Job::survey(survey, screen)
        };
        Ok(job.into())
    }
}

impl Args {
    /// Where the checkpoint goes: to the file asked for, to the checkpoint that is resumed, or to
    /// the file that a long run exports its report to.
    fn checkpoint_file(&self, context: &Context) -> Option<PathBuf> {
        let export = || {
            let mut exports = context.options.output.export.iter();
            exports.find(|e| e.shape.id() == "json")?.path.clone()
        };
        let asked = self.checkpoint.clone().or_else(|| self.resume.clone());
        asked.or_else(|| self.spec.duration.and_then(|_| export()))
    }
}
