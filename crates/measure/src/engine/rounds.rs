//! Rounds: every series gives one batch in each, in random order, until each is known well enough
//! or the time is spent. A slow spell then hurts all series and not one.

use super::host::{Host, Limit, Mode, Rate, Spec};
use super::pilot::{self, Shape};
use crate::stats::estimate::{Estimator, ModeEstimate, Scratch};
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;
use chronoscope_model::estimate::StoppedBy;
use std::collections::HashMap;
use std::time::Duration;

/// The finest difference that is claimed, in nanoseconds: an estimate is precise enough when its
/// interval is as narrow, and a read that is cheaper cannot be told from none.
pub const FINEST_NS: f64 = 0.02;

/// When to stop, and how batches are shaped.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The time for all rounds together.
    pub budget: Duration,
    /// No series stops before so many rounds.
    pub min_rounds: u32,
    /// The iteration cap beside the budget; samples are kept for so many rounds.
    pub max_rounds: u32,
    /// Stop when the 95 % interval is narrower than this share of the estimate …
    pub relative: f64,
    /// … or than this many nanoseconds.
    pub absolute_ns: f64,
    /// What a batch should be like.
    pub shape: Shape,
}

impl Plan {
    /// METHOD's stopping rule within a budget.
    pub fn within(budget: Duration) -> Self {
        Self {
            budget,
            min_rounds: 200,
            max_rounds: 3000,
            relative: 0.005,
            absolute_ns: FINEST_NS,
            shape: Shape::default(),
        }
    }
}

/// One question about one subject.
struct Series {
    subject: usize,
    mode: Mode,
    reads: u64,
    /// Cost per read of every undisturbed batch, in ticks.
    samples: Vec<f64>,
    disturbed: u64,
    estimate: Option<ModeEstimate>,
    done: bool,
}

impl Series {
    /// Estimates the mode of what was sampled so far. A batch is counted in whole ticks, so the
    /// cost of a read comes in steps of a tick over the reads of a batch.
    fn judge(&mut self, rng: &mut fastrand::Rng, scratch: &mut Scratch) {
        let quantum = 1.0 / self.reads as f64;
        self.estimate = Estimator { quantum }.estimate(&self.samples, rng, scratch);
    }
}

/// What the rounds found.
pub struct Outcome {
    series: HashMap<(usize, Mode), Series>,
    /// What the ruler and the call of a batch cost, in ticks.
    pub ruler_ticks: f64,
    /// Batches timed.
    pub batches: u64,
    /// Batches that something disturbed.
    pub disturbed: u64,
    /// Rounds made.
    pub rounds: u32,
}

/// Measures every subject of `wanted` in every mode of `modes`, each with the empty loop of its
/// language beside it.
pub fn run<H: Host>(
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
    let start = host.now();
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
    let mut all: Vec<Series> = keys
        .iter()
        .map(|&(subject, mode)| Series {
            subject,
            mode,
            reads: pilot::reads_per_batch(host, subject, mode, plan.shape, ruler_ticks.max(1.0)),
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
    };
    let mut scratch = Scratch::default();
    let mut order: Vec<usize> = (0..all.len()).collect();
    let mut round: Vec<(usize, f64)> = Vec::with_capacity(all.len());
    let mut next_look = plan.min_rounds;
    let total = super::host::ticks(host, plan.budget).max(1) as f64;
    while !order.is_empty() && !limit.reached(host) {
        rng.shuffle(&mut order);
        round.clear();
        for &index in &order {
            let series = &mut all[index];
            let batch = host.batch(series.subject, series.mode, series.reads);
            outcome.batches += 1;
            if batch.disturbed {
                series.disturbed += 1;
                outcome.disturbed += 1;
            } else {
                round.push((
                    index,
                    (batch.ticks as f64 - ruler_ticks) / series.reads as f64,
                ));
            }
        }
        let disturbed = host.end_round();
        for &(index, cost) in &round {
            if disturbed {
                all[index].disturbed += 1;
                outcome.disturbed += 1;
            } else {
                all[index].samples.push(cost);
            }
        }
        outcome.rounds += 1;
        if outcome.rounds >= next_look {
            next_look = outcome.rounds + outcome.rounds / 2;
            look(
                &mut all,
                &order,
                specs,
                &plan,
                host.hz(),
                &mut rng,
                &mut scratch,
            );
            order = unfinished(&all, specs);
        }
        if outcome.rounds % 16 == 0 {
            progress((host.now().wrapping_sub(start) as f64 / total).min(1.0));
        }
    }
    for series in &mut all {
        if !series.done {
            series.judge(&mut rng, &mut scratch);
        }
    }
    outcome.series = keys.into_iter().zip(all).collect();
    outcome
}

/// The cost of an empty batch: the ruler's start and stop and one call.
fn ruler_cost<H: Host>(
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

/// Estimates what is still being measured, and marks what is known well enough.
fn look(
    all: &mut [Series],
    order: &[usize],
    specs: &[Spec],
    plan: &Plan,
    hz: f64,
    rng: &mut fastrand::Rng,
    scratch: &mut Scratch,
) {
    for &index in order {
        all[index].judge(rng, scratch);
    }
    let ns = 1e9 / hz;
    for &index in order {
        let (Some(own), Some(empty)) = (
            all[index].estimate,
            baseline(all, index, specs).and_then(|s| s.estimate),
        ) else {
            continue;
        };
        let (value, low, high) = difference(own, empty);
        let width = high - low;
        all[index].done = width <= (value.abs() * plan.relative).max(plan.absolute_ns / ns);
    }
}

/// The series that must go on: those that are not done, and the empty loops they stand on.
fn unfinished(all: &[Series], specs: &[Spec]) -> Vec<usize> {
    let needs = |index: usize| {
        let (subject, mode) = (all[index].subject, all[index].mode);
        all.iter()
            .any(|s| !s.done && s.mode == mode && specs[s.subject].baseline == subject)
    };
    (0..all.len())
        .filter(|&index| !all[index].done || needs(index))
        .collect()
}

fn baseline<'a>(all: &'a [Series], index: usize, specs: &[Spec]) -> Option<&'a Series> {
    let key = (specs[all[index].subject].baseline, all[index].mode);
    all.iter().find(|s| (s.subject, s.mode) == key)
}

/// One estimate less another, with the interval of the difference: the distances of the ends add
/// in quadrature, as the two are independent.
fn difference(own: ModeEstimate, empty: ModeEstimate) -> (f64, f64, f64) {
    let value = own.value - empty.value;
    let below = (own.value - own.low).hypot(empty.high - empty.value);
    let above = (own.high - own.value).hypot(empty.value - empty.low);
    (value, value - below, value + above)
}

impl Outcome {
    /// The estimate for one subject and mode, in nanoseconds by a calibrated rate. `None` where
    /// every batch was disturbed or none was made.
    pub fn estimate(
        &self,
        specs: &[Spec],
        subject: usize,
        mode: Mode,
        ruler: Rate,
    ) -> Option<Estimate> {
        let series = self.series.get(&(subject, mode))?;
        let empty = self.series.get(&(specs[subject].baseline, mode))?;
        let summary = Summary::of(&series.samples)?;
        let (own, base) = (series.estimate?, empty.estimate?);
        let (value, low, high) = difference(own, base);
        let ns = 1e9 / ruler.hz;
        // The ruler's own error stretches or shrinks the whole, and so widens the interval.
        let stretch = value.abs() * ruler.error_ppm * 1e-6;
        Some(Estimate {
            value_ns: value * ns,
            low_ns: (low - stretch) * ns,
            high_ns: (high + stretch) * ns,
            min_ns: summary.min * ns,
            median_ns: summary.median * ns,
            mad_ns: summary.mad * ns,
            p99_ns: summary.p99 * ns,
            max_ns: summary.max * ns,
            raw_ns: own.value * ns,
            empty_ns: base.value * ns,
            batches: series.samples.len() as u64,
            reads_per_batch: series.reads,
            disturbed: series.disturbed,
            stopped_by: if series.done {
                StoppedBy::Precision
            } else {
                StoppedBy::Budget
            },
            cycles: ruler.is_tsc.then_some(value),
            below_resolution: low <= 0.0 || value * ns < FINEST_NS,
        })
    }
}
