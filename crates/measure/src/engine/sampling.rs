//! The rounds of one process. A run divides its rounds among several processes, because each one
//! places its code, stack and heap elsewhere in memory, and that alone can move a cheap read by
//! several percent (Mytkowicz et al. 2009, *Producing Wrong Data Without Doing Anything Obviously
//! Wrong!*, ASPLOS XIV).

use super::gauges::Look;
use super::host::{Batches, Mode, Rounds};
use super::time::Limit;
use crate::stats::estimate::{Estimator, Scratch};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One cost of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The subject.
    pub subject: usize,
    /// Which cost.
    pub mode: Mode,
    /// The reads of a batch.
    pub reads: u64,
}

/// What one process is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The series, each of which contributes one batch to every round.
    pub series: Vec<Wanted>,
    /// The subject whose empty batch gives the cost of the ruler.
    pub empty: usize,
    /// The time for all rounds.
    pub budget: Duration,
    /// Rounds to make even if the time is over.
    pub least: u32,
    /// Rounds to make at most.
    pub most: u32,
    /// The seed of the random order.
    pub seed: u64,
    /// Which copy of the loops to use (`Reader::with_copy`), if the process can choose.
    pub copy: usize,
}

/// What one round found out about the core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Whether the hypervisor took time from the CPU.
    pub stolen: bool,
    /// Core cycles per tick of the ruler, from a chain of dependent additions; absent if that
    /// cannot be determined.
    pub pace: Option<f64>,
    /// The time of an independent addition, as a share of a dependent one: the largest of the
    /// round. Absent if that cannot be determined.
    pub width: Option<f64>,
}

/// The samples of one process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sampled {
    /// The cost of the ruler and of the call of a batch, in ticks.
    pub ruler_ticks: f64,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The ticks of each series' batches, one per round; absent if the batch was disturbed.
    pub ticks: Vec<Vec<Option<u64>>>,
}

/// Batches between two looks at the core, so that a neighbour who comes and goes within a round is
/// noticed.
const LOOK_EVERY: usize = 64;

/// Makes the rounds of a job. `enough` is asked now and then whether the samples suffice.
pub fn sample<H: Rounds>(
    host: &mut H,
    job: &Job,
    mut enough: impl FnMut(&mut H, &Sampled) -> bool,
) -> Sampled {
    let mut rng = fastrand::Rng::with_seed(job.seed);
    let mut limit = Limit::new(host, job.budget, u64::from(job.most));
    let mut sampled = Sampled {
        ruler_ticks: ruler_cost(host, job.empty, &mut rng),
        rounds: Vec::with_capacity(job.most as usize),
        ticks: vec![Vec::with_capacity(job.most as usize); job.series.len()],
    };
    let mut order: Vec<usize> = (0..job.series.len()).collect();
    // Nothing in this process is warm yet.
    for wanted in &job.series {
        host.batch(wanted.subject, wanted.mode, wanted.reads);
    }
    let mut before = look(host, sampled.ruler_ticks);
    loop {
        let made = sampled.rounds.len();
        let few = made < job.least as usize && !host.interrupted();
        if limit.reached(host) && !few {
            break;
        }
        rng.shuffle(&mut order);
        let mut seen = before;
        for (at, &index) in order.iter().enumerate() {
            if at > 0 && at.is_multiple_of(LOOK_EVERY) {
                seen = seen.and(look(host, sampled.ruler_ticks));
            }
            let wanted = &job.series[index];
            let batch = host.batch(wanted.subject, wanted.mode, wanted.reads);
            sampled.ticks[index].push((!batch.disturbed).then_some(batch.ticks));
        }
        before = look(host, sampled.ruler_ticks);
        seen = seen.and(before);
        sampled.rounds.push(Round { stolen: host.end_round(), pace: seen.pace, width: seen.width });
        if enough(host, &sampled) {
            break;
        }
    }
    sampled
}

/// What the host's gauges show now.
fn look<H: Rounds>(host: &mut H, ruler_ticks: f64) -> Look {
    Look::now(|what| host.gauge(what), ruler_ticks)
}

/// The cost of an empty batch: the ruler's start and stop and one call.
fn ruler_cost<H: Batches>(host: &mut H, empty: usize, rng: &mut fastrand::Rng) -> f64 {
    let samples: Vec<f64> = (0..400)
        .map(|_| host.batch(empty, Mode::Throughput, 0))
        .filter(|b| !b.disturbed)
        .map(|b| b.ticks as f64)
        .collect();
    let estimator = Estimator { quantum: 1.0, ..Estimator::default() };
    estimator
        .estimate(&samples, rng, &mut Scratch::default())
        .map_or(0.0, |estimate| estimate.value)
}
