//! How a clock is picked, and how it is said why.

use crate::reading::{available, cost, latency, ns, short, source, tick, usable};
use crate::verdict::SLOW_NS;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Grade};

/// The pick for one purpose.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// The clock's id; absent where none will do.
    pub(crate) clock: Option<String>,
    /// What a read costs, in nanoseconds.
    pub(crate) cost_ns: Option<f64>,
    /// Why: the first sentence can stand alone.
    pub(crate) why: String,
}

/// What the cheapest may be dearer by before the earlier named loses to it.
const MUCH: f64 = 1.25;

/// The first of the clocks named that is no more than a quarter dearer than the cheapest of them.
///
/// The order of names is the order of preference: a standard call before a wrapper of it.
pub(crate) fn first_of<'a>(
    report: &'a Report,
    ids: &[&str],
    accept: impl Fn(&Clock) -> bool,
) -> Option<&'a Clock> {
    cheapest_of(report, ids, accept, cost)
}

/// As [`first_of`], by the cost of a read that is ordered after the one before.
pub(crate) fn first_ordered<'a>(report: &'a Report, ids: &[&str]) -> Option<&'a Clock> {
    cheapest_of(report, ids, |_| true, latency)
}

fn cheapest_of<'a>(
    report: &'a Report,
    ids: &[&str],
    accept: impl Fn(&Clock) -> bool,
    by: fn(&Clock) -> Option<f64>,
) -> Option<&'a Clock> {
    let candidates: Vec<(&Clock, f64)> = ids
        .iter()
        .filter_map(|id| available(report, id))
        .filter(|clock| usable(clock) && accept(clock))
        .filter_map(|clock| Some((clock, by(clock)?)))
        .collect();
    let least = candidates.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
    candidates
        .into_iter()
        .find(|(_, cost)| *cost <= least * MUCH)
        .map(|(clock, _)| clock)
}

/// The cheapest clock that is accepted, whatever its name.
pub(crate) fn cheapest(report: &Report, accept: impl Fn(&Clock) -> bool) -> Option<&Clock> {
    let all: Vec<(&Clock, f64)> = report
        .clocks
        .iter()
        .filter(|clock| usable(clock) && accept(clock))
        .filter_map(|clock| Some((clock, cost(clock)?)))
        .collect();
    all.into_iter()
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(clock, _)| clock)
}

/// `18.0 ns a read, tick 1 ns`
pub(crate) fn figures(clock: &Clock) -> String {
    let mut text = match cost(clock) {
        Some(cost) => format!("{} a read", ns(cost)),
        None => "its cost was not measured".into(),
    };
    if let Some(tick) = tick(clock) {
        text.push_str(&format!(", tick {}", short(tick)));
    }
    text
}

/// Why a read of the system's clock is dear here, as a sentence; empty where it is not.
pub(crate) fn dear(report: &Report, clock: &Clock) -> String {
    if cost(clock).is_none_or(|ns| ns <= SLOW_NS) {
        return String::new();
    }
    let env = &report.environment;
    if let Some(what) = &env.emulated {
        format!(" It is dear because the processor is emulated ({what}).")
    } else if env.vdso.as_ref().is_some_and(|v| !v.present) {
        " It is dear because there is no vDSO: each read is a system call.".into()
    } else if let Some(source @ ("hpet" | "acpi_pm" | "jiffies" | "xen")) = source(env) {
        format!(" It is dear because the kernel's clock source is {source}.")
    } else {
        " It is dear: see the findings.".into()
    }
}

/// What was rejected and why, as one sentence that follows the others; empty where nothing was.
///
/// A clock that was not measured is left out; one whose verdict forbids it is rejected for that.
pub(crate) fn rejected(report: &Report, because: &[(&str, &str)]) -> String {
    let texts: Vec<String> = because
        .iter()
        .filter_map(|(id, reason)| {
            let clock = available(report, id)?;
            let cost = cost(clock)?;
            let reason = match &clock.verdict {
                Some(v) if v.grade == Grade::Avoid => v.text.as_str(),
                _ => reason,
            };
            Some(format!("{id} ({}): {reason}", ns(cost)))
        })
        .collect();
    if texts.is_empty() {
        String::new()
    } else {
        format!(" Not {}.", texts.join("; not "))
    }
}

/// The choice of a clock.
pub(crate) fn chosen(clock: &Clock, why: String) -> Choice {
    Choice {
        clock: Some(clock.id.clone()),
        cost_ns: cost(clock),
        why,
    }
}

/// That there is none, with what was found of those that were thought of.
pub(crate) fn none(report: &Report, ids: &[&str]) -> Choice {
    let reasons: Vec<String> = ids
        .iter()
        .filter_map(|id| {
            let clock = report.clocks.iter().find(|c| c.id == *id)?;
            let reason = match (&clock.unavailable_reason, &clock.verdict) {
                (Some(reason), _) if !clock.available => reason.clone(),
                (_, Some(v)) if v.grade == Grade::Avoid => v.text.clone(),
                _ => return None,
            };
            Some(format!("{id}: {reason}"))
        })
        .collect();
    Choice {
        why: if reasons.is_empty() {
            "No clock that would do was measured in this run.".into()
        } else {
            format!("No clock here will do ({}).", reasons.join("; "))
        },
        ..Choice::default()
    }
}
