//! Did it change, by how much, and what do the changes share? And which clocks work on every one of
//! several machines?

mod history;
mod many;
mod run;
mod stored;

use crate::context::Context;
use crate::task::{Examples, Run, Task};
use std::path::PathBuf;

pub const EXAMPLES: Examples = [
    ("chronoscope compare before.json after.json", "What changed, and by how much."),
    (
        "chronoscope compare --run chronoscope --run 'taskset -c 1 chronoscope'",
        "Two commands take turns: the surest way to see a small change.",
    ),
    ("chronoscope compare pi.json wsl.json windows.json", "The clocks that work on all three."),
];

/// Show what changed between reports, by how much, and what the changes share.
///
/// The first report is what the others are compared with. Reports of different machines also show
/// which clocks work on all of them.
#[derive(clap::Args)]
pub struct Args {
    /// The reports, at least two, or a report and a folder of reports; '-' is standard input.
    #[arg(value_name = "REPORT.json")]
    files: Vec<PathBuf>,
    /// A command that prints a report as JSON, or settings of this tool that begin with '--'. Give
    /// two: they take turns.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true, conflicts_with = "files")]
    run: Vec<String>,
    /// How many pairs of runs are made.
    #[arg(long, value_name = "N", default_value_t = 8, requires = "run")]
    pairs: u32,
    /// Compare with the report that was saved under this name.
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Save the report under this name.
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
    /// Replace a saved report of the same name.
    #[arg(long, requires = "save_baseline")]
    force: bool,
    /// Compare with the earlier reports of this folder.
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// Exit with 1 if a row is worse by this much, such as 5%.
    #[arg(long, value_name = "SHARE")]
    threshold: Option<String>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        match () {
            () if !self.run.is_empty() => run::task(&self, context),
            () if self.history.is_some() => history::task(&self, context),
            () if self.files.iter().any(|file| file.is_dir()) => many::task(&self, context),
            () => stored::task(&self, context),
        }
    }
}
