//! Without a command: the machine at a glance, or in two lines.

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_survey::{Brief, Summary, Survey, select};

pub const EXAMPLES: Examples = [
    ("chronoscope", "This machine at a glance, in less than 5 s."),
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
    /// Measure all clocks, in 12 s, instead of those that programs commonly read and that advice
    /// needs.
    #[arg(long, conflicts_with_all = ["only", "brief"])]
    all: bool,
    /// Measure no waits.
    #[arg(long)]
    no_waits: bool,
    /// Show two lines to paste into a bug report, after 2 s.
    #[arg(long)]
    brief: bool,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let waits = !self.no_waits;
        let (survey, screen) = if self.brief {
            (Survey::new(Brief { waits }), Screen::Brief)
        } else {
            let some = self.all || !self.only.is_empty();
            let clocks = some.then(|| select::clocks(&self.only, false)).transpose()?;
            (Survey::new(Summary { clocks, waits }), Screen::Summary)
        };
        Ok(Job { distributions: waits, ..Job::survey(survey, screen) }.into())
    }
}
