//! Latency and resolution as BenchmarkDotNet measures them in the benchmark of a stopwatch:
//!
//! ```text
//! Latency() => GetTimestamp();
//! Resolution() { last = GetTimestamp(); while (GetTimestamp() == last) {} }
//! ```

use crate::stats::summary::{Summary, quantile};
use chronoscope_model::runtimes::Spread;

/// The fewest calls of `Resolution()` in a series of reads that give a mean.
const FEWEST: usize = 10;

/// Returns mean, median and standard deviation of iterations, in the unit of nanoseconds. Outliers
/// are left out as BenchmarkDotNet leaves them out by default (`OutlierMode.RemoveUpper`): those
/// above the third quartile by more than one and a half interquartile ranges.
pub(super) fn spread(iterations: &[f64]) -> Option<Spread> {
    let mut sorted: Vec<f64> = iterations.iter().copied().filter(|ns| ns.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = (quantile(&sorted, 0.25)?, quantile(&sorted, 0.75)?);
    sorted.retain(|ns| *ns <= high + 1.5 * (high - low));
    let kept = Summary::of(&sorted)?;
    Some(Spread {
        mean_ns: kept.mean,
        median_ns: kept.median,
        sd_ns: kept.sd,
        iterations: kept.n as u64,
    })
}

/// Returns the mean duration of `Resolution()` over the values of successive reads, from its first
/// read to that of the next call; `None` if the value changes too seldom. One series is an
/// iteration.
pub(super) fn resolution(values: &[f64]) -> Option<f64> {
    let (mut at, mut calls) = (0, 0);
    while let Some(last) = values.get(at) {
        let Some(change) = values[at..].iter().position(|value| value != last) else {
            break;
        };
        // The next call begins with a read of its own.
        let next = at + change + 1;
        if next >= values.len() {
            break;
        }
        (at, calls) = (next, calls + 1);
    }
    (calls >= FEWEST).then(|| (values[at] - values[0]) / calls as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_known_samples() {
        // R: mean, median and sd of c(10, 11, 12, 13, 14); 100 is above the fence.
        let known = spread(&[14.0, 10.0, 12.0, 100.0, 11.0, 13.0]).expect("known");
        assert_eq!((known.mean_ns, known.median_ns, known.iterations), (12.0, 12.0, 5));
        assert!((known.sd_ns - 1.581_139).abs() < 1e-6);
        // What is far below counts.
        let low = spread(&[1.0, 10.0, 11.0, 12.0, 13.0, 14.0]).expect("known");
        assert_eq!((low.median_ns, low.iterations), (11.5, 6));
        assert_eq!(spread(&[7.0]).map(|one| (one.median_ns, one.sd_ns)), Some((7.0, 0.0)));
        assert_eq!(spread(&[]), None);
    }

    /// The values of a clock with this tick that is read this often.
    fn reads(tick: f64, every: f64) -> Vec<f64> {
        (0..4000).map(|nth| (f64::from(nth) * every / tick).floor() * tick).collect()
    }

    #[test]
    fn resolution_is_a_tick_or_two_reads() {
        let close = |found: Option<f64>, to: f64| {
            let found = found.expect("known");
            assert!((found / to - 1.0).abs() < 0.02, "{found} for {to}");
        };
        close(resolution(&reads(100.0, 20.0)), 100.0);
        close(resolution(&reads(1.0, 500.0)), 1000.0);
        // Ten changes are too few.
        assert_eq!(resolution(&reads(10_000.0, 20.0)), None);
        assert_eq!(resolution(&[]), None);
    }
}
