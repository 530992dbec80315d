//! What changed from one stored report to another?

use super::figures::{Measured, figures};
use super::rule::{self, COSTS};
use super::{environment, findings, one_machine, shared, stats, trust, verdicts};
use chronoscope_model::Report;
use chronoscope_model::compare::{Change, Key, Side};
use std::collections::BTreeMap;

/// Compares two reports, each with the name of its file.
pub fn stored((a_file, a): (&str, &Report), (b_file, b): (&str, &Report)) -> Change {
    let (unit, unit_why) = rule::unit(a, b);
    let off = [a, b].map(|it| if rule::disturbed(it).is_empty() { 0.0 } else { rule::OFF });
    let mut rows = Vec::new();
    let mut judged = Vec::new();
    for (a, b) in pairs(figures(a), figures(b)) {
        let ratio = rule::joined(&a, &b, unit, off);
        let mut row = rule::row(a.key.clone(), [a.figure, b.figure], ratio);
        match rule::not_judged(&a).or_else(|| rule::not_judged(&b)) {
            Some(why) => row.why = Some(why.into()),
            None => judged.push((rows.len(), ratio)),
        }
        rows.push(row);
    }
    let p: Vec<f64> = judged.iter().map(|(_, ratio)| rule::p(*ratio)).collect();
    let same_machine = one_machine(a, b);
    for ((at, ratio), p) in judged.into_iter().zip(stats::holm(&p)) {
        let row = &mut rows[at];
        row.p = Some(p);
        row.verdict = rule::verdict(row, ratio, p, COSTS);
        if !same_machine {
            row.verdict = rule::elsewhere(row.verdict);
        }
    }
    Change {
        a: side(a_file, a),
        b: side(b_file, b),
        unit,
        unit_why,
        environment: environment(a, b),
        shared: shared(&rows, &b.clocks),
        findings: findings(a, b),
        verdicts: verdicts(a, b),
        trust: trust(a, b),
        counts: rule::counts(&rows),
        rows,
    }
}

/// The figures that both have, in the order of the first.
fn pairs<'a>(
    a: Vec<Measured<'a>>,
    b: Vec<Measured<'a>>,
) -> impl Iterator<Item = (Measured<'a>, Measured<'a>)> {
    let mut others: BTreeMap<Key, Measured> = BTreeMap::new();
    for it in b {
        others.entry(it.key.clone()).or_insert(it);
    }
    a.into_iter().filter_map(move |it| {
        let other = others.remove(&it.key)?;
        Some((it, other))
    })
}

/// What a comparison says of a report.
pub fn side(file: &str, report: &Report) -> Side {
    Side {
        file: file.into(),
        run: report.run.id.clone(),
        started: report.run.started.clone(),
        cpu: report.ruler.as_ref().and_then(|ruler| ruler.cpu),
        disturbed: rule::disturbed(report),
    }
}
