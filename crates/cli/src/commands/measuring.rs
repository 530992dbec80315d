//! What the measuring commands share: a session, and the report of all that it finds of clocks.

use crate::context::{Context, NothingToMeasure};
use crate::progress::Progress;
use crate::select::Usage;
use chronoscope_diagnose as diagnose;
use chronoscope_measure::clocks::{self, Options};
use chronoscope_measure::session::{self, Error, Session};
use chronoscope_model::{Clock, Environment, Report};
use chronoscope_probes::clocks::Entry;
use std::time::Duration;

/// A session with these clocks.
///
/// # Errors
/// A processor that may not be used (usage); no clock that can be read (nothing to measure).
pub fn session(
    context: &Context,
    environment: &Environment,
    entries: &[&'static Entry],
) -> anyhow::Result<Session> {
    let options = session::Options {
        cpu: context.global.cpu,
        interrupt: context.interrupt(),
        first: super::first::starter(),
    };
    Session::open(entries, environment, options).map_err(|error| match error {
        Error::NoSuchCpu { .. } => Usage(error.to_string()).into(),
        Error::NothingAvailable(_) => NothingToMeasure(error.to_string()).into(),
    })
}

/// Measures everything about these clocks into the report, with verdicts, findings and advice.
///
/// # Errors
/// As [`session`]; a budget in which no clock can be measured (nothing to measure).
pub fn all_about(
    context: &Context,
    report: &mut Report,
    entries: &[&'static Entry],
    budget: Duration,
    calls: Option<u64>,
) -> anyhow::Result<()> {
    let mut session = session(context, &report.environment, entries)?;
    let progress = Progress::new(context);
    let options = Options {
        budget: context.left_of(budget),
        calls,
        seed: context.seed,
    };
    let (specs, subjects) = (session.specs.clone(), session.subjects.clone());
    let found = clocks::measure(
        &mut session.machine,
        &specs,
        &subjects,
        &options,
        |phase, done| progress.show(phase, done),
    );
    drop(progress);

    let mut ruler = session.ruler(found.ruler_cost_ns, found.noise);
    ruler.notes.extend(found.notes);
    add_measured_rate(&mut report.environment, &ruler);
    report.ruler = Some(ruler);
    let mut measured = found.clocks;
    measured.append(&mut session.unavailable);
    // The order of the catalogue.
    for entry in entries {
        if let Some(at) = measured.iter().position(|clock| clock.id == entry.id) {
            report.clocks.push(measured.swap_remove(at));
        }
    }
    let measured = |clock: &Clock| clock.cost.throughput.is_some() || clock.bulk.is_some();
    if !report.clocks.iter().any(measured) && !context.interrupted() {
        return Err(NothingToMeasure(
            "no clock could be measured in so short a time: raise --budget, or name fewer clocks"
                .into(),
        )
        .into());
    }
    diagnose::judge(report);
    Ok(())
}

/// The counter's rate as the ruler's calibration found it, beside what other sources tell.
pub fn add_measured_rate(environment: &mut Environment, ruler: &chronoscope_model::Ruler) {
    let rate = chronoscope_model::environment::Rate {
        source: "measured".into(),
        hz: Some(ruler.hz),
        error_ppm: Some(ruler.hz_error_ppm),
        note: format!("against {}", ruler.reference),
    };
    if ruler.id == "rust/instant" {
        return;
    }
    if let Some(tsc) = &mut environment.tsc {
        tsc.rates.push(rate);
    } else if let Some(counter) = &mut environment.counter {
        counter.rates.push(rate);
    }
}
