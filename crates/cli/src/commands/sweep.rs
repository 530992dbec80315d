//! What do clocks cost under every clock source of the kernel?

use super::{Examples, Run};
use crate::context::Context;
use crate::finish::with_section;
use crate::progress::Progress;
use crate::uses::Uses;
use chronoscope_report::section;
use chronoscope_survey::Survey;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("sudo chronoscope sweep", "The system's clocks under every clock source."),
    (
        "sudo chronoscope sweep posix/monotonic --budget 6s",
        "One clock, in 6 s for all sources together.",
    ),
    (
        "sudo chronoscope sweep --runtimes=java,python",
        "Also the clocks of two runtimes under every source.",
    ),
];

/// What do clocks cost under every clock source of the kernel?
///
/// Changes the kernel's clock source, which only root may do, and restores it afterwards: also when
/// the run is stopped or killed, by a second process that waits for its end. All programs of the
/// machine read their clocks more slowly meanwhile.
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of clocks. Default: those that are built on the clock source.
    ids: Vec<String>,
    /// Also measure language runtimes under every clock source: these, or all. Some 30 s per
    /// source.
    #[arg(
        long,
        value_name = "ID,…",
        num_args = 0..=1,
        require_equals = true,
        value_delimiter = ',',
        default_missing_value = ""
    )]
    runtimes: Option<Vec<String>>,
}

impl Args {
    /// The ids of the runtimes that are wanted; empty: all.
    fn wanted(&self) -> Option<Vec<String>> {
        let ids = self.runtimes.as_ref()?;
        Some(ids.iter().filter(|id| !id.is_empty()).cloned().collect())
    }
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses::measuring("sweep")
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let progress = Progress::new(context);
        let wanted = self.wanted();
        let survey = context.survey(Survey::sweep(&self.ids, wanted.as_deref())?);
        let report = survey.progress(|state| progress.show(state)).run()?;
        drop(progress);
        with_section(context, report, &section::sweep::SECTION)
    }
}
