//! The mean of a million calls, the mean of ten, and a single call, in three passes.

use super::Run;
use crate::context::Context;
use crate::finish::with_section;
use crate::uses::Uses;
use chronoscope_report::section;
use chronoscope_survey::Survey;
use std::process::ExitCode;

/// The mean of a million calls, the mean of ten, and a single call, in three passes.
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    #[arg(default_value = DEFAULT)]
    id: String,
}

/// The best portable clock of this system.
const DEFAULT: &str = if cfg!(windows) {
    "windows/qpc"
} else {
    "posix/monotonic"
};

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses::measuring("calls")
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let report = context.survey(Survey::calls(&self.id)?).run()?;
        with_section(context, report, &section::calls::SECTION)
    }
}
