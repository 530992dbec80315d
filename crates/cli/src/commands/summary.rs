//! Without a command: the machine at a glance, or in two lines.

use super::{Examples, Run};
use crate::code::Code;
use crate::context::Context;
use crate::finish::finish;
use crate::progress::Progress;
use crate::uses::{Makes, Uses};
use crate::view::View;
use chronoscope_survey::Survey;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope", "This machine at a glance, in about 10 s."),
    ("chronoscope --brief", "Two lines to paste into a bug report, in 2 s."),
    (
        "chronoscope --only posix,rust --no-waits",
        "Only the clocks of POSIX and Rust, and no waits.",
    ),
];

/// What applies without a command.
#[derive(clap::Args)]
#[command(next_help_heading = "Options without a command")]
pub struct Args {
    /// Measure only these clocks: ids, prefixes or globs, separated by commas.
    #[arg(long, value_name = "IDS", value_delimiter = ',', conflicts_with = "brief")]
    only: Vec<String>,
    /// Measure no waits.
    #[arg(long)]
    no_waits: bool,
    /// Show two lines to paste into a bug report, after 2 s.
    #[arg(long)]
    brief: bool,
}

impl Args {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            (!self.only.is_empty(), "--only"),
            (self.no_waits, "--no-waits"),
            (self.brief, "--brief"),
        ];
        let found = options.into_iter().find(|(given, _)| *given);
        found.map(|(_, option)| option)
    }
}

impl Run for Args {
    fn uses(&self) -> Uses {
        let makes = match self.no_waits {
            true => Makes::Report,
            false => Makes::Distributions,
        };
        match self.brief {
            true => Uses { makes, verbose: false, ..Uses::measuring("chronoscope --brief") },
            false => Uses { makes, ..Uses::measuring("chronoscope") },
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let survey = match self.brief {
            true => Survey::brief(!self.no_waits),
            false => Survey::summary_of(&self.only, !self.no_waits)?,
        };
        let progress = Progress::new(context);
        let survey = context.survey(survey);
        let report = survey.progress(|state| progress.show(state)).run()?;
        drop(progress);
        let view = if self.brief { View::Brief } else { View::Summary };
        finish(context, report, |report| view.draw(report, Code::All, context))
    }
}
