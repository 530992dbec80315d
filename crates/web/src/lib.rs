//! The estimators of `crates/measure` for a browser: the same files, compiled to WebAssembly.
//! `cargo xtask generate` puts the result next to the page that contains it.
//!
//! The interface has numbers only, so the page needs no knowledge of this module's memory: it puts
//! samples in one by one, calls an estimator, and takes the figures out.

// A page asks for few of the estimators.
#![allow(dead_code)]

#[cfg(feature = "library")]
mod library;
#[path = "../../measure/src/stats/mod.rs"]
mod stats;

use chronoscope_model::histogram::{Histogram, LONGEST, empty};
use chronoscope_model::quantile::Intervals;
use fastrand::Rng;
use stats::estimate::Estimator;
use stats::{Summary, quantile, tick};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The samples, and the figures of the last estimate.
static HELD: Mutex<(Vec<f64>, Vec<f64>)> = Mutex::new((Vec::new(), Vec::new()));

fn held() -> MutexGuard<'static, (Vec<f64>, Vec<f64>)> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the figures of an estimate, and returns how many there are: none if there was none. The
/// samples are gone.
fn answered(estimate: impl FnOnce(&[f64]) -> Option<Vec<f64>>) -> usize {
    let mut held = held();
    held.1 = estimate(&held.0).unwrap_or_default();
    held.0.clear();
    held.1.len()
}

/// Adds a sample.
#[unsafe(no_mangle)]
pub extern "C" fn put(sample: f64) {
    held().0.push(sample);
}

/// A figure of the last estimate; NaN if it has fewer.
#[unsafe(no_mangle)]
pub extern "C" fn figure(at: usize) -> f64 {
    held().1.get(at).copied().unwrap_or(f64::NAN)
}

/// The mode of the samples, which are in the order of their rounds, with its 95 % interval: value,
/// low, high. `quantum` is the step in which samples can differ.
#[unsafe(no_mangle)]
pub extern "C" fn mode(quantum: f64, seed: u32) -> usize {
    answered(|samples| {
        let estimator = Estimator { quantum, lower: false };
        let mut rng = Rng::with_seed(seed.into());
        let found = estimator.estimate(samples, &mut rng)?;
        Some(vec![found.value, found.low, found.high])
    })
}

/// Minimum, median, median absolute deviation, 99th percentile, maximum, mean, standard deviation.
#[unsafe(no_mangle)]
pub extern "C" fn summary() -> usize {
    answered(|samples| {
        let s = Summary::of(samples)?;
        Some(vec![s.min, s.median, s.mad, s.p99, s.max, s.mean, s.sd])
    })
}

/// A quantile of the samples.
#[unsafe(no_mangle)]
pub extern "C" fn share(of: f64) -> usize {
    answered(|samples| {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(vec![quantile(&sorted, of)?])
    })
}

/// The histogram of the samples, overshoots in whole nanoseconds, and the intervals of its
/// percentiles, as a row of waits has them: the number of bytes of that JSON, which `figure` gives
/// one by one. An early end counts as 0.
#[unsafe(no_mangle)]
pub extern "C" fn overshoots() -> usize {
    answered(|samples| {
        let mut hdr = empty();
        let whole = samples.iter().map(|sample| (sample.max(0.0).round() as u64).min(LONGEST));
        whole.clone().for_each(|ns| hdr.saturating_record(ns));
        let largest = whole.max()?;
        let histogram = Histogram::of(&hdr).capped(largest);
        let intervals = Intervals::of(&hdr, 0).capped(largest);
        let text = serde_json::to_string(&(histogram, intervals)).ok()?;
        Some(text.bytes().map(f64::from).collect())
    })
}

/// The tick that the samples, whole numbers, have in common, and the share of those above zero that
/// it divides.
#[unsafe(no_mangle)]
pub extern "C" fn common_tick() -> usize {
    answered(|samples| {
        let deltas: Vec<u64> = samples.iter().map(|delta| *delta as u64).collect();
        let found = tick::tick(&deltas)?;
        Some(vec![found.fractional.unwrap_or(found.ticks as f64), found.support])
    })
}
