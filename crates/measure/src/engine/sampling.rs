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
    let mut before = look(host);
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
                seen = seen.and(look(host));
            }
            let wanted = &job.series[index];
            let batch = host.batch(wanted.subject, wanted.mode, wanted.reads);
            sampled.ticks[index].push((!batch.disturbed).then_some(batch.ticks));
        }
        before = look(host);
        seen = seen.and(before);
        let stolen = host.end_round();
        sampled.rounds.push(Round { stolen, pace: seen.pace(), width: seen.width });
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
