//! What do my language's clocks cost on this machine, compared with C?

use crate::context::Context;
use crate::input;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_survey::spec::{RuntimeSpec, Spec};
use chronoscope_survey::{Error, Survey};
use std::path::PathBuf;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope runtimes", "Every runtime that is installed, next to C."),
    (
        "chronoscope runtimes java --runtime java=/opt/jdk/bin",
        "One runtime, from the folder that holds it.",
    ),
    (
        "chronoscope runtimes java --with other.json -v",
        "Next to another machine's; -v adds the system calls.",
    ),
];

/// What do my language's clocks cost on this machine, compared with C?
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    spec: RuntimeSpec,
    /// Add the runtimes of another report.
    #[arg(long, value_name = "REPORT.json")]
    with: Vec<PathBuf>,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        // Before anything is measured: a wrong file is noticed at once.
        let others = input::runtimes(&self.with)?;
        let survey = Survey::of(Spec::Runtimes(self.spec))?;
        let job = Job {
            amend: Some(Box::new(|report, _| {
                report.runtimes.extend(others);
                Ok(())
            })),
            outcome: |report| {
                let mut runtimes = report.runtimes.iter();
                let measured = runtimes.find(|runtime| runtime.is_measured_elsewhere());
                let nothing = || Error::Nothing("no runtime could be measured".into());
                measured.map(|_| ExitCode::SUCCESS).ok_or_else(nothing)
            },
            ..Job::survey(survey, Screen::Runtimes)
        };
        Ok(job.into())
    }
}
