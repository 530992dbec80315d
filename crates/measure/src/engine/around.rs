//! The samples of one process for `overhead`: the loop around some work, without timing and with
//! it, one after the other in random order, so that a slow period affects both.

use super::batch::{Around, Pairs};
use super::host::Values;
use super::time::Limit;

/// The work between two checks of the time and of the user's request to stop: some milliseconds,
/// against which the ruler's own two reads are negligible.
const PART_S: f64 = 0.02;
/// The most iterations of a part, and the most additions in it, however short the ruler makes them
/// seem: a ruler that stands still must not hang the tool.
const PART_TURNS: u64 = 1_000_000;
const PART_SUMS: u64 = 100_000_000;

/// Makes the samples. Long ones are made in parts that alternate between the two loops, so that
/// neither a limit nor the user has to wait for the end of a sample. `progress` is called with the
/// share that is done.
///
/// Stops early, with the samples so far, if the time runs out or the user asks for it. A sample
/// that was cut short counts only if it is the only one.
pub fn sample<H: Values>(host: &mut H, job: &Around, mut progress: impl FnMut(f64)) -> Pairs {
    let values: Vec<u64> = (0..job.m).collect();
    let mut rng = fastrand::Rng::with_seed(job.seed);
    // Nothing in this process is warm yet.
    time(host, job, 1, &values, &mut rng);
    let mut pairs = Pairs::default();
    pairs.taken.reserve(job.samples.min(1 << 20) as usize);
    let mut limit = Limit::new(host, job.budget, job.samples);
    while !limit.reached(host) {
        let mut ticks = [0u64; 2];
        let mut done = 0;
        while done < job.n && (done == 0 || !limit.spent(host)) {
            let turns = job.part.min(job.n - done);
            let [without, with] = time(host, job, turns, &values, &mut rng);
            ticks = [ticks[0] + without, ticks[1] + with];
            done += turns;
            if job.part < job.n {
                let whole = pairs.taken.len() as f64 + done as f64 / job.n as f64;
                progress(whole / job.samples as f64);
            }
        }
        let sample = ticks.map(|ticks| ticks as f64 / done as f64);
        if done == job.n {
            pairs.taken.push(sample);
        } else if pairs.taken.is_empty() {
            pairs.taken.push(sample);
            pairs.cut_short = Some(done);
        }
        if pairs.taken.len().is_multiple_of(64) {
            progress(pairs.taken.len() as f64 / job.samples as f64);
        }
    }
    pairs
}

/// Times both loops for this many iterations, in random order. Returns the ticks without and with
/// timing.
fn time<H: Values>(
    host: &mut H,
    job: &Around,
    turns: u64,
    values: &[u64],
    rng: &mut fastrand::Rng,
) -> [u64; 2] {
    let mut ticks = [0; 2];
    let timed_first = rng.bool();
    for timed in [timed_first, !timed_first] {
        let which = if timed { job.subject } else { job.baseline };
        ticks[usize::from(timed)] = host.around(which, turns, values);
    }
    ticks
}

/// Determines the iterations of one part by trying, and the ticks of an iteration without and with
/// timing; the tries also warm up the loops.
pub fn part<H: Values>(host: &mut H, job: &Around) -> (u64, f64) {
    let values: Vec<u64> = (0..job.m).collect();
    let sums = PART_SUMS / job.m.max(1);
    let most = job.n.min(PART_TURNS).min(sums.max(1));
    let enough = (PART_S * host.hz()) as u64;
    let mut part = most.min(64);
    loop {
        let without = host.around(job.baseline, part, &values);
        let with = host.around(job.subject, part, &values);
        if with >= enough || part == most {
            return (part, (without + with) as f64 / part.max(1) as f64);
        }
        part = (part * 2).min(most);
    }
}
