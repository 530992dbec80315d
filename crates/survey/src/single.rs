//! Measurements that answer one question about one clock.

use crate::error::Error;
use crate::setting::{Clock, Progress, Setting};
use chronoscope_measure::{calls, deltas, overhead};
use chronoscope_model::Report;
use chronoscope_model::run::Noise;
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// The time that overhead may take: enough for the usual shape on a slow machine.
const OVERHEAD: Duration = Duration::from_secs(60);

/// The error for a clock that cannot be measured, unless the user stopped the run.
fn no_unit(setting: &Setting, entry: &Entry) -> Result<(), Error> {
    if setting.interrupt.is_set() {
        return Ok(());
    }
    Err(Error::Nothing(format!(
        "{} does not count in a fixed unit of time",
        entry.id
    )))
}

/// The differences between successive reads.
pub(crate) fn deltas(
    setting: &mut Setting,
    report: &mut Report,
    clock: &Clock,
    entry: &'static Entry,
    reads: u64,
) -> Result<(), Error> {
    let mut session = setting.session(&report.environment, &[entry])?;
    let specs = session.specs.clone();
    let longest = setting.budget.map(|budget| clock.left_of(budget));
    let tries = deltas::NOTHING_TRIES;
    let found = deltas::measure(&mut session.machine, &specs, 0, reads, tries, longest);
    if found.is_none() {
        no_unit(setting, entry)?;
    }
    report.deltas.extend(found);
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    report.notes.append(&mut session.notes);
    Ok(())
}

/// The mean of many calls, the mean of a few, and a single call.
pub(crate) fn calls(
    setting: &mut Setting,
    report: &mut Report,
    clock: &Clock,
    entry: &'static Entry,
) -> Result<(), Error> {
    let mut session = setting.session(&report.environment, &[entry])?;
    let specs = session.specs.clone();
    let longest = setting.budget.map(|budget| clock.left_of(budget));
    let found = calls::measure(&mut session.machine, &specs, 0, longest);
    if found.is_none() {
        no_unit(setting, entry)?;
    }
    report.calls.extend(found);
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    report.notes.append(&mut session.notes);
    Ok(())
}

/// What timing adds to a loop.
pub(crate) fn overhead(
    setting: &mut Setting,
    report: &mut Report,
    entry: &'static Entry,
    shape: [u64; 3],
) -> Result<(), Error> {
    let mut session = setting.session(&report.environment, &[entry])?;
    let specs = session.specs.clone();
    let mut rng = fastrand::Rng::with_seed(setting.seed);
    let found = overhead::measure(
        &mut session.machine,
        &specs,
        0,
        shape,
        setting.budget.unwrap_or(OVERHEAD),
        &mut rng,
        |done| (setting.progress)(Progress::Phase("overhead", done)),
    );
    report.overhead.extend(found);
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    report.notes.append(&mut session.notes);
    Ok(())
}
