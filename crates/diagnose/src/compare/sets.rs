//! What changed between two sets of stored runs? How much the runs of each side differ among
//! themselves decides, so waits, cold reads and reads that leave the guest are judged as well.

use super::figures::figures;
use super::pairs::{FLOOR, FLOOR_OF_WAITS, Values, centre, differing};
use super::rule::{self, COSTS, Ratio, WAITS};
use super::{environment, one_machine, shared, side};
use crate::disturbed;
use chronoscope_model::Report;
use chronoscope_model::compare::{
    Bounds, Change, Compared, Difference, Key, Method, Quantity, Row, SCHEMA, Section, Side,
    Verdict,
};
use chronoscope_model::quantile::Percentile;
use std::collections::{BTreeMap, BTreeSet};

/// A change between sets has to be this unlikely without a reason, allowing for all figures. It is
/// less than [`rule::ALPHA`], because sets of wait figures have no least change that hides chance.
const LEVEL: f64 = 0.02;
/// The fewest runs of a set: the runs of five and five can be dealt out in 252 ways, of which two
/// part them as they are. Of four and four there are 70, and 2/70 proves nothing ([`LEVEL`]).
pub const LEAST: usize = 5;
/// Up to this many ways to deal the runs out, each is tried; of more, as many are drawn, or fewer
/// if there are many figures ([`WORK`]).
const WAYS: usize = 8192;
/// So many figures of runs are read for the ways that are drawn, at most.
const WORK: usize = 400_000_000;
/// The intervals come from at most so many runs of each side, evenly spread over them.
const ENOUGH: usize = 300;
/// The percentiles of waits that are judged.
const PERCENTILES: [Percentile; 3] = [Percentile::P50, Percentile::P90, Percentile::P99];

/// The runs of one side.
pub struct Set {
    name: String,
    /// What the machine and the clocks are, from the first run.
    first: Report,
    values: Vec<Values>,
    /// When the first run began and the last one did.
    started: [String; 2],
    /// Facts that differ within the set: of the first run and of a later one.
    mixed: BTreeMap<String, Difference>,
    /// How many runs were disturbed as a whole.
    disturbed: usize,
    seen: BTreeSet<String>,
}

impl Set {
    /// No run yet of the set of this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            first: Report::default(),
            values: Vec::new(),
            started: Default::default(),
            mixed: BTreeMap::new(),
            disturbed: 0,
            seen: BTreeSet::new(),
        }
    }

    /// Adds a run. One that was added before does not count again.
    pub fn add(&mut self, run: &Report) {
        let id = &run.run.id;
        if !id.is_empty() && !self.seen.insert(id.clone()) {
            return;
        }
        let start = &run.run.started;
        if self.values.is_empty() {
            self.first = run.clone();
            self.started = [start.clone(), start.clone()];
        }
        let [first, last] = &mut self.started;
        if start < first {
            first.clone_from(start);
        }
        if start > last {
            last.clone_from(start);
        }
        let differs = environment(&self.first, run).into_iter().filter(|it| it.matters);
        for it in differs {
            self.mixed.entry(it.key.clone()).or_insert(it);
        }
        self.disturbed += usize::from(!disturbed::reasons(run).is_empty());
        // A process has one first read, so a run has a single sample of each.
        let kept = figures(run).into_iter().filter(|it| it.key.quantity != Quantity::First);
        let kept = kept.filter(|it| {
            let at = it.key.percentile.as_deref();
            at.is_none_or(|at| PERCENTILES.iter().any(|percentile| percentile.name() == at))
        });
        self.values.push(kept.map(|it| (it.key, it.figure.value_ns)).collect());
    }

    /// How many runs it has.
    pub fn runs(&self) -> usize {
        self.values.len()
    }

    fn side(&self) -> Side {
        let (disturbed, runs) = (self.disturbed, self.runs());
        let words = format!("{disturbed} of {runs} runs were disturbed as a whole");
        Side {
            run: String::new(),
            cpu: None,
            started: self.started[0].clone(),
            runs: Some(runs as u32),
            disturbed: (disturbed > 0).then_some(words).into_iter().collect(),
            ..side(&self.name, &self.first)
        }
    }

    /// Whether most of its runs were disturbed as a whole.
    fn is_disturbed(&self) -> bool {
        2 * self.disturbed > self.runs()
    }
}

/// What changed from the first set to each of the others. The seed is that of the ways that are
/// drawn.
///
/// # Errors
/// A set has too few runs.
pub fn sets(mut all: Vec<Set>, seed: u64) -> Result<Compared, String> {
    if let Some(few) = all.iter().find(|it| it.runs() < LEAST) {
        let (name, runs) = (&few.name, few.runs());
        return Err(format!("{name}: a set takes {LEAST} runs or more, and this one has {runs}"));
    }
    let mut others = all.split_off(1.min(all.len()));
    let Some(first) = all.first_mut() else { return Ok(Compared::default()) };
    let mut changes = others.iter_mut().map(|other| change(first, other, seed));
    let (change, more) = (changes.next(), changes.collect());
    Ok(Compared {
        schema: SCHEMA.into(),
        method: Method::Sets,
        seed: Some(seed),
        change,
        more,
        ..Compared::default()
    })
}

fn change(a: &Set, b: &mut Set, seed: u64) -> Change {
    let mut of_a = a.values.clone();
    let settings = differing(&mut of_a, &mut b.values);
    let mut rows = rows(&of_a, &b.values, seed);
    if !one_machine(&a.first, &b.first) {
        rows.iter_mut().for_each(|row| row.verdict = rule::elsewhere(row.verdict));
    }
    if a.is_disturbed() != b.is_disturbed() {
        let which = if a.is_disturbed() { "A" } else { "B" };
        for row in rows.iter_mut().filter(|row| row.verdict.changed()) {
            row.verdict = Verdict::CannotTell;
            row.why = Some(format!("most runs of {which} were disturbed as a whole"));
        }
    }
    let mixed = [("A", a), ("B", &*b)].into_iter().flat_map(|(letter, set)| {
        set.mixed.values().map(move |it| Difference {
            key: format!("{} among the runs of {letter}", it.key),
            ..it.clone()
        })
    });
    Change {
        a: a.side(),
        b: b.side(),
        unit_why: "the spread of the runs has both".into(),
        environment: environment(&a.first, &b.first)
            .into_iter()
            .chain(settings)
            .chain(mixed)
            .collect(),
        shared: shared(&rows, &b.first.clocks),
        counts: rule::counts(&rows),
        rows,
        ..Change::default()
    }
}

/// A figure in the runs of both sides that have it, as logarithms; `None` where a run lacks it.
struct Figures<'a> {
    key: &'a Key,
    logs: Vec<Option<f64>>,
    floor: f64,
}

/// The figures that enough runs of both have, judged.
fn rows(a: &[Values], b: &[Values], seed: u64) -> Vec<Row> {
    let keys: BTreeSet<&Key> = a.iter().flat_map(BTreeMap::keys).collect();
    let order = a.iter().max_by_key(|run| run.len()).into_iter().flat_map(BTreeMap::keys);
    let mut seen = BTreeSet::new();
    let keys = order.chain(keys).filter(|key| seen.insert(*key));
    let found = keys.filter_map(|key| {
        let logs: Vec<Option<f64>> =
            a.iter().chain(b).map(|run| run.get(key).map(|ns| ns.ln())).collect();
        let have = |logs: &[Option<f64>]| logs.iter().flatten().count() >= LEAST;
        let floor = if key.section == Section::Waits { FLOOR_OF_WAITS } else { FLOOR };
        let (of_a, of_b) = logs.split_at(a.len());
        (have(of_a) && have(of_b)).then_some(Figures { key, logs, floor })
    });
    let found: Vec<Figures> = found.collect();
    let chances = chances(&found, a.len(), seed);
    found.iter().zip(chances).map(|(it, p)| row(it, a.len(), p)).collect()
}

/// The verdict on one row.
fn row(it: &Figures, a: usize, p: f64) -> Row {
    let (a, b) = it.logs.split_at(a);
    let [a, b] = [a, b].map(|side| side.iter().copied().flatten().collect::<Vec<f64>>());
    let ratio = shift(&a, &b);
    let [of_a, of_b] =
        [&a, &b].map(|side| centre(side.iter().map(|log| log.exp()).collect::<Vec<f64>>()));
    let limits = if it.key.section == Section::Waits { WAITS } else { COSTS };
    let mut row = rule::row(it.key.clone(), [of_a, of_b], ratio.ratio);
    row.p = Some(p);
    row.verdict = rule::verdict(&row, ratio.ratio, p * rule::ALPHA / LEVEL, limits);
    row.bounds = Some(bounds(&a, &b, ratio));
    if row.verdict == Verdict::CannotTell {
        row.why = Some("the runs of a side differ too much: add more".into());
    }
    row
}

/// A shift from A to B, and the probability that its interval misses the true one.
#[derive(Clone, Copy)]
struct Shift {
    ratio: Ratio,
    misrate: f64,
}

/// The median of all differences of a value of B and one of A (Hodges and Lehmann 1963), and the
/// narrowest pair of these differences with the same rank from below and from above that encloses
/// the true shift with 95 % probability, whatever the distribution. Its error follows from the
/// distribution of Mann and Whitney's U (Annals of Mathematical Statistics 18, 1947, 50-60).
fn shift(a: &[f64], b: &[f64]) -> Shift {
    let [a, b] = [a, b].map(evenly);
    let mut all: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect();
    all.sort_by(f64::total_cmp);
    let (rank, misrate) = rank(a.len(), b.len());
    let n = all.len();
    let log = (all[(n - 1) / 2] + all[n / 2]) / 2.0;
    Shift { ratio: Ratio { log, low: all[rank], high: all[n - 1 - rank] }, misrate }
}

/// The same in nanoseconds next to the ratio.
fn bounds(a: &[f64], b: &[f64], of_ratio: Shift) -> Bounds {
    let [a, b] = [a, b].map(|side| side.iter().map(|log| log.exp()).collect::<Vec<f64>>());
    let ns = shift(&a, &b).ratio;
    let Ratio { log, low, high } = of_ratio.ratio;
    Bounds {
        ratio: rule::share(log) + 1.0,
        ratio_low: rule::share(low) + 1.0,
        ratio_high: rule::share(high) + 1.0,
        shift_ns: ns.log,
        shift_low_ns: ns.low,
        shift_high_ns: ns.high,
        misrate: of_ratio.misrate,
    }
}

fn evenly(all: &[f64]) -> Vec<f64> {
    let take = all.len().min(ENOUGH);
    (0..take).map(|at| all[at * all.len() / take]).collect()
}

/// The largest rank, from 0, of the difference that ends the interval, and the probability that the
/// true shift lies outside: twice that of U up to this rank. U is counted exactly up to 50 and 50
/// runs, by its recursion; it is close to normal beyond.
fn rank(a: usize, b: usize) -> (usize, f64) {
    let both = |tail: f64| (2.0 * tail).min(1.0);
    if a > 50 || b > 50 {
        let (a, b) = (a as f64, b as f64);
        let sd = (a * b * (a + b + 1.0) / 12.0).sqrt();
        let rank = (a * b / 2.0 - super::stats::Z * sd - 1.0).floor().max(0.0);
        let z = (rank + 0.5 - a * b / 2.0) / sd;
        return (rank as usize, super::stats::normal_p(z).min(1.0));
    }
    // How many ways to deal the runs out give each U, as shares, so that nothing overflows: with
    // one run more of A, it has none or all of B below it, by their shares.
    let mut shares = vec![vec![vec![1.0]; b + 1]; a + 1];
    for m in 1..=a {
        for n in 1..=b {
            let (with_a, with_b) = (m as f64 / (m + n) as f64, n as f64 / (m + n) as f64);
            let mut of = vec![0.0; m * n + 1];
            for (u, share) in shares[m - 1][n].iter().enumerate() {
                of[u + n] += with_a * share;
            }
            for (u, share) in shares[m][n - 1].iter().enumerate() {
                of[u] += with_b * share;
            }
            shares[m][n] = of;
        }
    }
    let (mut rank, mut tail) = (0, shares[a][b][0]);
    while let Some(share) = shares[a][b].get(rank + 1).filter(|it| both(tail + **it) <= rule::ALPHA)
    {
        tail += share;
        rank += 1;
    }
    (rank, both(tail))
}

/// For each figure, the probability that the largest statistic of any is as large as its own if the
/// runs were dealt out at random: the runs of all figures alike, so figures that move together
/// count as one (Westfall and Young 1993). The statistic is the difference of the means divided by
/// its standard error and the figure's floor.
fn chances(all: &[Figures], a: usize, seed: u64) -> Vec<f64> {
    let Some(n) = all.first().map(|it| it.logs.len()) else { return Vec::new() };
    let statistic = |it: &Figures, in_b: &[bool]| {
        let mut sums = [[0.0; 3]; 2];
        for (log, in_b) in it.logs.iter().zip(in_b) {
            if let Some(log) = log {
                let [count, sum, squares] = &mut sums[usize::from(*in_b)];
                *count += 1.0;
                *sum += log;
                *squares += log * log;
            }
        }
        let [a, b] = sums.map(|[count, sum, squares]| {
            let mean = sum / count;
            let variance = (squares - sum * mean).max(0.0) / (count - 1.0);
            (count, mean, variance / count)
        });
        match a.0 < 2.0 || b.0 < 2.0 {
            true => 0.0,
            false => (b.1 - a.1).abs() / ((a.2 + b.2).sqrt() + it.floor),
        }
    };
    let mut order: Vec<bool> = (0..n).map(|at| at >= a).collect();
    let own: Vec<f64> = all.iter().map(|it| statistic(it, &order)).collect();
    let largest = |in_b: &[bool]| all.iter().map(|it| statistic(it, in_b)).fold(0.0, f64::max);
    let mut found = vec![largest(&order)];
    if ways(n, a) <= WAYS as f64 {
        found = choices(n, n - a).map(|in_b| largest(&in_b)).collect();
    } else {
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 1..WAYS.min(WORK / (n * all.len())).max(400) {
            rng.shuffle(&mut order);
            found.push(largest(&order));
        }
    }
    found.sort_by(f64::total_cmp);
    let chance = |own: f64| {
        // Sums in another order differ in their last digits.
        let smaller = found.partition_point(|other| *other < own * (1.0 - 1e-9));
        (found.len() - smaller) as f64 / found.len() as f64
    };
    own.into_iter().map(chance).collect()
}

/// Every way to choose so many of all, at most 32: the next larger number with as many bits (Knuth,
/// The Art of Computer Programming 4A, 7.1.3, exercise 20).
fn choices(all: usize, some: usize) -> impl Iterator<Item = Vec<bool>> {
    let next = |bits: &u64| {
        let (low, high) = (bits & bits.wrapping_neg(), bits + (bits & bits.wrapping_neg()));
        Some((((high ^ bits) >> 2) / low) | high)
    };
    let first = (1_u64 << some) - 1;
    std::iter::successors(Some(first), next)
        .take_while(move |bits| *bits < 1 << all)
        .map(move |bits| (0..all).map(|at| bits >> at & 1 == 1).collect())
}

/// How many ways there are to choose so many of all.
fn ways(all: usize, some: usize) -> f64 {
    (0..some.min(all - some)).map(|at| (all - at) as f64 / (at + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Siegel and Castellan 1988, Nonparametric Statistics, and the count of all ways by hand.
    #[test]
    fn the_rank_is_that_of_tables() {
        for (a, b, expected) in [(5, 5, 2), (8, 8, 13), (10, 10, 23), (20, 20, 127), (5, 12, 11)] {
            let (found, misrate) = rank(a, b);
            assert_eq!(found, expected, "{a} {b}");
            assert!(misrate <= rule::ALPHA, "{misrate}");
        }
        assert!((rank(4, 4).1 - 2.0 / 70.0).abs() < 1e-12);
        let ((exact, misrate), (near, close)) = (rank(50, 50), rank(50, 51));
        assert!((exact as f64 / near as f64 - 1.0).abs() < 0.05, "{exact} {near}");
        assert!((misrate - close).abs() < 0.005, "{misrate} {close}");
    }

    #[test]
    fn every_choice_is_made_once() {
        let all: BTreeSet<Vec<bool>> = choices(10, 5).collect();
        assert_eq!((all.len(), ways(10, 5)), (252, 252.0));
        assert!(all.iter().all(|it| it.iter().filter(|in_b| **in_b).count() == 5));
    }
}
