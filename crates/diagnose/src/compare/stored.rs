//! What changed from one stored report to another?

use super::basis::Basis;
use super::figures::{Measured, figures};
use super::rule::{self, Limits};
use super::{environment, findings, one_machine, shared, stats, trust, verdicts};
use crate::disturbed;
use chronoscope_model::Report;
use chronoscope_model::compare::{Change, Key, Side, Verdict};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Compares two reports, each with the name of its file.
pub fn stored((a_file, a): (&str, &Report), (b_file, b): (&str, &Report)) -> Change {
    let pairs = pairs(figures(a), figures(b));
    let basis = Basis::of([a, b], &pairs);
    let (mut rows, mut judged, mut p) = (Vec::new(), Vec::new(), Vec::new());
    for [a, b] in &pairs {
        let ratio = basis.ratio(a, b);
        let mut row = rule::row(a.key.clone(), [a.figure, b.figure], ratio);
        row.why = why(a, b);
        if row.why.is_none() {
            row.why = Some(rule::too_wide(a).into());
            judged.push((rows.len(), ratio, Limits::of(a, b)));
            p.push(rule::p(a, b, ratio));
        }
        rows.push(row);
    }
    let same_machine = one_machine(a, b);
    for ((at, ratio, limits), p) in judged.into_iter().zip(stats::holm(&p)) {
        let row = &mut rows[at];
        let verdict = rule::verdict(row, ratio, p, limits);
        row.p = Some(p);
        row.verdict = if same_machine { verdict } else { rule::elsewhere(verdict) };
        row.why = row.why.take().filter(|_| row.verdict == Verdict::CannotTell);
    }
    Change {
        a: side(a_file, a),
        b: side(b_file, b),
        unit: basis.unit,
        unit_why: basis.why,
        environment: environment(a, b),
        shared: shared(&rows, &b.clocks),
        findings: findings(a, b),
        verdicts: verdicts(a, b),
        trust: trust(a, b),
        counts: rule::counts(&rows),
        rows,
    }
}

/// Why a row is not judged; `None` if it is.
fn why(a: &Measured, b: &Measured) -> Option<String> {
    if let (Some(a), Some(b)) = (a.wait, b.wait)
        && a.load != b.load
    {
        return Some(format!("the load is {} in A and {} in B", a.load.name(), b.load.name()));
    }
    let unjudged = rule::not_judged(a).or_else(|| rule::not_judged(b)).map(str::to_owned);
    unjudged.or_else(|| rule::never_alone(a, "A")).or_else(|| rule::never_alone(b, "B"))
}

/// The figures that both have, in the order of the first. A wait that the other report has under
/// another load only is compared with that one.
fn pairs<'a>(a: Vec<Measured<'a>>, b: Vec<Measured<'a>>) -> Vec<[Measured<'a>; 2]> {
    // A grid of deadlines is not a wait of the same duration, and nor is one with another tick.
    let of = |it: &Measured| {
        (it.key.clone(), it.wait.map(|wait| (wait.period_ns, wait.timer_period_ms)))
    };
    let mut others = BTreeMap::new();
    for it in b {
        others.entry(of(&it)).or_insert(it);
    }
    let (mut both, mut alone, mut seen) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
    for it in a.into_iter().filter(|it| seen.insert(of(it))) {
        match others.remove(&of(&it)) {
            Some(other) => both.push([it, other]),
            None => drop(alone.insert(of(&it), it)),
        }
    }
    let without = |(key, wait): (Key, _)| (Key { load: None, ..key }, wait);
    let mut elsewhere: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
    for (key, it) in others.into_iter().filter(|(_, it)| it.wait.is_some()) {
        elsewhere.entry(without(key)).or_default().push_back(it);
    }
    both.extend(alone.into_iter().filter_map(|(key, it)| {
        let other = elsewhere.get_mut(&without(key))?.pop_front()?;
        Some([it, other])
    }));
    both
}

/// What a comparison says of a report.
pub fn side(file: &str, report: &Report) -> Side {
    Side {
        file: file.into(),
        run: report.run.id.clone(),
        started: report.run.started.clone(),
        cpu: report.ruler.as_ref().and_then(|ruler| ruler.cpu),
        runs: None,
        disturbed: disturbed::reasons(report).into_iter().map(|it| it.text).collect(),
    }
}
