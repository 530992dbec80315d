//! What do my language's clocks cost on this machine, compared with C?

use crate::context::Context;
use crate::input;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_survey::{Error, Runtimes, Survey, select};
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
    /// Runtimes, or builds of them such as c:gcc-O2; see chronoscope list runtimes. Default: all.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Where a runtime is: its program, or the directory that holds it.
    #[arg(long, value_name = "ID=PATH", value_parser = place)]
    runtime: Vec<(String, PathBuf)>,
    /// Add the runtimes of another report.
    #[arg(long, value_name = "REPORT.json")]
    with: Vec<PathBuf>,
}

/// Parses `ID=PATH`. The path is made absolute.
fn place(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((id, path)) if !id.is_empty() && !path.is_empty() => {
            // The probe runs in a directory of its own.
            let path = std::path::absolute(path).map_err(|error| error.to_string())?;
            Ok((id.into(), path))
        }
        _ => Err("it is written ID=PATH, for example java=/opt/jdk/bin/java".into()),
    }
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        // Before anything is measured: a wrong file is noticed at once.
        let others = input::runtimes(&self.with)?;
        let wanted = select::runtimes(&self.ids, &self.runtime)?;
        let survey = Survey::new(Runtimes { wanted });
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
