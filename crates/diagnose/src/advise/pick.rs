//! Picks a clock, with the sentences that give the reasons.

use crate::clocks::early;
use crate::reading::{available, cost, short, slow_source, source, usable};
use chronoscope_model::clock::{Clock, Grade, Limit, TickFrom};
use chronoscope_model::clock_source::SLOW_NS;
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Advice, Report, Shortest};

/// How much more than the cheapest an earlier candidate may cost and still win.
const MUCH: f64 = 1.25;

/// The first of the named clocks that costs no more than a quarter more than the cheapest of them.
///
/// The order of the names is the order of preference: a standard call before a wrapper of it.
pub(super) fn first_of<'a>(
    report: &'a Report,
    ids: &[&str],
    accept: impl Fn(&Clock) -> bool,
) -> Option<&'a Clock> {
    first_by(report, ids, accept, Clock::read_ns)
}

/// Like [`first_of`], by this cost.
pub(super) fn first_by<'a>(
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
    candidates.into_iter().find(|(_, cost)| *cost <= least * MUCH).map(|(clock, _)| clock)
}

/// The cheapest accepted clock, whatever its name.
pub(super) fn cheapest(report: &Report, accept: impl Fn(&Clock) -> bool) -> Option<&Clock> {
    let all = report.clocks.iter();
    all.filter(|clock| usable(clock) && accept(clock))
        .filter_map(|clock| Some((clock, clock.read_ns()?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(clock, _)| clock)
}

/// `18.0 ns per read, tick 10 ns`
pub(super) fn figures(clock: &Clock) -> String {
    format!("{}{}", per_read(clock), tick(clock))
}

/// `18.0 ns per read over tsc, tick 10 ns`
pub(super) fn figures_over(report: &Report, clock: &Clock) -> String {
    let over = source(&report.environment).map_or(String::new(), |s| format!(" over {s}"));
    format!("{}{over}{}", per_read(clock), tick(clock))
}

fn per_read(clock: &Clock) -> String {
    match cost(clock) {
        Some(cost) => format!("{cost} per read"),
        None => "its cost was not measured".into(),
    }
}

/// The tick as measured; the interface's claim is not a reason to choose a clock.
fn tick(clock: &Clock) -> String {
    let Some(resolution) = &clock.resolution else {
        return String::new();
    };
    match (resolution.step_ns(), resolution.tick_from) {
        (_, Some(TickFrom::Unit)) => ", tick finer than a read".into(),
        (Some(tick), _) if resolution.verdict != Limit::NotSeen => {
            format!(", tick {}", short(tick))
        }
        _ => ", tick not seen".into(),
    }
}

/// Why a read of the system's clock is slow on this machine, as a sentence; empty if it is not.
pub(super) fn slow_because(report: &Report, clock: &Clock) -> String {
    if clock.read_ns().is_none_or(|ns| ns <= SLOW_NS) {
        return String::new();
    }
    let env = &report.environment;
    if let Some(what) = &env.emulated {
        format!(" It is slow because the processor is emulated ({what}).")
    } else if env.vdso.as_ref().is_some_and(|v| !v.present) {
        " It is slow because there is no vDSO: each read is a system call.".into()
    } else if let Some(source) = slow_source(env) {
        format!(" It is slow because the kernel's clock source is {}.", source.name)
    } else {
        " It is slow: see the findings.".into()
    }
}

/// What was rejected and why, as a sentence that follows others; empty if nothing was rejected.
///
/// A clock that was not measured is left out. If a clock's verdict rules it out, the verdict is the
/// reason.
pub(super) fn rejected(report: &Report, because: &[(&str, &str)]) -> String {
    let texts: Vec<String> = because
        .iter()
        .filter_map(|(id, reason)| {
            let clock = available(report, id)?;
            let cost = cost(clock)?;
            let reason = match &clock.verdict {
                Some(v) if v.grade == Grade::Avoid => v.text.as_str(),
                _ => reason,
            };
            Some(format!("{id} ({cost}): {reason}"))
        })
        .collect();
    if texts.is_empty() { String::new() } else { format!(" Not {}.", texts.join("; not ")) }
}

/// What the tests of a clock's order showed, as sentences that follow others: by how much a read
/// can be early, and how often values that one CPU handed to another ran backwards.
pub(super) fn merged(clock: &Clock) -> String {
    let early = early(clock).map_or(String::new(), |ns| {
        format!(
            " A read can be {} early, so events that are closer together than that may be in the \
             wrong order.",
            short(ns)
        )
    });
    let Some(handed) = clock.ordering.as_ref().and_then(|seen| seen.handed.as_ref()) else {
        return format!("{early} Whether it runs backwards from CPU to CPU was not tested.");
    };
    let [a, b] = handed.cpus;
    let turns = plural(handed.turns, "hand-over", "hand-overs");
    let share = match handed.backwards {
        0 => "None".into(),
        backwards => count(backwards),
    };
    format!("{early} {share} of {turns} between CPUs {a} and {b} ran backwards.")
}

/// The advice to use this clock, and why these others are not chosen.
pub(super) fn chosen(report: &Report, clock: &Clock, why: String, not: &[(&str, &str)]) -> Advice {
    let not: Vec<_> = not.iter().copied().filter(|(id, _)| *id != clock.id).collect();
    Advice {
        clock: Some(clock.id.clone()),
        cost_ns: clock.read_ns(),
        figure: cost(clock).unwrap_or_default(),
        why: why + &rejected(report, &not),
        ..Advice::default()
    }
}

/// The advice if no clock is suitable, with what rules out each candidate of this system.
pub(super) fn none(report: &Report, ids: &[&str]) -> Advice {
    let candidates: Vec<&Clock> = ids
        .iter()
        .filter_map(|id| report.clocks.iter().find(|clock| clock.id == *id))
        .filter(|clock| !clock.elsewhere)
        .collect();
    // Some of these might have been suitable if the run had reached them.
    let unmeasured = candidates.iter().any(|clock| clock.available && clock.verdict.is_none());
    let reasons: Vec<String> = candidates
        .iter()
        .filter_map(|clock| {
            let reason = match (&clock.unavailable_reason, &clock.verdict) {
                (Some(reason), _) if !clock.available => reason.clone(),
                (_, Some(v)) if v.grade == Grade::Avoid => v.text.clone(),
                _ => return None,
            };
            Some(format!("{}: {reason}", clock.id))
        })
        .collect();
    Advice {
        why: if reasons.is_empty() || unmeasured {
            "No suitable clock was measured in this run.".into()
        } else {
            format!("No clock here is suitable ({}).", reasons.join("; "))
        },
        ..Advice::default()
    }
}

/// The shortest intervals that one pair of reads times to within 1 and 10 %. The error of one is
/// the tick of the clock, or by how much what the pair adds can vary, whichever is longer
/// (docs/METHOD.md, One interval).
pub(super) fn shortest(tick_ns: Option<f64>, varies_ns: Option<f64>) -> Vec<Shortest> {
    let error_ns = varies_ns.map(|ns| ns.max(tick_ns.unwrap_or(0.0)));
    let Some(error_ns) = error_ns.filter(|ns| ns.is_finite() && *ns > 0.0) else {
        return Vec::new();
    };
    let to =
        |error_percent| Shortest { error_percent, interval_ns: error_ns * 100.0 / error_percent };
    vec![to(1.0), to(10.0)]
}

/// A sentence that follows others; empty if nothing is known.
pub(super) fn precise(what: &str, shortest: &[Shortest]) -> String {
    let [first, second] = shortest else {
        return String::new();
    };
    let length = |one: &Shortest| {
        format!("{} or longer to within {} %", short(one.interval_ns), one.error_percent)
    };
    let (first, second) = (length(first), length(second));
    format!(
        " {what} times a single interval of {first}, and one of {second}; time shorter ones many \
         at once."
    )
}
