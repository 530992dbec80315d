//! What changed between the runs of two sides: of two commands whose runs took turns, or of sets of
//! stored runs? In sets, how much the runs of each side differ among themselves decides, so waits,
//! cold reads and reads that leave the guest are judged as well.

use super::basis::{follows, read_of_counter};
use super::rule::{self, ALPHA, Limits, Ratio, median, spread};
use super::{Measured, compared, environment, figures, side};
use crate::run;
use chronoscope_model::Report;
use chronoscope_model::compare::{
    Bounds, Change, Compared, Difference, Figure, Key, Method, Quantity, Row, Section, Side,
    TakenOfPair, Unit, Verdict,
};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::{percent, short_ns};
use statrs::distribution::{Discrete, DiscreteCDF, Hypergeometric};
use std::collections::{BTreeMap, BTreeSet};

/// The fewest pairs: the signs of five can be flipped in 16 ways, and a share of 1/16 is too large
/// for a verdict ([`ALPHA`]).
pub const LEAST_PAIRS: u32 = 6;
/// The most pairs.
pub const MOST_PAIRS: u32 = 100;
/// Up to this many pairs, their signs are flipped in every way; those of more in so many ways.
const EVERY_WAY: usize = 14;
const FLIPS: usize = 4096;

/// A change of commands has to be this unlikely without a reason, allowing for all figures. It is
/// less than [`ALPHA`], because what they differ by is more than the least change, which would
/// otherwise hide chance.
const LEVEL_OF_COMMANDS: f64 = 0.02;
/// The same for sets: the least that those of five and five runs show. At most two of a hundred
/// identical pairs of sets are then called changed in 95 of 100 such hundreds (binomial).
const LEVEL_OF_SETS: f64 = 0.008;
/// The fewest runs of a set: the runs of five and five can be dealt out in 252 ways, of which two
/// part them as they are. Of four and four there are 70, and 2/70 proves nothing
/// ([`LEVEL_OF_SETS`]).
const LEAST_RUNS: usize = 5;
/// A run of a set counts by the share of its rounds in which no neighbour used its core, and at
/// least by this: where all cores were shared throughout, such runs decide. With 0.05, fewer
/// changes of 2.5 % are found if a third of the runs were shared throughout: in 98.0 instead of
/// 99.7 % of 300 draws.
const LEAST_WEIGHT: f64 = 0.02;
/// Up to this many ways to deal the runs out, each is tried; of more, as many are drawn, or fewer
/// if there are many figures ([`WORK`]).
const DEALS: usize = 8192;
/// So many figures of runs are read for the ways that are drawn, at most.
const WORK: usize = 400_000_000;
/// The intervals come from at most so many runs of each side, evenly spread over them.
const ENOUGH: usize = 300;

/// What is added to the standard error of a mean, as a share: runs that happen to agree closely
/// prove nothing beyond it.
const FLOOR: f64 = 0.0005;
/// The same for waits and commands.
const FLOOR_OF_WAITS: f64 = 0.002;

/// A run of a command that lost more than this share of its time is counted as one.
const MUCH: f64 = 0.05;

/// Logarithms of commands count as no more than so many times their median: one run that other work
/// interrupts would otherwise hide what all others show, or show what they do not.
const CLIP: f64 = 3.0;

/// The figures of one run.
type Values = BTreeMap<Key, Value>;

#[derive(Clone, Copy, Default)]
struct Value {
    ns: f64,
    /// If it follows the frequency of the core.
    core_cycles: Option<f64>,
    /// Whether it is the cost of a read of the processor's counter.
    of_counter: bool,
}

/// A figure, and what it counts.
type Weighted = (f64, f64);

/// The runs of one side.
#[derive(Clone, Default)]
pub struct Runs {
    /// The words of the command that made them, or the name of the set.
    name: String,
    method: Method,
    /// What the machine and the clocks are, from the first run.
    first: Report,
    values: Vec<Values>,
    /// What the figures of each run count.
    weights: Vec<f64>,
    /// When the earliest run began.
    started: String,
    /// Facts that differ within a set: of the first run and of a later one.
    mixed: BTreeMap<String, Difference>,
    /// Of each run of a set, whether it was disturbed as a whole.
    disturbed: Vec<bool>,
    /// The share that was taken from each run of a command, if that is known.
    taken: Vec<Option<f64>>,
    seen: BTreeSet<String>,
}

impl Runs {
    /// No run yet of the command with these words.
    pub fn of_command(words: &str) -> Self {
        Self { name: words.into(), method: Method::Pairs, ..Self::default() }
    }

    /// No run yet of the set of this name.
    pub fn of_set(name: &str) -> Self {
        Self { method: Method::Sets, ..Self::of_command(name) }
    }

    fn is_set(&self) -> bool {
        self.method == Method::Sets
    }

    /// Adds a run. One that was added to a set before does not count again.
    pub fn add(&mut self, run: &Report) {
        let (id, started) = (&run.run.id, &run.run.started);
        if self.is_set() && !id.is_empty() && !self.seen.insert(id.clone()) {
            return;
        }
        if self.values.is_empty() {
            self.first = run.clone();
        }
        if self.values.is_empty() || *started < self.started {
            self.started.clone_from(started);
        }
        if self.is_set() {
            let differs = environment(&self.first, run).into_iter().filter(|it| it.matters);
            for it in differs {
                self.mixed.entry(it.key.clone()).or_insert(it);
            }
            self.disturbed.push(!run::reasons(run).is_empty());
        }
        self.weights.push(if self.is_set() { weight(run) } else { 1.0 });
        self.values.push(self.compared_of(run));
    }

    /// The same for the set of a long history: of many runs, the last ones stay.
    pub(super) fn add_last(&mut self, run: &Report) {
        self.add(run);
        if self.values.len() > ENOUGH {
            self.values.remove(0);
            self.weights.remove(0);
            self.disturbed.remove(0);
        }
    }

    /// Whether they are enough for a set.
    pub(super) fn is_enough(&self) -> bool {
        self.values.len() >= LEAST_RUNS
    }

    /// Adds a run of a command that printed no report: its figures, the machine that it ran on, and
    /// the share that was taken of the time in which it was ready to run.
    pub fn add_figures(
        &mut self,
        machine: &Report,
        figures: impl IntoIterator<Item = (Key, f64)>,
        taken: Option<f64>,
    ) {
        self.taken.push(taken);
        if self.values.is_empty() {
            self.first = machine.clone();
        }
        self.weights.push(1.0);
        let value = |ns| Value { ns, ..Value::default() };
        self.values.push(figures.into_iter().map(|(key, ns)| (key, value(ns))).collect());
    }

    /// The figures that are compared. A process has one first read, so each run of a set has a
    /// single sample; a short run of a command has too few waits for high percentiles.
    fn compared_of(&self, run: &Report) -> Values {
        let highest = if self.is_set() { Percentile::P99 } else { Percentile::P90 };
        let often = [Percentile::P50, Percentile::P90, highest].map(Percentile::name);
        let kept = figures(run).into_iter().filter(|it| {
            let usual = it.key.percentile.as_deref().is_none_or(|at| often.contains(&at));
            usual && !(self.is_set() && it.key.quantity == Quantity::First)
        });
        let value = |it: &Measured| Value {
            ns: it.figure.value_ns,
            core_cycles: it.core_cycles.filter(|_| follows(it)),
            of_counter: read_of_counter(it),
        };
        kept.map(|it| (it.key.clone(), value(&it))).collect()
    }

    fn side(&self) -> Side {
        let (disturbed, runs) = (self.disturbed(), self.values.len());
        let words = format!("{disturbed} of {runs} runs were disturbed as a whole");
        let disturbed = (disturbed > 0).then_some(words);
        let lost = self.taken.iter().filter(|it| it.is_some_and(|share| share > MUCH)).count();
        let much = percent(MUCH);
        let words = format!("{lost} of {runs} runs lost more than {much} of their time to others");
        let lost = (lost > 0).then_some(words);
        let first = side(&self.name, &self.first);
        Side {
            run: String::new(),
            started: if self.is_set() { self.started.clone() } else { first.started },
            cpu: first.cpu.filter(|_| !self.is_set()),
            runs: self.is_set().then_some(runs as u32),
            disturbed: disturbed.into_iter().chain(lost).collect(),
            ..first
        }
    }

    /// How many runs of a set were disturbed as a whole.
    fn disturbed(&self) -> usize {
        self.disturbed.iter().filter(|it| **it).count()
    }

    /// Whether most of them were and not of the other set, and so many more that chance does not
    /// explain it (Fisher's exact test). What chance explains is in the test of the figures, which
    /// deals the same runs out.
    fn more_disturbed(&self, other: &Self) -> bool {
        let most = |it: &Self| 2 * it.disturbed() > it.values.len();
        let [own, all] = [self.disturbed(), self.disturbed() + other.disturbed()];
        let [drawn, runs] = [self.values.len(), self.values.len() + other.values.len()];
        let dealt = Hypergeometric::new(runs as u64, all as u64, drawn as u64);
        let chance = dealt.map_or(1.0, |it| it.pmf(own as u64) + it.sf(own as u64));
        most(self) && !most(other) && 2.0 * chance < LEVEL_OF_COMMANDS
    }
}

/// What a run of a set counts ([`LEAST_WEIGHT`]); 1 if it does not say how its core was shared. A
/// file may hold anything.
fn weight(run: &Report) -> f64 {
    let shared = run.ruler.as_ref().and_then(|ruler| ruler.noise.shared);
    let shared = shared.filter(|it| (0.0..=1.0).contains(it)).unwrap_or(0.0);
    (1.0 - shared).max(LEAST_WEIGHT)
}

/// What changed between the runs of two commands. They are as many, the n-th of both make a pair,
/// and within each pair their order was drawn with this seed.
pub fn pairs(a: &Runs, b: &Runs, seed: u64) -> Compared {
    let change = change(a, b, seed);
    Compared {
        pairs: Some(a.values.len() as u32),
        seed: Some(seed),
        ..compared(Method::Pairs, [change])
    }
}

/// What changed from the first set to each of the others. The seed is that of the ways that are
/// drawn.
///
/// # Errors
/// A set has too few runs.
pub fn sets(all: Vec<Runs>, seed: u64) -> Result<Compared, String> {
    if let Some(few) = all.iter().find(|it| !it.is_enough()) {
        let (name, runs) = (&few.name, few.values.len());
        return Err(format!(
            "{name}: a set takes {LEAST_RUNS} runs or more, and this one has {runs}"
        ));
    }
    let mut all = all.into_iter();
    let Some(first) = all.next() else { return Ok(Compared::default()) };
    let changes = all.map(|other| change(&first, &other, seed));
    Ok(Compared { seed: Some(seed), ..compared(Method::Sets, changes) })
}

/// What changed from A to B.
pub(super) fn change(a: &Runs, b: &Runs, seed: u64) -> Change {
    let [mut of_a, mut of_b] = [a, b].map(|side| side.values.clone());
    let settings = differing(&mut of_a, &mut of_b);
    let (unit, unit_why) = match a.is_set() {
        true => at_one_frequency(&mut of_a, &mut of_b),
        false => (Unit::Ns, "their runs took turns".into()),
    };
    let mut rows = rows([&of_a, &of_b], [&a.weights, &b.weights], a.is_set(), seed);
    let sides = [("A", a, b), ("B", b, a)];
    if let Some((which, ..)) = sides.iter().find(|(_, it, other)| it.more_disturbed(other)) {
        for row in rows.iter_mut().filter(|row| row.verdict.changed()) {
            row.verdict = Verdict::CannotTell;
            row.why = Some(format!("most runs of {which} were disturbed as a whole"));
        }
    }
    let mixed = [("A", a), ("B", b)].into_iter().flat_map(|(letter, runs)| {
        runs.mixed.values().map(move |it| Difference {
            key: format!("{} among the runs of {letter}", it.key),
            ..it.clone()
        })
    });
    let mut change = super::change((a.side(), &a.first), (b.side(), &b.first), rows);
    change.environment.extend(settings.into_iter().chain(mixed));
    let taken = a.taken.iter().zip(&b.taken).map(|(a, b)| TakenOfPair { a: *a, b: *b }).collect();
    Change { unit, unit_why, taken, ..change }
}

/// What the costs of two sets are compared in, and why. If the counter's own reads vary less than
/// half as much in cycles, costs that follow the frequency become those at the usual one. All runs
/// together decide it, whichever side they are of, so the test stays exact.
fn at_one_frequency(a: &mut [Values], b: &mut [Values]) -> (Unit, String) {
    let runs = a.len() + b.len();
    let mut found: BTreeMap<&Key, Vec<Value>> = BTreeMap::new();
    for (key, it) in a.iter().chain(&*b).flatten().filter(|(_, it)| it.core_cycles.is_some()) {
        found.entry(key).or_default().push(*it);
    }
    found.retain(|_, all| all.len() == runs);
    let cycles = |it: &Value| it.core_cycles.unwrap_or_default();
    let reads = || found.values().filter(|all| all[0].of_counter);
    let ns_apart = median(reads().map(|all| spread(all.iter().map(|it| it.ns.ln()))));
    let apart = median(reads().map(|all| spread(all.iter().map(|it| cycles(it).ln()))));
    if 2.0 * apart >= ns_apart || apart >= rule::CALIBRATES {
        return (Unit::Ns, "the spread of the runs has both".into());
    }
    let usual = |all: Vec<Value>| median(all.iter().map(|it| it.ns / cycles(it)));
    let usual: BTreeMap<Key, f64> =
        found.into_iter().map(|(key, all)| (key.clone(), usual(all))).collect();
    for (key, it) in a.iter_mut().chain(b).flatten() {
        it.ns = usual.get(key).map_or(it.ns, |usual| cycles(it) * usual);
    }
    let words = |apart| percent(rule::share(apart));
    let (apart, ns_apart) = (words(apart), words(ns_apart));
    let why = format!(
        "the counter's own reads vary by {apart} in them, and by {ns_apart} in nanoseconds"
    );
    (Unit::CoreCycles, why)
}

/// A setting of waits: its name, its value, and how it is left out.
type Setting = (&'static str, fn(&Key) -> Option<String>, fn(&mut Key));

const SETTINGS: [Setting; 4] = [
    ("slack of the waits", |key| Some(short_ns(key.slack_ns? as f64)), |key| key.slack_ns = None),
    ("slice of the waits", |key| Some(short_ns(key.slice_ns? as f64)), |key| key.slice_ns = None),
    ("policy of the waits", |key| Some(key.policy?.name().into()), |key| key.policy = None),
    ("load of the waits", |key| Some(key.load?.name().into()), |key| key.load = None),
];

/// Leaves the settings of waits out that have one value in all runs of A and another in those of B:
/// it is what is compared.
fn differing(a: &mut [Values], b: &mut [Values]) -> Vec<Difference> {
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

/// A figure in the runs of both sides.
struct Figures<'a> {
    key: &'a Key,
    /// In nanoseconds, without the runs of a set that lack it.
    sides: [Vec<Weighted>; 2],
    /// Logarithms: of B divided by A in each pair, or of each run of both sets, with `None` where a
    /// run lacks it.
    logs: Vec<Option<Weighted>>,
    floor: f64,
    /// Logarithms of pairs count as no larger than this in the test.
    clip: f64,
}

impl Figures<'_> {
    /// Whether single runs may be off by far, as commands are that other work interrupts.
    fn is_robust(&self) -> bool {
        self.key.section == Section::Commands
    }
}

/// The figures that all pairs have, or enough runs of both sets, judged.
fn rows([a, b]: [&[Values]; 2], weights: [&[f64]; 2], sets: bool, seed: u64) -> Vec<Row> {
    let keys: BTreeSet<&Key> = a.iter().flat_map(BTreeMap::keys).collect();
    let order = a.iter().max_by_key(|run| run.len()).into_iter().flat_map(BTreeMap::keys);
    let mut seen = BTreeSet::new();
    let keys = order.chain(keys).filter(|key| seen.insert(*key));
    let found = keys.filter_map(|key| {
        let of = |runs: &[Values], weights: &[f64]| {
            let all = runs.iter().zip(weights);
            all.map(|(run, weight)| Some((run.get(key)?.ns, *weight))).collect::<Vec<_>>()
        };
        let both = [of(a, weights[0]), of(b, weights[1])];
        let sides = both.each_ref().map(|side| side.iter().copied().flatten().collect::<Vec<_>>());
        let enough = if sets { LEAST_RUNS } else { a.len() };
        let logs: Vec<Option<Weighted>> = match sets {
            true => {
                both.iter().flatten().map(|it| it.map(|(ns, weight)| (ns.ln(), weight))).collect()
            }
            false => {
                let ratios = sides[0].iter().zip(&sides[1]).map(|(a, b)| b.0 / a.0);
                ratios.map(|ratio| Some((ratio.ln(), 1.0))).collect()
            }
        };
        let floor = match key.section {
            Section::Waits | Section::Commands => FLOOR_OF_WAITS,
            _ => FLOOR,
        };
        let mut it = Figures { key, sides, logs, floor, clip: f64::INFINITY };
        if it.is_robust() {
            it.clip = CLIP * median(it.logs.iter().flatten().map(|(log, _)| log.abs()));
        }
        it.sides.iter().all(|side| side.len() >= enough).then_some(it)
    });
    let found: Vec<Figures> = found.collect();
    if sets {
        let chances = chances(&found, deals(a.len(), b.len(), found.len(), seed), difference);
        return found.iter().zip(chances).map(|(it, p)| row_of_sets(it, p)).collect();
    }
    let chances = chances(&found, flips(a.len(), seed), mean);
    found.iter().zip(chances).map(|(it, p)| row_of_pairs(it, p)).collect()
}

fn judged(it: &Figures, ratio: Ratio, p: f64, limits: Limits) -> Row {
    let row = rule::judged(it.key.clone(), it.sides.clone().map(centre), ratio, p, limits);
    // Whether more of a metric is better is not known.
    let own = |verdict| {
        if it.key.quantity == Quantity::Metric { rule::elsewhere(verdict) } else { verdict }
    };
    Row { verdict: own(row.verdict), ..row }
}

/// The verdict on a row of pairs. The interval is that of Student's t; of commands, whose times
/// have outliers, it is the one that holds whatever the distribution.
fn row_of_pairs(it: &Figures, p: f64) -> Row {
    let logs: Vec<f64> = it.logs.iter().flatten().map(|(log, _)| *log).collect();
    let n = logs.len() as f64;
    let of_ratio = paired(&logs);
    let of_ns =
        paired(&it.sides[1].iter().zip(&it.sides[0]).map(|(b, a)| b.0 - a.0).collect::<Vec<_>>());
    let ratio = if it.is_robust() {
        of_ratio.0
    } else {
        let log = logs.iter().sum::<f64>() / n;
        let half = rule::student_within(0.95, n - 1.0) * spread(logs.iter().copied()) / n.sqrt();
        Ratio { log, low: log - half, high: log + half }
    };
    let mut limits = Limits::of_runs(it.key);
    if it.is_robust() {
        limits.level = LEVEL_OF_COMMANDS;
    }
    let row = judged(it, ratio, p, limits);
    let why = (row.verdict == Verdict::CannotTell).then(|| {
        let Ratio { log, low, high } = ratio;
        // The interval has to shrink to what is left beside the change, or to half of the change.
        let enough = (limits.same.ln_1p() - log.abs()).max(log.abs() / 2.0);
        let most = f64::from(MOST_PAIRS) + 1.0;
        match (n * ((high - low) / 2.0 / enough).powi(2)).clamp(n + 1.0, most) as u32 {
            pairs @ 0..=MOST_PAIRS => {
                format!("--pairs {} may tell", pairs.next_power_of_two().min(MOST_PAIRS))
            }
            _ => "the runs differ too much".into(),
        }
    });
    let ratios = logs.into_iter().map(f64::exp).collect();
    Row { ratios, why, bounds: Some(bounds(of_ratio, of_ns)), ..row }
}

/// The verdict on a row of sets. Where the interval encloses no change, no chance is small enough.
fn row_of_sets(it: &Figures, p: f64) -> Row {
    let ln = |side: &Vec<Weighted>| side.iter().map(|(ns, weight)| (ns.ln(), *weight)).collect();
    let logs: [Vec<Weighted>; 2] = it.sides.each_ref().map(ln);
    let [of_ratio, of_ns] = [&logs, &it.sides].map(|[a, b]| shift(a, b));
    let apart = of_ratio.0.low > 0.0 || of_ratio.0.high < 0.0;
    let level = if apart { LEVEL_OF_SETS } else { 0.0 };
    let limits = Limits { level, ..Limits::of_runs(it.key) };
    let row = judged(it, of_ratio.0, p, limits);
    let why = (row.verdict == Verdict::CannotTell)
        .then(|| "the runs of a side differ too much: add more".into());
    Row { bounds: Some(bounds(of_ratio, of_ns)), why, ..row }
}

fn bounds((of_ratio, misrate): Shift, (of_ns, _): Shift) -> Bounds {
    Bounds {
        ratio: rule::share(of_ratio.log) + 1.0,
        ratio_low: rule::share(of_ratio.low) + 1.0,
        ratio_high: rule::share(of_ratio.high) + 1.0,
        shift_ns: of_ns.log,
        shift_low_ns: of_ns.low,
        shift_high_ns: of_ns.high,
        misrate,
    }
}

/// The median, and the narrowest pair of values with the same rank from below and from above that
/// encloses it with 95 % probability, whatever the distribution: of up to eight, the outermost
/// (Conover 1999, Practical Nonparametric Statistics, 3.2).
fn centre(values: Vec<Weighted>) -> Figure {
    let values = evenly(&values);
    let n = worth(&values);
    let mut shares = vec![0.5_f64.powi(n as i32)];
    for rank in 0..n {
        shares.push(shares[rank] * (n - rank) as f64 / (rank + 1) as f64);
    }
    let (Ratio { log, low, high }, _) = enclosed(values, n, outermost(&shares));
    Figure { value_ns: log, low_ns: low, high_ns: high }
}

/// How many values of the same weight these are worth, rounded down (Kish 1965, Survey Sampling,
/// 11.7). Those of the same weight are worth their number.
fn worth(all: &[Weighted]) -> usize {
    let sum = |of: fn(f64) -> f64| all.iter().map(|it| of(it.1)).sum::<f64>();
    (sum(|it| it).powi(2) / sum(|it| it * it) + 1e-9) as usize
}

/// A shift from A to B, and the probability that its interval misses the true one.
type Shift = (Ratio, f64);

/// The median of these, and those with this rank, from 0, from below and from above, by their
/// weights: they are worth so many of the same weight, of which half of the next is left out.
fn enclosed(mut all: Vec<Weighted>, worth: usize, (rank, misrate): (usize, f64)) -> Shift {
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let both = |share| (beyond(all.iter(), share), beyond(all.iter().rev(), share));
    let (low, high) = both((rank as f64 + 0.5) / worth.max(2) as f64);
    let (upper, lower) = both(0.5);
    (Ratio { log: (lower + upper) / 2.0, low, high }, misrate)
}

/// The first value at which the weights are more than this share of all; 0 of none.
fn beyond<'a>(all: impl Iterator<Item = &'a Weighted> + Clone, share: f64) -> f64 {
    let mut left = share * all.clone().map(|it| it.1).sum::<f64>();
    let mut found = 0.0;
    for (value, weight) in all {
        (found, left) = (*value, left - weight);
        if left < 0.0 {
            break;
        }
    }
    found
}

/// The median of all differences of a value of B and one of A (Hodges and Lehmann 1963), and the
/// narrowest pair of these differences with the same rank from below and from above that encloses
/// the true shift with 95 % probability, whatever the distribution. Its error follows from the
/// distribution of Mann and Whitney's U (Annals of Mathematical Statistics 18, 1947, 50-60).
fn shift(a: &[Weighted], b: &[Weighted]) -> Shift {
    let [a, b] = [a, b].map(evenly);
    let all = b.iter().flat_map(|b| a.iter().map(move |a| (b.0 - a.0, a.1 * b.1))).collect();
    let [of_a, of_b] = [worth(&a), worth(&b)];
    enclosed(all, of_a * of_b, rank(of_a, of_b))
}

/// The median of the means of each two of these and of each alone (Hodges and Lehmann 1963), and
/// the narrowest pair of these with the same rank from below and from above that encloses the true
/// centre with 95 % probability, whatever the distribution, if it is symmetric. Its error follows
/// from the distribution of Wilcoxon's sum of signed ranks (Biometrics Bulletin 1, 1945, 80-83).
fn paired(all: &[f64]) -> Shift {
    let with_later = |(at, a)| all[at..].iter().map(move |b| ((a + b) / 2.0, 1.0));
    let means: Vec<Weighted> = all.iter().enumerate().flat_map(with_later).collect();
    let worth = means.len();
    enclosed(means, worth, signed_rank(all.len()))
}

/// The largest rank, from 0, of the mean that ends the interval, and the probability that the true
/// centre lies outside: twice that of a sum of signed ranks up to this one.
fn signed_rank(pairs: usize) -> (usize, f64) {
    // The shares of all signs that give each sum: each rank is added or not.
    let mut shares = vec![0.0; pairs * (pairs + 1) / 2 + 1];
    shares[0] = 1.0;
    for rank in 1..=pairs {
        for sum in (0..shares.len()).rev() {
            shares[sum] = (shares[sum] + if sum < rank { 0.0 } else { shares[sum - rank] }) / 2.0;
        }
    }
    outermost(&shares)
}

/// The largest number up to which these shares, twice, are no more than [`ALPHA`]; and how much
/// they are.
fn outermost(shares: &[f64]) -> (usize, f64) {
    let both = |tail: f64| (2.0 * tail).min(1.0);
    let (mut rank, mut tail) = (0, shares[0]);
    while let Some(share) = shares.get(rank + 1).filter(|it| both(tail + **it) <= ALPHA) {
        tail += share;
        rank += 1;
    }
    (rank, both(tail))
}

fn evenly(all: &[Weighted]) -> Vec<Weighted> {
    let take = all.len().min(ENOUGH);
    (0..take).map(|at| all[at * all.len() / take]).collect()
}

/// The largest rank, from 0, of the difference that ends the interval, and the probability that the
/// true shift lies outside: twice that of U up to this rank. U is counted exactly up to 50 and 50
/// runs, by its recursion; it is close to normal beyond.
fn rank(a: usize, b: usize) -> (usize, f64) {
    if a > 50 || b > 50 {
        let (a, b) = (a as f64, b as f64);
        let sd = (a * b * (a + b + 1.0) / 12.0).sqrt();
        let rank = (a * b / 2.0 - rule::Z * sd - 1.0).floor().max(0.0);
        let z = (rank + 0.5 - a * b / 2.0) / sd;
        return (rank as usize, rule::normal_p(z).min(1.0));
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
    outermost(&shares[a][b])
}

/// For each figure, the probability that the largest statistic of any is as large as its own if
/// nothing changed. All ways to exchange runs, of which the first exchanges none, are as likely
/// then, and are the same for all figures, so figures that move together count as one (Westfall and
/// Young 1993, Resampling-Based Multiple Testing).
fn chances(
    all: &[Figures],
    mut ways: impl Iterator<Item = Vec<bool>>,
    statistic: fn(&Figures, &[bool]) -> f64,
) -> Vec<f64> {
    let Some(none) = ways.next() else { return Vec::new() };
    let own: Vec<f64> = all.iter().map(|it| statistic(it, &none)).collect();
    let largest = |way: Vec<bool>| all.iter().map(|it| statistic(it, &way)).fold(0.0, f64::max);
    let first = own.iter().copied().fold(0.0, f64::max);
    let mut found: Vec<f64> = std::iter::once(first).chain(ways.map(largest)).collect();
    found.sort_by(f64::total_cmp);
    let chance = |own: f64| {
        // Sums in another order differ in their last digits.
        let smaller = found.partition_point(|other| *other < own * (1.0 - 1e-9));
        (found.len() - smaller) as f64 / found.len() as f64
    };
    own.into_iter().map(chance).collect()
}

/// The ways to exchange A and B of pairs, which flips signs. To flip all of them changes nothing,
/// so that of the last pair stays where every way is tried.
fn flips(pairs: usize, seed: u64) -> Box<dyn Iterator<Item = Vec<bool>>> {
    let bits = move |way: u128| (0..pairs).map(|at| way >> at & 1 == 1).collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    match pairs {
        0..=EVERY_WAY => Box::new((0..1 << pairs.saturating_sub(1)).map(bits)),
        _ => Box::new(std::iter::once(0).chain((1..FLIPS).map(move |_| rng.u128(..))).map(bits)),
    }
}

/// The mean of the logarithms with these signs, divided by its standard error and the floor. Where
/// they are clipped does not depend on the signs, so the test stays exact.
fn mean(it: &Figures, flipped: &[bool]) -> f64 {
    let n = flipped.len() as f64;
    let logs = || it.logs.iter().flatten().map(|(log, _)| log.clamp(-it.clip, it.clip));
    let mean =
        logs().zip(flipped).map(|(log, flip)| if *flip { -log } else { log }).sum::<f64>() / n;
    let squares = logs().map(|log| log * log).sum::<f64>() / n;
    mean.abs() / (((squares - mean * mean).max(0.0) / (n - 1.0)).sqrt() + it.floor)
}

/// The ways to deal the runs out to two sets: of each run, whether it is in B.
fn deals(a: usize, b: usize, figures: usize, seed: u64) -> Box<dyn Iterator<Item = Vec<bool>>> {
    let own: Vec<bool> = (0..a + b).map(|at| at >= a).collect();
    if figures == 0 {
        return Box::new(std::iter::empty());
    }
    if ways(a + b, a) <= DEALS as f64 {
        let same = own.clone();
        let others = choices(a + b, b).filter(move |it| *it != same);
        return Box::new(std::iter::once(own).chain(others));
    }
    let (mut rng, mut order) = (fastrand::Rng::with_seed(seed), own.clone());
    let drawn = (1..DEALS.min(WORK / ((a + b) * figures)).max(400)).map(move |_| {
        rng.shuffle(&mut order);
        order.clone()
    });
    Box::new(std::iter::once(own).chain(drawn))
}

/// The difference of the weighted means divided by its standard error and the floor. A run keeps
/// its weight wherever it is dealt to, so the test stays exact.
fn difference(it: &Figures, in_b: &[bool]) -> f64 {
    let mut sums = [[0.0; 4]; 2];
    for (it, in_b) in it.logs.iter().zip(in_b) {
        if let Some((log, weight)) = it {
            let [weights, squared, sum, squares] = &mut sums[usize::from(*in_b)];
            *weights += weight;
            *squared += weight * weight;
            *sum += weight * log;
            *squares += weight * log * log;
        }
    }
    let [a, b] = sums.map(|[weights, squared, sum, squares]| {
        let (mean, worth) = (sum / weights, weights * weights / squared);
        let variance = (squares / weights - mean * mean).max(0.0);
        (worth, mean, variance / (worth - 1.0))
    });
    // Of none, the worth is not a number.
    match a.0 > 1.0 && b.0 > 1.0 {
        true => (b.1 - a.1).abs() / ((a.2 + b.2).sqrt() + it.floor),
        false => 0.0,
    }
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
            assert!(misrate <= ALPHA, "{misrate}");
        }
        assert!((rank(4, 4).1 - 2.0 / 70.0).abs() < 1e-12);
        let ((exact, misrate), (near, close)) = (rank(50, 50), rank(50, 51));
        assert!((exact as f64 / near as f64 - 1.0).abs() < 0.05, "{exact} {near}");
        assert!((misrate - close).abs() < 0.005, "{misrate} {close}");
    }

    /// Conover 1999, Practical Nonparametric Statistics, table A12, and 2 of 2^6 ways by hand.
    #[test]
    fn the_rank_of_pairs_is_that_of_tables() {
        for (pairs, expected) in [(6, 0), (8, 3), (10, 8), (20, 52)] {
            let (found, misrate) = signed_rank(pairs);
            assert_eq!(found, expected, "{pairs}");
            assert!(misrate <= ALPHA, "{misrate}");
        }
        assert_eq!(signed_rank(6).1, 2.0 / 64.0);
        let (ratio, _) = paired(&[1.0, 2.0, 3.0, 4.0, 5.0, 60.0]);
        assert_eq!((ratio.log, ratio.low, ratio.high), (3.5, 1.0, 60.0));
    }

    #[test]
    fn weights_move_the_centre_and_the_shift() {
        let alike = |weight: f64| (1..=10).map(|at| (f64::from(at), weight)).collect::<Vec<_>>();
        for weight in [1.0, 0.3] {
            assert_eq!(worth(&alike(weight)), 10);
            let Figure { value_ns, low_ns, high_ns } = centre(alike(weight));
            assert_eq!((low_ns, high_ns), (2.0, 9.0));
            assert!((5.0..=6.0).contains(&value_ns), "{value_ns}");
        }
        // Half of each side are off, and count for little.
        let side = |at: f64| {
            let good = (0..5).map(move |nth| (at + 0.01 * f64::from(nth), 1.0));
            good.chain((0..5).map(|nth| (9.0 + f64::from(nth), LEAST_WEIGHT))).collect::<Vec<_>>()
        };
        let (a, b) = (side(1.0), side(2.0));
        assert_eq!((worth(&a), centre(a.clone()).value_ns), (5, 1.02));
        let (ratio, misrate) = shift(&a, &b);
        assert!((ratio.log - 1.0).abs() < 0.01 && misrate <= ALPHA, "{ratio:?}");
        assert!(ratio.low > 0.95 && ratio.high < 1.05, "{ratio:?}");
        // More runs than a share of ways can count.
        let many = centre((0..3000).map(|at| (f64::from(at), 1.0)).collect());
        assert!((many.value_ns - 1500.0).abs() < 20.0, "{many:?}");
    }

    #[test]
    fn every_choice_is_made_once() {
        let all: BTreeSet<Vec<bool>> = choices(10, 5).collect();
        assert_eq!((all.len(), ways(10, 5)), (252, 252.0));
        assert!(all.iter().all(|it| it.iter().filter(|in_b| **in_b).count() == 5));
    }
}
