//! The main job: this machine at a glance.

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use chronoscope_measure::{session, waits};
use chronoscope_model::units::human;
use chronoscope_model::waits::{Load, Wait};
use chronoscope_probes::clocks;
use chronoscope_report::text;
use std::process::ExitCode;
use std::time::Duration;

/// Most runs need two thirds of it.
const BUDGET: Duration = Duration::from_secs(12);

/// The waits' share of it.
const WAITS: f64 = 0.16;

/// Measures every clock, and shows what to know of this machine.
///
/// # Errors
/// Nothing could be measured; an output could not be written.
pub fn run(context: &Context) -> anyhow::Result<ExitCode> {
    let mut report = context.report();
    let budget = context.budget(BUDGET);
    let for_waits = budget.mul_f64(WAITS);
    let distrust = session::distrust(&report.environment);
    let for_clocks = budget.saturating_sub(for_waits);
    measuring::all_about(context, &mut report, clocks::ALL, for_clocks, None)?;
    let cpu = report.ruler.as_ref().and_then(|ruler| ruler.cpu);
    let measured = waits::glance(
        for_waits,
        &[Load::None],
        cpu,
        distrust,
        context.seed,
        context.interrupt(),
    );
    let missing = match measured {
        Ok(rows) => {
            let missing = missing(&rows).filter(|_| !context.interrupted());
            report.waits = rows;
            missing
        }
        Err(why) => Some(format!("no waits: {why}")),
    };
    if let (Some(missing), Some(ruler)) = (missing, &mut report.ruler) {
        let share = human(for_waits);
        ruler.notes.push(format!(
            "{missing}; the waits have {share} of the budget; raise --budget"
        ));
    }
    finish(context, report, text::glance::render)
}

/// What there was no time for; the table has only what was measured.
fn missing(waits: &[Wait]) -> Option<String> {
    let unmeasured = waits.iter().filter(|w| w.available && w.samples == 0);
    let count = unmeasured.count();
    (count > 0).then(|| format!("no time for {count} of {} waits", waits.len()))
}
