//! The main job: this machine at a glance.

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use chronoscope_probes::clocks;
use chronoscope_report::text;
use std::process::ExitCode;
use std::time::Duration;

/// Most runs need half of it.
const BUDGET: Duration = Duration::from_secs(12);

/// Measures every clock, and shows what to know of this machine.
///
/// # Errors
/// Nothing could be measured; an output could not be written.
pub fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let mut report = context.report();
    measuring::all_about(
        context,
        &mut report,
        clocks::ALL,
        context.budget(BUDGET),
        None,
    )?;
    finish(context, report, text::glance::render)
}
