//! The rounds of one process. A run divides its rounds among several processes, because each one
//! places its code, stack and heap elsewhere in memory, and that alone can move a cheap read by
//! several percent (Mytkowicz et al. 2009, *Producing Wrong Data Without Doing Anything Obviously
//! Wrong!*, ASPLOS XIV).

use super::batch::{Job, Mode, Round, Sampled};
use super::gauges::Look;
use super::host::Batches;
use super::time::Limit;
use crate::stats::summary::Summary;

/// The number of batches between two looks at the core, so that a neighbour that comes and goes
/// within a round is noticed.
const LOOK_EVERY: usize = 64;
/// The fewest batches before a look. A look takes as long as one batch or two, so shorter rounds
/// share their looks.
const WORTH_A_LOOK: usize = 32;

/// Makes the rounds of a job. `enough` is called now and then to ask whether the samples suffice.
pub fn sample<H: Batches>(
    host: &mut H,
    job: &Job,
    mut enough: impl FnMut(&mut H, &Sampled) -> bool,
) -> Sampled {
    let mut rng = fastrand::Rng::with_seed(job.seed);
    let mut limit = Limit::new(host, job.budget, u64::from(job.most));
    let mut sampled = Sampled {
        ruler_ticks: ruler_cost(host, job.empty),
        rounds: Vec::with_capacity(job.most as usize),
        ticks: vec![Vec::with_capacity(job.most as usize); job.series.len()],
    };
    let mut order: Vec<usize> = (0..job.series.len()).collect();
    // Nothing in this process is warm yet.
    for wanted in &job.series {
        host.batch(wanted.subject, wanted.mode, wanted.reads);
    }
    let ruler_ticks = sampled.ruler_ticks;
    let look = |host: &mut H| Look::now(|what| host.gauge(what), ruler_ticks);
    // What was seen since the first round that waits for a look at its end, and the batches since
    // the last look.
    let (mut seen, mut first, mut since) = (look(host), 0, 0);
    loop {
        let made = sampled.rounds.len();
        let few = made < job.least as usize && !host.interrupted();
        if limit.reached(host) && !few {
            break;
        }
        rng.shuffle(&mut order);
        for (at, &index) in order.iter().enumerate() {
            if since >= LOOK_EVERY && order.len() - at >= WORTH_A_LOOK {
                (seen, since) = (seen.and(look(host)), 0);
            }
            let wanted = &job.series[index];
            let batch = host.batch(wanted.subject, wanted.mode, wanted.reads);
            sampled.ticks[index].push((!batch.disturbed).then_some(batch.ticks));
            since += 1;
        }
        let last = (since >= WORTH_A_LOOK).then(|| look(host));
        seen = last.map_or(seen, |last| seen.and(last));
        let stolen = host.end_round();
        sampled.rounds.push(Round { stolen, pace: None, width: None });
        for round in &mut sampled.rounds[first..] {
            (round.pace, round.width) = (seen.pace(), seen.width);
        }
        if let Some(last) = last {
            (seen, first, since) = (last, made + 1, 0);
        }
        if enough(host, &sampled) {
            break;
        }
    }
    sampled
}

/// The cost of an empty batch: the ruler's start and stop and one call. It is the mean of the
/// batches that nothing interrupted, because a ruler may count in steps that are as long as its own
/// cost, and a mode would be one of them.
fn ruler_cost<H: Batches>(host: &mut H, empty: usize) -> f64 {
    let batches = (0..400).map(|_| host.batch(empty, Mode::Throughput, 0));
    let ticks: Vec<f64> = batches.filter(|b| !b.disturbed).map(|b| b.ticks as f64).collect();
    let Some(Summary { median, .. }) = Summary::of(&ticks) else { return 0.0 };
    let quiet: Vec<f64> = ticks.into_iter().filter(|ticks| *ticks <= 2.0 * median).collect();
    Summary::of(&quiet).map_or(0.0, |quiet| quiet.mean)
}
