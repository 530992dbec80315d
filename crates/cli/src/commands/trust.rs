//! Does a clock go backwards, agree between CPUs, and keep its rate?

use super::waits::checkpoint;
use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_model::units;
use chronoscope_survey::{Survey, Trust, select};
use std::path::PathBuf;
use std::time::Duration;

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
    /// Ids, prefixes or globs of clocks. Default: the clocks that programs use, without other paths
    /// to the same clock.
    ids: Vec<String>,
    /// How long to watch, such as 60s or 8h. Default: 10s.
    #[arg(long, value_name = "DURATION", conflicts_with = "budget")]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    duration: Option<Duration>,
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
        let entries = select::some_clocks(&self.ids)?;
        let survey = Survey::new(Trust { entries, time: self.duration });
        Ok(Job { checkpoint: self.checkpoint, ..Job::survey(survey, Screen::Trust) }.into())
    }
}
