//! Everything about clocks.

use crate::error::Error;
use crate::setting::{Clock, Progress, Setting, add_measured_rate};
use chronoscope_measure::clocks::{self, Options};
use chronoscope_model::Report;
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// Measures everything about these clocks.
///
/// # Errors
/// No clock can be read, or the budget is too short to measure one.
pub(crate) fn measure(
    setting: &mut Setting,
    report: &mut Report,
    clock: &Clock,
    entries: &[&'static Entry],
    budget: Duration,
    calls: Option<u64>,
) -> Result<(), Error> {
    let mut session = setting.session(&report.environment, entries)?;
    let options = Options {
        budget: clock.left_of(budget),
        calls,
        seed: setting.seed,
    };
    let (specs, subjects) = (session.specs.clone(), session.subjects.clone());
    let found = clocks::measure(
        &mut session.machine,
        &specs,
        &subjects,
        &options,
        |phase, done| (setting.progress)(Progress::Phase(phase, done)),
    );
    let ruler = session.ruler(found.ruler_cost_ns, found.noise);
    add_measured_rate(&mut report.environment, &ruler);
    report.ruler = Some(ruler);
    report.notes.append(&mut session.notes);
    report.notes.extend(found.notes);
    let mut measured = found.clocks;
    measured.append(&mut session.unavailable);
    // The order of the catalogue.
    for entry in entries {
        if let Some(at) = measured.iter().position(|clock| clock.id == entry.id) {
            report.clocks.push(measured.swap_remove(at));
        }
    }
    let measured =
        |clock: &chronoscope_model::Clock| clock.cost.throughput.is_some() || clock.bulk.is_some();
    if !report.clocks.iter().any(measured) && !setting.interrupt.is_set() {
        return Err(Error::Nothing(
            "no clock could be measured in such a short time: raise --budget, or name fewer clocks"
                .into(),
        ));
    }
    Ok(())
}
