//! What changed between two commands whose runs took turns?

use super::figures::figures;
use super::rule::{self, COSTS, Ratio, WAITS};
use super::{environment, one_machine, shared, side, stats};
use chronoscope_model::Report;
use chronoscope_model::compare::{
    Change, Compared, Difference, Figure, Key, Method, Row, SCHEMA, Section, Side, Verdict,
};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::short_ns;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest pairs: the signs of five can be flipped in 16 ways, and a share of 1/16 is too large
/// for a verdict ([`rule::ALPHA`]).
pub const LEAST: u32 = 6;
/// The most pairs.
pub const MOST: u32 = 100;
/// Up to this many pairs, their signs are flipped in every way; those of more in so many ways.
const EVERY_WAY: usize = 14;
const WAYS: usize = 4096;
/// What is added to the standard error of a mean, as a share: runs that happen to agree closely
/// prove nothing beyond it.
pub(super) const FLOOR: f64 = 0.0005;
pub(super) const FLOOR_OF_WAITS: f64 = 0.002;

/// The figures of one run.
pub(super) type Values = BTreeMap<Key, f64>;

/// The runs of one command.
pub struct Runs {
    words: String,
    /// What the machine and the clocks are, from the first run.
    first: Report,
    values: Vec<Values>,
}

impl Runs {
    /// No run yet of the command with these words.
    pub fn new(words: &str) -> Self {
        Self { words: words.into(), first: Report::default(), values: Vec::new() }
    }

    pub fn add(&mut self, run: Report) {
        self.values.push(values(&run));
        if self.values.len() == 1 {
            self.first = run;
        }
    }

    fn side(&self) -> Side {
        Side { run: String::new(), disturbed: Vec::new(), ..side(&self.words, &self.first) }
    }
}

/// The figures that are compared. A short run has too few waits for high percentiles.
fn values(report: &Report) -> Values {
    let often = [Percentile::P50, Percentile::P90].map(Percentile::name);
    let kept = figures(report).into_iter().filter(|it| {
        it.key.percentile.as_deref().is_none_or(|percentile| often.contains(&percentile))
    });
    kept.map(|it| (it.key, it.figure.value_ns)).collect()
}

/// What changed between the runs of two commands. They are as many, the n-th of both make a pair,
/// and within each pair their order was drawn with this seed.
pub fn pairs(mut a: Runs, mut b: Runs, seed: u64) -> Compared {
    let settings = differing(&mut a.values, &mut b.values);
    let mut rows = rows(&a.values, &b.values, seed);
    if !one_machine(&a.first, &b.first) {
        rows.iter_mut().for_each(|row| row.verdict = rule::elsewhere(row.verdict));
    }
    let change = Change {
        a: a.side(),
        b: b.side(),
        unit_why: "their runs took turns".into(),
        environment: environment(&a.first, &b.first).into_iter().chain(settings).collect(),
        shared: shared(&rows, &b.first.clocks),
        counts: rule::counts(&rows),
        rows,
        ..Change::default()
    };
    Compared {
        schema: SCHEMA.into(),
        method: Method::Pairs,
        pairs: Some(a.values.len() as u32),
        seed: Some(seed),
        change: Some(change),
        ..Compared::default()
    }
}

/// A setting of waits: its name, its value, and how it is left out.
type Setting = (&'static str, fn(&Key) -> Option<String>, fn(&mut Key));

const SETTINGS: [Setting; 3] = [
    ("slack of the waits", |key| Some(short_ns(key.slack_ns? as f64)), |key| key.slack_ns = None),
    ("slice of the waits", |key| Some(short_ns(key.slice_ns? as f64)), |key| key.slice_ns = None),
    ("load of the waits", |key| Some(key.load?.name().into()), |key| key.load = None),
];

/// Leaves the settings of waits out that have one value in all runs of A and another in those of B:
/// it is what is compared.
pub(super) fn differing(a: &mut [Values], b: &mut [Values]) -> Vec<Difference> {
    let mut found = Vec::new();
    for (key, value, leave_out) in SETTINGS {
        let waits = |key: &&Key| key.section == Section::Waits;
        let only = |runs: &[Values]| {
            let keys = runs.iter().flat_map(BTreeMap::keys).filter(waits);
            let all: BTreeSet<String> = keys.filter_map(value).collect();
            Some(all).filter(|all| all.len() == 1).and_then(|all| all.into_iter().next())
        };
        let (of_a, of_b) = (only(a), only(b));
        if of_a.is_none() || of_b.is_none() || of_a == of_b {
            continue;
        }
        for run in a.iter_mut().chain(b.iter_mut()) {
            let without = std::mem::take(run).into_iter().map(|(mut key, value)| {
                if waits(&&key) {
                    leave_out(&mut key);
                }
                (key, value)
            });
            *run = without.collect();
        }
        found.push(Difference { key: key.into(), a: of_a, b: of_b, matters: true });
    }
    found
}

/// The figures that all runs have, judged.
fn rows(a: &[Values], b: &[Values], seed: u64) -> Vec<Row> {
    let of = |runs: &[Values], key| runs.iter().map(|run| run.get(key).copied()).collect();
    let keys = a.first().into_iter().flat_map(BTreeMap::keys);
    let found: Vec<(&Key, Vec<f64>, Vec<f64>)> = keys
        .filter_map(|key| {
            let both: (Option<Vec<f64>>, Option<Vec<f64>>) = (of(a, key), of(b, key));
            Some((key, both.0?, both.1?))
        })
        .collect();
    let logs: Vec<(Vec<f64>, f64)> = found
        .iter()
        .map(|(key, a, b)| {
            let floor = if key.section == Section::Waits { FLOOR_OF_WAITS } else { FLOOR };
            (a.iter().zip(b).map(|(a, b)| (b / a).ln()).collect(), floor)
        })
        .collect();
    let chances = chances(&logs, seed);
    let rows = found.into_iter().zip(&logs).zip(chances);
    rows.map(|(((key, a, b), (logs, _)), p)| row(key, [a, b], logs, p)).collect()
}

/// The verdict on one row. The interval is that of Student's t.
fn row(key: &Key, [a, b]: [Vec<f64>; 2], logs: &[f64], p: f64) -> Row {
    let n = logs.len() as f64;
    let log = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|it| (it - log).powi(2)).sum::<f64>() / (n - 1.0);
    let half = stats::student_within(0.95, n - 1.0) * (variance / n).sqrt();
    let ratio = Ratio { log, low: log - half, high: log + half };
    let limits = if key.section == Section::Waits { WAITS } else { COSTS };
    let mut row = rule::row(key.clone(), [centre(a), centre(b)], ratio);
    row.p = Some(p);
    row.verdict = rule::verdict(&row, ratio, p, limits);
    row.ratios = logs.iter().map(|log| log.exp()).collect();
    if row.verdict == Verdict::CannotTell {
        // The interval has to shrink to what is left beside the change, or to half of the change.
        let enough = (limits.same.ln_1p() - log.abs()).max(log.abs() / 2.0);
        let pairs = (n * (half / enough).powi(2)).clamp(n + 1.0, f64::from(MOST) + 1.0) as u32;
        row.why = Some(match pairs {
            0..=MOST => format!("--pairs {} may tell", pairs.next_power_of_two().min(MOST)),
            _ => "the runs differ too much".into(),
        });
    }
    row
}

/// The median, and the narrowest pair of values with the same rank from below and from above that
/// encloses it with 95 % probability, whatever the distribution: of up to eight, the outermost
/// (Conover 1999, Practical Nonparametric Statistics, 3.2).
pub(super) fn centre(mut values: Vec<f64>) -> Figure {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let (mut rank, mut term) = (0, 0.5_f64.powi(n as i32));
    let mut outside = term;
    loop {
        term *= (n - rank) as f64 / (rank + 1) as f64;
        outside += term;
        if 2.0 * outside > rule::ALPHA {
            break;
        }
        rank += 1;
    }
    Figure {
        value_ns: (values[(n - 1) / 2] + values[n / 2]) / 2.0,
        low_ns: values[rank],
        high_ns: values[n - 1 - rank],
    }
}

/// For each row of logarithms of ratios, the probability that the largest mean of any row, divided
/// by its standard error and the row's floor, is as large as that of this row, if nothing changed.
/// Then A and B of each pair may as well be exchanged, which flips a sign: the flips of all rows
/// are the same, so rows that move together count as one (Westfall and Young 1993,
/// Resampling-Based Multiple Testing).
fn chances(rows: &[(Vec<f64>, f64)], seed: u64) -> Vec<f64> {
    let n = rows.first().map_or(0, |(logs, _)| logs.len());
    let mut rng = fastrand::Rng::with_seed(seed);
    // To flip all signs changes nothing, so that of the first pair stays. The first way flips none.
    let ways: Vec<u128> = match n {
        0..=EVERY_WAY => (0..1 << n.saturating_sub(1)).collect(),
        _ => std::iter::once(0).chain((1..WAYS).map(|_| rng.u128(..))).collect(),
    };
    let statistic = |(logs, floor): &(Vec<f64>, f64), way: u128| {
        let n = n as f64;
        let signed = |(at, log): (usize, &f64)| if way >> at & 1 == 1 { -log } else { *log };
        let mean = logs.iter().enumerate().map(signed).sum::<f64>() / n;
        let squares = logs.iter().map(|log| log * log).sum::<f64>() / n;
        mean.abs() / (((squares - mean * mean).max(0.0) / (n - 1.0)).sqrt() + floor)
    };
    let largest = |way: &u128| rows.iter().map(|row| statistic(row, *way)).fold(0.0, f64::max);
    let mut largest: Vec<f64> = ways.iter().map(largest).collect();
    largest.sort_by(f64::total_cmp);
    let chance = |row: &(Vec<f64>, f64)| {
        // Sums in another order differ in their last digits.
        let own = statistic(row, 0) * (1.0 - 1e-9);
        let smaller = largest.partition_point(|other| *other < own);
        (ways.len() - smaller) as f64 / ways.len() as f64
    };
    rows.iter().map(chance).collect()
}
