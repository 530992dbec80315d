//! Does a clock go backwards, agree between CPUs, and keep its rate?

use super::waits::checkpoint;
use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_survey::Survey;
use chronoscope_survey::spec::{Spec, TrustSpec};
use std::path::PathBuf;

pub const EXAMPLES: Examples = [
    ("chronoscope trust", "The clocks that programs use, watched for 10 s."),
    ("chronoscope trust x86 posix --duration 60s", "Those of x86 and POSIX, for a minute."),
    (
        "chronoscope trust --duration 8h --checkpoint t.json",
        "Overnight; chronoscope report t.json shows progress.",
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
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        if let Some(path) = &self.checkpoint {
            checkpoint::fresh(path, "`chronoscope report {}` shows it")?;
        }
        let survey = Survey::of(Spec::Trust(self.spec))?;
        Ok(Job { checkpoint: self.checkpoint, ..Job::survey(survey, Screen::Trust) }.into())
    }
}
