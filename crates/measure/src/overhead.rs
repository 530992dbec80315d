//! What timing adds to a real loop: the sum of some integers, with and without two reads and a
//! subtraction around it.

use crate::engine::host::{Host, Limit, Spec};
use chronoscope_model::overhead::{Centre, Overhead};
use std::time::Duration;

/// The seed's defaults: samples, turns in a sample, integers in a turn.
pub const DEFAULTS: [u64; 3] = [9999, 999, 999];

/// Measures one subject. Each sample is a loop without timing and one with, in random order, so
/// that a slow spell hurts both. Stops early, with what it has, where the time is spent.
pub fn measure<H: Host>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    [samples, n, m]: [u64; 3],
    longest: Duration,
    rng: &mut fastrand::Rng,
    mut progress: impl FnMut(f64),
) -> Overhead {
    let values: Vec<u64> = (0..m).collect();
    let baseline = specs[subject].baseline;
    let ns = 1e9 / host.hz() / n as f64;
    let mut pairs: Vec<[f64; 2]> = Vec::with_capacity(samples.min(1 << 20) as usize);
    // Once each before anything counts.
    host.around(baseline, n, &values);
    host.around(subject, n, &values);
    let mut limit = Limit::new(host, longest, samples);
    while !limit.reached(host) {
        let mut pair = [0.0; 2];
        let timed_first = rng.bool();
        for timed in [timed_first, !timed_first] {
            let ticks = host.around(if timed { subject } else { baseline }, n, &values);
            pair[usize::from(timed)] = ticks as f64 * ns;
        }
        pairs.push(pair);
        if pairs.len().is_multiple_of(64) {
            progress(pairs.len() as f64 / samples as f64);
        }
    }
    Overhead {
        id: specs[subject].id.clone(),
        samples,
        n,
        m,
        taken: pairs.len() as u64,
        baseline: centre(pairs.iter().map(|p| p[0])),
        timed: centre(pairs.iter().map(|p| p[1])),
        overhead: centre(pairs.iter().map(|p| p[1] - p[0])),
    }
}

/// Mean and median, the median with its 95 % interval from order statistics: the ranks
/// n/2 ± 0.98 √n, by the normal approximation to the binomial (David & Nagaraja, Order
/// Statistics, 7.1).
fn centre(samples: impl Iterator<Item = f64>) -> Centre {
    let mut sorted: Vec<f64> = samples.filter(|x| x.is_finite()).collect();
    if sorted.is_empty() {
        return Centre::default();
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let rank = |r: f64| sorted[(r.max(0.0) as usize).min(sorted.len() - 1)];
    let spread = 0.98 * n.sqrt();
    Centre {
        average_ns: sorted.iter().sum::<f64>() / n,
        median_ns: rank(n / 2.0),
        low_ns: rank((n / 2.0 - spread).floor()),
        high_ns: rank((n / 2.0 + spread).ceil()),
    }
}
