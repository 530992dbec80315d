//! Findings, verdicts and results of tests that only one of two reports has.

use chronoscope_model::check::Outcome;
use chronoscope_model::compare::Difference;
use chronoscope_model::trust::{Matrix, RateAgainst, Watch};
use chronoscope_model::{Report, Trust};
use std::collections::{BTreeMap, BTreeSet};

/// What both sides say under a key, if it is not the same.
fn differing(
    a: BTreeMap<String, String>,
    b: BTreeMap<String, String>,
    matters: bool,
) -> Vec<Difference> {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let both = keys.into_iter().map(|key| Difference {
        key: key.clone(),
        a: a.get(key).cloned(),
        b: b.get(key).cloned(),
        matters,
    });
    both.filter(|it| !it.is_same()).collect()
}

/// The findings that only one of them has, with their titles. A fault that could not be looked for
/// is no finding.
pub fn findings(a: &Report, b: &Report) -> Vec<Difference> {
    let of = |report: &Report| {
        let found = report.findings.iter().filter(|it| it.is_found());
        found.map(|it| (it.id.clone(), it.title.clone())).collect::<BTreeMap<_, _>>()
    };
    let (a, b) = (of(a), of(b));
    let mut all = differing(a, b, true);
    // A title may hold figures, which differ from run to run.
    all.retain(|it| it.a.is_none() || it.b.is_none());
    all
}

/// The verdicts on clocks that both have, if the grade is not the same.
pub fn verdicts(a: &Report, b: &Report) -> Vec<Difference> {
    let others: BTreeMap<&str, _> = b.clocks.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut seen = BTreeSet::new();
    let both = a.clocks.iter().filter(|it| seen.insert(it.id.as_str())).filter_map(|clock| {
        let (a, b) = (clock.verdict.as_ref()?, others.get(clock.id.as_str())?.verdict.as_ref()?);
        (a.grade != b.grade).then(|| Difference {
            key: clock.id.clone(),
            a: Some(a.text.clone()),
            b: Some(b.text.clone()),
            matters: true,
        })
    });
    both.collect()
}

/// What differs in the tests of trust, and in what was looked for: whether clocks go backwards,
/// whether the CPUs agree, what the rates are, and the outcome of each check.
pub fn trust(a: &Report, b: &Report) -> Vec<Difference> {
    let mut all = differing(checks(a), checks(b), true);
    all.retain(|it| it.a.is_some() && it.b.is_some());
    if let (Some(a), Some(b)) = (&a.trust, &b.trust) {
        all.extend(steps(a, b));
        all.extend(in_step(&a.matrix, &b.matrix));
        all.extend(rates(a, b));
    }
    all
}

fn checks(report: &Report) -> BTreeMap<String, String> {
    let known = report.checks.iter().filter_map(|it| {
        let outcome = match it.outcome {
            Outcome::Found => "found",
            Outcome::Clear => "not found",
            Outcome::Unknown | Outcome::Elsewhere => return None,
        };
        Some((it.id.clone(), outcome.to_owned()))
    });
    known.collect()
}

/// The clocks that stepped back in only one of the two.
fn steps<'a>(a: &'a Trust, b: &'a Trust) -> impl Iterator<Item = Difference> + 'a {
    let text = |watch: &Watch| {
        let ordered = watch.ordered();
        format!("{} of {}", ordered.violations, ordered.tries)
    };
    a.clocks.iter().filter_map(move |watch| {
        let other = b.of(&watch.id)?;
        let stepped = [watch, other].map(|it| it.ordered().violations > 0);
        (stepped[0] != stepped[1]).then(|| Difference {
            key: format!("steps back of {}", watch.id),
            a: Some(text(watch)),
            b: Some(text(other)),
            matters: true,
        })
    })
}

fn in_step(a: &Matrix, b: &Matrix) -> Option<Difference> {
    let text = |matrix: &Matrix| {
        let apart = matrix.out_of_step().count();
        Some(match matrix.in_step()? {
            true => "in step".to_owned(),
            false => format!("{apart} of {} pairs apart", matrix.pairs.len()),
        })
    };
    let (a, b) = (text(a)?, text(b)?);
    let differs = a != b;
    differs.then(|| Difference {
        key: "counters of the CPUs".into(),
        a: Some(a),
        b: Some(b),
        matters: true,
    })
}

/// The rates whose intervals do not overlap.
fn rates<'a>(a: &'a Trust, b: &'a Trust) -> impl Iterator<Item = Difference> + 'a {
    let text = |it: &RateAgainst| format!("{:+.3} ± {:.3} ppm", it.ppm, it.half_width_ppm());
    a.rates.iter().filter_map(move |rate| {
        let same = |it: &&RateAgainst| (&it.id, &it.against) == (&rate.id, &rate.against);
        let other = b.rates.iter().find(same)?;
        let apart = rate.high_ppm < other.low_ppm || other.high_ppm < rate.low_ppm;
        apart.then(|| Difference {
            key: format!("rate of {} by {}", rate.id, rate.against),
            a: Some(text(rate)),
            b: Some(text(other)),
            matters: true,
        })
    })
}
