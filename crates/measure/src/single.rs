//! Reads that are timed one at a time: cold ones, and the first of a process.

use crate::engine::host::{Host, Limit, Mode, Rate, Spec};
use crate::engine::rounds::{FINEST_NS, RELATIVE};
use crate::stats::estimate::{Estimator, ModeEstimate, Scratch};
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;
use chronoscope_model::estimate::StoppedBy;
use std::time::Duration;

/// Samples of single reads, in ticks of the ruler.
#[derive(Clone, Debug, Default)]
pub struct Singles {
    samples: Vec<f64>,
    disturbed: u64,
}

/// Reads each subject cold, in rounds of random order, with the empty loop of each language cold
/// beside it. The samples come back by number of subject.
pub fn cold<H: Host>(
    host: &mut H,
    specs: &[Spec],
    subjects: &[usize],
    rounds: u64,
    budget: Duration,
    rng: &mut fastrand::Rng,
) -> Vec<Singles> {
    let mut order: Vec<usize> = subjects.to_vec();
    for subject in subjects {
        if !order.contains(&specs[*subject].baseline) {
            order.push(specs[*subject].baseline);
        }
    }
    let mut found = vec![Singles::default(); specs.len()];
    let mut limit = Limit::new(host, budget, rounds);
    while !limit.reached(host) {
        rng.shuffle(&mut order);
        for &subject in &order {
            let batch = host.batch(subject, Mode::Cold, 1);
            if batch.disturbed {
                found[subject].disturbed += 1;
            } else {
                found[subject].samples.push(batch.ticks as f64);
            }
        }
    }
    found
}

/// Processes after which it is known how long one takes.
const PILOT: u64 = 3;

/// Reads each subject once in each of several new processes.
///
/// # Errors
/// Processes start too slowly here for the budget to give every subject what an estimate takes:
/// how long one takes, and all of them would, in seconds.
pub fn first<H: Host>(
    host: &mut H,
    subjects: &[usize],
    processes: u64,
    budget: Duration,
    specs: usize,
) -> Result<Vec<Singles>, (f64, f64)> {
    let mut found = vec![Singles::default(); specs];
    let all = processes * subjects.len() as u64;
    let mut limit = Limit::new(host, budget, all);
    let (begin, mut made) = (host.now(), 0);
    for _ in 0..processes {
        for &subject in subjects {
            if limit.reached(host) {
                return Ok(found);
            }
            found[subject]
                .samples
                .extend(host.first(subject).map(|ticks| ticks as f64));
            made += 1;
            if made == PILOT {
                let each = host.now().wrapping_sub(begin) as f64 / host.hz() / made as f64;
                let whole = each * all as f64;
                if whole > budget.as_secs_f64() {
                    return Err((each, whole));
                }
            }
        }
    }
    Ok(found)
}

/// The estimate from single reads, with those of the empty loop taken off.
pub fn estimate(
    own: &Singles,
    empty: Option<&Singles>,
    rate: Rate,
    rng: &mut fastrand::Rng,
) -> Option<Estimate> {
    let summary = Summary::of(&own.samples)?;
    // One read a sample: a step is a whole tick.
    let estimator = Estimator { quantum: 1.0 };
    let mut scratch = Scratch::default();
    let mode = estimator.estimate(&own.samples, rng, &mut scratch)?;
    let base = match empty {
        Some(empty) => estimator.estimate(&empty.samples, rng, &mut scratch)?,
        None => ModeEstimate {
            value: 0.0,
            low: 0.0,
            high: 0.0,
        },
    };
    let ns = 1e9 / rate.hz;
    let value = mode.value - base.value;
    let low = value - (mode.value - mode.low).hypot(base.high - base.value);
    let high = value + (mode.high - mode.value).hypot(base.value - base.low);
    Some(Estimate {
        value_ns: value * ns,
        low_ns: low * ns,
        high_ns: high * ns,
        min_ns: summary.min * ns,
        median_ns: summary.median * ns,
        mad_ns: summary.mad * ns,
        p99_ns: summary.p99 * ns,
        max_ns: summary.max * ns,
        raw_ns: mode.value * ns,
        empty_ns: base.value * ns,
        batches: own.samples.len() as u64,
        reads_per_batch: 1,
        disturbed: own.disturbed,
        stopped_by: if high - low <= (value.abs() * RELATIVE).max(FINEST_NS / ns) {
            StoppedBy::Precision
        } else {
            StoppedBy::Budget
        },
        cycles: rate.is_tsc.then_some(value),
        core_cycles: None,
        below_resolution: low <= 0.0 || value * ns < FINEST_NS,
    })
}
