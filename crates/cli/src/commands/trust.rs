//! Does a clock go backwards, agree between CPUs, and keep its rate?

use crate::checkpoint;
use crate::context::Context;
use crate::error::Usage;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_model::units::short_ns;
use chronoscope_survey::Survey;
use chronoscope_survey::spec::{Spec, TrustSpec};
use std::path::PathBuf;
use std::time::Duration;

/// The least time in which anything can be seen: ten looks at all clocks.
const LEAST: Duration = Duration::from_millis(100);

pub const EXAMPLES: Examples = [
    ("chronoscope trust", "The clocks that programs use, watched for 10 s."),
    ("chronoscope trust x86 posix --duration 60s", "Those of x86 and POSIX, for a minute."),
    (
        "chronoscope trust --duration 8h --checkpoint t.json",
        "Overnight; --resume t.json continues.",
    ),
];

/// Does a clock go backwards, agree between CPUs, and keep its rate?
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    spec: TrustSpec,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    /// The file must not exist yet.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Continue the run whose report or checkpoint this is, on the same boot of the machine, and
    /// keep it up to date. Default: for the time that was left, or as long again.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ids", "checkpoint", "budget"])]
    resume: Option<PathBuf>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let time = self.spec.duration.or(context.options.measuring.budget);
        if let Some(time) = time.filter(|time| *time < LEAST) {
            let [time, least] = [time, LEAST].map(|time| short_ns(time.as_nanos() as f64));
            let line = format!("{time} is too short to see anything: it takes at least {least}");
            return Err(Usage(line).into());
        }
        if let Some(path) = &self.checkpoint {
            checkpoint::fresh(path, "continue its run with `chronoscope trust --resume {}`")?;
        }
        let survey = match &self.resume {
            Some(path) => {
                checkpoint::resumed(path, |report| Survey::watch_on(report, self.spec.duration))?
            }
            None => Survey::of(Spec::Trust(self.spec))?,
        };
        let checkpoint = self.checkpoint.or(self.resume);
        Ok(Job { checkpoint, ..Job::survey(survey, Screen::Trust) }.into())
    }
}
