//! Which timer hardware, which kernel clock source, which hypervisor, and why?

use super::{Examples, Run};
use crate::context::Context;
use crate::finish::with_section;
use crate::uses::Uses;
use chronoscope_report::section;
use chronoscope_survey::Survey;
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope hardware", "Timers, clock source and hypervisor."),
    ("chronoscope hardware -v", "Also the lines of the kernel's log about time."),
    ("chronoscope hardware --fail-on warning", "Exit with 1 if there is a problem, for a script."),
];

/// Which timer hardware, which kernel clock source, which hypervisor, and why?
#[derive(clap::Args)]
pub struct Args {}

impl Run for Args {
    fn uses(&self) -> Uses {
        // It takes so little time that it is within every budget.
        Uses::measuring("hardware")
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let report = context.survey(Survey::hardware()).run()?;
        with_section(context, report, &section::machine::SECTION)
    }
}
