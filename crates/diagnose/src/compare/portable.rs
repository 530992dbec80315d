//! Which clocks work on every machine of several reports, and which of them is the cheapest.

use crate::clocks::SHORT_WRAP_S;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Grade, Kind, Language, Scope};
use chronoscope_model::compare::{
    ClockRow, Compared, Found, OverheadFound, OverheadRow, Portable, Problem, Source,
};
use std::collections::BTreeSet;

/// A clock whose values are further apart, in nanoseconds, does not give milliseconds. One percent
/// is for the rate of what ticks.
const MILLISECOND_NS: f64 = 1.01e6;

/// Clocks whose mean costs differ by less count as equal, and the first of the catalogue is chosen.
const EQUAL: f64 = 1.05;

/// Adds the reports, each with the name of its file, to what was compared; their clocks only if
/// they are of several `machines`. What not every report holds is left out.
pub fn complete(compared: Compared, reports: &[(String, Report)], machines: bool) -> Compared {
    let all = |held: fn(&Report) -> bool| reports.iter().all(|(_, report)| held(report));
    let clocks = match machines && all(|report| !report.clocks.is_empty()) {
        true => clocks(reports),
        false => Vec::new(),
    };
    let overhead = match all(|report| !report.overhead.is_empty()) {
        true => overhead(reports),
        false => Vec::new(),
    };
    Compared {
        reports: reports.iter().map(|(file, report)| source(file, report)).collect(),
        portable: cheapest(&clocks),
        clocks,
        overhead,
        ..compared
    }
}

pub(super) fn source(file: &str, report: &Report) -> Source {
    let env = &report.environment;
    Source {
        file: file.into(),
        run: report.run.id.clone(),
        started: report.run.started.clone(),
        arch: env.arch.clone(),
        processor: env.cpu.model.clone(),
        os: Some(env.os.clone()).filter(|os| !os.is_empty()),
        hypervisor: env.hypervisor.as_ref().map(|found| found.name.clone()),
    }
}

/// Every clock of any report: in the order of the first, and then of those that add to it.
fn clocks(reports: &[(String, Report)]) -> Vec<ClockRow> {
    let mut seen = BTreeSet::new();
    let every = reports.iter().flat_map(|(_, report)| &report.clocks);
    let first = every.filter(|clock| seen.insert(&clock.id));
    let mut rows: Vec<ClockRow> = first
        .map(|clock| {
            let here = |report: &Report| found(report.clocks.iter().find(|it| it.id == clock.id));
            let every = reports.iter().filter_map(|(_, report)| {
                report.clocks.iter().find(|it| it.id == clock.id && it.available)
            });
            let known = every.clone().next().unwrap_or(clock);
            ClockRow {
                id: clock.id.clone(),
                call: known.call.clone(),
                language: clock.language,
                scope: known.scope,
                // The library, which is in Rust, converts its ticks.
                raw: known.kind == Kind::Counter && known.language != Language::Rust,
                on: reports.iter().map(|(_, report)| here(report)).collect(),
                mean_ns: None,
            }
        })
        .collect();
    for at in 0..reports.len() {
        let sound = rows.iter().map(|row| &row.on[at]).filter(|found| found.problem.is_none());
        let cheapest = sound.filter_map(|found| found.read_ns).fold(f64::INFINITY, f64::min);
        for found in rows.iter_mut().map(|row| &mut row.on[at]) {
            found.ratio = found.read_ns.map(|ns| ns / cheapest).filter(|ratio| *ratio > 0.0);
        }
    }
    for row in &mut rows {
        if row.works() {
            let logs = row.on.iter().filter_map(|found| Some(found.read_ns?.ln()));
            row.mean_ns = Some((logs.sum::<f64>() / reports.len() as f64).exp());
        }
    }
    rows
}

/// What one report shows of a clock.
fn found(clock: Option<&Clock>) -> Found {
    let Some(clock) = clock else {
        return Found { problem: Some(Problem::NotMeasured), ..Found::default() };
    };
    if !clock.available {
        return Found { problem: Some(Problem::NotThere), ..Found::default() };
    }
    let read = clock.read().filter(|_| clock.read_ns().is_some());
    let mut found = Found {
        read_ns: clock.read_ns().filter(|ns| *ns > 0.0),
        low_ns: read.map(|it| it.low_ns),
        high_ns: read.map(|it| it.high_ns),
        ratio: None,
        step_ns: clock.step_ns(),
        follows: clock.difference_100ms.as_ref().map(|it| it.agrees),
        wraps_after_s: clock.wraps_after_s,
        problem: None,
    };
    let avoid = clock.verdict.as_ref().is_some_and(|verdict| verdict.grade == Grade::Avoid);
    found.problem = match found.follows {
        _ if found.read_ns.is_none() => Some(Problem::NotMeasured),
        Some(false) => Some(Problem::Off),
        None => Some(Problem::NotTested),
        _ if found.wraps_after_s.is_some_and(|s| s < SHORT_WRAP_S) => Some(Problem::Wraps),
        _ if found.step_ns.is_some_and(|ns| ns > MILLISECOND_NS) => Some(Problem::Coarse),
        _ if avoid => Some(Problem::Avoid),
        Some(true) => None,
    };
    found
}

/// The cheapest clock of each language that gives time everywhere: for intervals, and for dates.
fn cheapest(rows: &[ClockRow]) -> Vec<Portable> {
    let mut chosen = Vec::new();
    for scope in [Scope::Local, Scope::Universal] {
        let of_it = || rows.iter().filter(|row| row.scope == scope && !row.raw);
        let mut languages = Vec::new();
        for row in of_it() {
            if !languages.contains(&row.language) {
                languages.push(row.language);
            }
        }
        let cheapest = languages.into_iter().filter_map(|language| {
            let mut known = of_it().filter(|row| row.language == language);
            let costs = known.clone().filter_map(|row| row.mean_ns);
            let least = costs.fold(f64::INFINITY, f64::min);
            let row = known.find(|row| row.mean_ns.is_some_and(|ns| ns <= least * EQUAL))?;
            Some(Portable {
                id: row.id.clone(),
                call: row.call.clone(),
                language,
                scope,
                mean_ns: row.mean_ns?,
            })
        });
        let mut cheapest: Vec<Portable> = cheapest.collect();
        cheapest.sort_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns));
        chosen.extend(cheapest);
    }
    chosen
}

/// Every clock and shape of the loop that a report has.
fn overhead(reports: &[(String, Report)]) -> Vec<OverheadRow> {
    let mut rows: Vec<OverheadRow> = Vec::new();
    for (at, (_, report)) in reports.iter().enumerate() {
        for it in report.overhead.iter().filter(|it| it.load.is_none()) {
            let same = |row: &OverheadRow| {
                row.id == it.id && (row.samples, row.n, row.m) == (it.samples, it.n, it.m)
            };
            let known = rows.iter().position(same).unwrap_or_else(|| {
                let on = vec![None; reports.len()];
                let (id, samples, n, m) = (it.id.clone(), it.samples, it.n, it.m);
                rows.push(OverheadRow { id, samples, n, m, on });
                rows.len() - 1
            });
            rows[known].on[at] = Some(OverheadFound {
                taken: it.taken,
                baseline: it.baseline,
                timed: it.timed,
                overhead: it.overhead,
            });
        }
    }
    rows
}
