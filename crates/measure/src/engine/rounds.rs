//! Rounds: every series contributes one batch to each, in random order, until all are known
//! precisely enough or the time is over. A slow period then affects all series rather than one. For
//! the same reason none leaves the rounds before the others: figures that will be compared come
//! from samples taken at the same time.

use super::figure::{FINEST_NS, Figure};
use super::host::{Batches, Mode, Rate, Rounds};
use super::pace::Pace;
use super::pilot::{self, Shape};
use super::subject::Spec;
use super::time::Limit;
use crate::stats::estimate::{Estimator, MIN_SAMPLES, ModeEstimate, Scratch};
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;
use chronoscope_model::estimate::StoppedBy;
use std::collections::HashMap;
use std::time::Duration;

/// An estimate is also precise enough if its interval is narrower than this share of it.
pub const RELATIVE: f64 = 0.005;

/// The number of rounds made whatever the budget, because a slow or busy machine could otherwise
/// use up the budget before there is any figure. Even if half of them are disturbed there are
/// enough samples for one.
const LEAST_ROUNDS: u32 = 2 * MIN_SAMPLES as u32;

/// Gauges of the core's frequency in each round.
const GAUGES: usize = 3;

/// When to stop, and the shape of batches.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The time for all rounds together.
    pub budget: Duration,
    /// Sampling does not stop before this many rounds.
    pub min_rounds: u32,
    /// The limit on rounds in addition to the budget; memory is allocated for this many samples.
    pub max_rounds: u32,
    /// Stop when the 95 % interval is narrower than this share of the estimate …
    pub relative: f64,
    /// … or than this many nanoseconds.
    pub absolute_ns: f64,
    /// The intended shape of a batch.
    pub shape: Shape,
}

impl Plan {
    /// The stopping rule of METHOD within a budget.
    pub fn within(budget: Duration) -> Self {
        Self {
            budget,
            min_rounds: 200,
            max_rounds: 3000,
            relative: RELATIVE,
            absolute_ns: FINEST_NS,
            shape: Shape::default(),
        }
    }
}

/// One cost of one subject.
struct Series {
    subject: usize,
    mode: Mode,
    reads: u64,
    /// Cost per read of every batch that was not itself disturbed, in ticks, and its round.
    samples: Vec<(u32, f64)>,
    disturbed: u64,
    estimate: Option<ModeEstimate>,
    done: bool,
}

impl Series {
    /// Estimates the mode of the samples so far. A batch is counted in whole ticks, so the cost per
    /// read has steps of one tick divided by the reads in a batch.
    fn judge(
        &mut self,
        marks: &Marks,
        pace: &Pace,
        rng: &mut fastrand::Rng,
        scratch: &mut Scratch,
    ) {
        let quantum = 1.0 / self.reads as f64;
        let samples = self.at_usual_frequency(marks, pace);
        self.estimate = Estimator { quantum }.estimate(&samples, rng, scratch);
    }

    /// The samples as they would have been at the core's usual frequency. The samples themselves
    /// show whether they follow the frequency: if they do, they scatter less after the correction.
    /// Reads that wait for a bus or a device do not.
    fn at_usual_frequency(&self, marks: &Marks, pace: &Pace) -> Vec<f64> {
        let scaled = self
            .counted(marks)
            .map(|(round, cost)| cost * pace.factor(round));
        let (scaled, plain): (Vec<f64>, _) = (scaled.collect(), self.plain(marks));
        let scatter = |samples: &[f64]| Summary::of(samples).map(|s| s.mad);
        if scatter(&scaled) < scatter(&plain) {
            scaled
        } else {
            plain
        }
    }

    fn plain(&self, marks: &Marks) -> Vec<f64> {
        self.counted(marks).map(|(_, cost)| cost).collect()
    }

    /// The samples of the rounds that count.
    fn counted(&self, marks: &Marks) -> impl Iterator<Item = (u32, f64)> {
        let samples = self.samples.iter().copied();
        samples.filter(|(round, _)| !marks.leave_out(*round))
    }

    /// Batches that do not count: those disturbed themselves, and those in a disturbed round.
    fn left_out(&self, marks: &Marks) -> u64 {
        self.disturbed + (self.samples.len() - self.counted(marks).count()) as u64
    }
}

/// The rounds in which the hypervisor took time from this CPU.
#[derive(Debug, Default)]
struct Marks {
    stolen: Vec<bool>,
    count: usize,
}

impl Marks {
    fn push(&mut self, stolen: bool) {
        self.stolen.push(stolen);
        self.count += usize::from(stolen);
    }

    /// If most rounds are marked, the mark distinguishes nothing, and all rounds count. The time
    /// taken lengthens only a few of their batches, and the estimate does not follow those.
    fn void(&self) -> bool {
        self.count * 2 > self.stolen.len()
    }

    fn leave_out(&self, round: u32) -> bool {
        !self.void() && self.stolen.get(round as usize) == Some(&true)
    }
}

/// The result of the rounds.
pub struct Outcome {
    series: HashMap<(usize, Mode), Series>,
    /// The cost of the ruler and of the call of a batch, in ticks.
    pub ruler_ticks: f64,
    /// Batches timed.
    pub batches: u64,
    /// Batches that were disturbed and do not count.
    pub disturbed: u64,
    /// Rounds made.
    pub rounds: u32,
    /// How fast the core ran.
    pub pace: Pace,
    marks: Marks,
}

/// Measures every subject of `wanted` in every mode of `modes`, each together with the empty loop
/// of its language.
pub fn run<H: Rounds>(
    host: &mut H,
    specs: &[Spec],
    wanted: &[usize],
    modes: &[Mode],
    plan: Plan,
    seed: u64,
    mut progress: impl FnMut(f64),
) -> Outcome {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut limit = Limit::new(host, plan.budget, u64::from(plan.max_rounds));
    let ruler_ticks = ruler_cost(host, wanted.first().copied(), specs, &mut rng);

    let mut keys: Vec<(usize, Mode)> = Vec::new();
    for &subject in wanted {
        for &mode in modes {
            for key in [(specs[subject].baseline, mode), (subject, mode)] {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
    }
    let least = ruler_ticks.max(1.0);
    let costs: Vec<f64> = keys
        .iter()
        .map(|&(subject, mode)| pilot::cost(host, subject, mode, plan.shape, least))
        .collect();
    let reads = pilot::reads(&costs, plan.shape.aim(host.hz(), least));
    let mut all: Vec<Series> = keys
        .iter()
        .zip(reads)
        .map(|(&(subject, mode), reads)| Series {
            subject,
            mode,
            reads,
            samples: Vec::with_capacity(plan.max_rounds as usize),
            disturbed: 0,
            estimate: None,
            done: false,
        })
        .collect();

    let mut outcome = Outcome {
        series: HashMap::new(),
        ruler_ticks,
        batches: 0,
        disturbed: 0,
        rounds: 0,
        pace: Pace::default(),
        marks: Marks::default(),
    };
    let mut scratch = Scratch::default();
    let mut order: Vec<usize> = (0..all.len()).collect();
    let mut next_look = plan.min_rounds;
    let mut judged = 0;
    let mut enough = all.is_empty();
    while !enough {
        let few = outcome.rounds < LEAST_ROUNDS && !host.interrupted();
        if limit.reached(host) && !few {
            break;
        }
        rng.shuffle(&mut order);
        for &index in &order {
            let series = &mut all[index];
            let batch = host.batch(series.subject, series.mode, series.reads);
            outcome.batches += 1;
            if batch.disturbed {
                series.disturbed += 1;
            } else {
                let cost = (batch.ticks as f64 - ruler_ticks) / series.reads as f64;
                series.samples.push((outcome.rounds, cost));
            }
        }
        let gauges: [_; GAUGES] = std::array::from_fn(|_| host.gauge());
        outcome.pace.push(gauges.into_iter().flatten(), ruler_ticks);
        outcome.marks.push(host.end_round());
        outcome.rounds += 1;
        if outcome.rounds >= next_look {
            next_look = outcome.rounds + outcome.rounds / 2;
            judged = outcome.rounds;
            outcome.pace.judge();
            enough = look(
                &mut all,
                specs,
                &plan,
                &outcome,
                host.hz(),
                &mut rng,
                &mut scratch,
            );
        }
        if outcome.rounds.is_multiple_of(16) {
            let left = limit.left(host).as_secs_f64();
            progress(1.0 - left / plan.budget.as_secs_f64().max(1e-9));
        }
    }
    if judged != outcome.rounds {
        outcome.pace.judge();
        look(
            &mut all,
            specs,
            &plan,
            &outcome,
            host.hz(),
            &mut rng,
            &mut scratch,
        );
    }
    outcome.disturbed = all.iter().map(|s| s.left_out(&outcome.marks)).sum();
    outcome.series = keys.into_iter().zip(all).collect();
    outcome
}

/// The cost of an empty batch: the ruler's start and stop and one call.
fn ruler_cost<H: Batches>(
    host: &mut H,
    subject: Option<usize>,
    specs: &[Spec],
    rng: &mut fastrand::Rng,
) -> f64 {
    let Some(subject) = subject else { return 0.0 };
    let empty = specs[subject].baseline;
    let samples: Vec<f64> = (0..400)
        .map(|_| host.batch(empty, Mode::Throughput, 0))
        .filter(|b| !b.disturbed)
        .map(|b| b.ticks as f64)
        .collect();
    Estimator { quantum: 1.0 }
        .estimate(&samples, rng, &mut Scratch::default())
        .map_or(0.0, |estimate| estimate.value)
}

/// Estimates every series, marks those that are known precisely enough, and returns whether all
/// are.
fn look(
    all: &mut [Series],
    specs: &[Spec],
    plan: &Plan,
    outcome: &Outcome,
    hz: f64,
    rng: &mut fastrand::Rng,
    scratch: &mut Scratch,
) -> bool {
    for series in all.iter_mut() {
        series.judge(&outcome.marks, &outcome.pace, rng, scratch);
    }
    for index in 0..all.len() {
        let empty = baseline(all, index, specs).and_then(|series| series.estimate);
        all[index].done = all[index].estimate.zip(empty).is_some_and(|(own, empty)| {
            let Figure {
                value, low, high, ..
            } = difference(own, empty);
            high - low <= (value.abs() * plan.relative).max(plan.absolute_ns * hz / 1e9)
        });
    }
    all.iter().all(|series| series.done)
}

fn baseline<'a>(all: &'a [Series], index: usize, specs: &[Spec]) -> Option<&'a Series> {
    let key = (specs[all[index].subject].baseline, all[index].mode);
    all.iter().find(|s| (s.subject, s.mode) == key)
}

/// A factor for what the interval of one series cannot show: the state of caches and predictors
/// that a batch finds depends on the batches before it, and hundreds of rounds do not average that
/// out. Determined by comparing identical clocks on real machines (`cargo xtask aa`).
const ORDER: f64 = 1.2;

/// One estimate less another, with the interval of the difference. The distances of the ends add in
/// quadrature, because the two are independent.
fn difference(own: ModeEstimate, empty: ModeEstimate) -> Figure {
    let value = own.value - empty.value;
    let below = ORDER * (own.value - own.low).hypot(empty.high - empty.value);
    let above = ORDER * (own.high - own.value).hypot(empty.value - empty.low);
    Figure {
        own,
        empty,
        value,
        low: value - below,
        high: value + above,
    }
}

impl Outcome {
    /// In how many rounds the hypervisor took time, if those were so many that all rounds count.
    pub fn stolen_but_counted(&self) -> Option<usize> {
        self.marks.void().then_some(self.marks.count)
    }

    /// The estimate for one subject and mode, in nanoseconds by a calibrated rate. `None` if every
    /// batch was disturbed or none was made.
    pub fn estimate(
        &self,
        specs: &[Spec],
        subject: usize,
        mode: Mode,
        ruler: Rate,
    ) -> Option<Estimate> {
        let series = self.series.get(&(subject, mode))?;
        let empty = self.series.get(&(specs[subject].baseline, mode))?;
        let summary = Summary::of(&series.plain(&self.marks))?;
        let mut figure = difference(series.estimate?, empty.estimate?);
        // The ruler's own error scales the whole figure, and so widens the interval.
        let stretch = figure.value.abs() * ruler.error_ppm * 1e-6;
        figure.low -= stretch;
        figure.high += stretch;
        Some(Estimate {
            batches: series.counted(&self.marks).count() as u64,
            reads_per_batch: series.reads,
            disturbed: series.left_out(&self.marks),
            stopped_by: if series.done {
                StoppedBy::Precision
            } else {
                StoppedBy::Budget
            },
            core_cycles: self.pace.usual().map(|cycles| figure.value * cycles),
            ..figure.in_ns(&summary, ruler)
        })
    }
}
