//! What criterion states for a function of some 20 ns.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use chronoscope_adapters::criterion::{CounterTime, Undisturbed};
use criterion::measurement::{Measurement, WallTime};
use criterion::{BatchSize, Criterion};
use serde::Serialize;

/// The mean that criterion states, in nanoseconds.
#[derive(Serialize)]
pub struct Row {
    name: &'static str,
    /// Many calls between two reads of the clock.
    many_ns: f64,
    /// One call between two reads.
    one_ns: f64,
}

/// Six divisions, each of the quotient of the one before.
fn work(value: u64) -> u64 {
    (0..6).fold(value, |value, _| black_box(value) / 3 + 1)
}

/// Benchmarks with each measurement in turn.
pub fn run(rounds: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for _ in 0..rounds {
        rows.push(measure("`WallTime`", WallTime)?);
        rows.push(measure("`CounterTime`", CounterTime)?);
    }
    Ok(rows)
}

fn measure<M: Measurement + 'static>(name: &'static str, measurement: M) -> Result<Row> {
    let folder = std::env::temp_dir().join(format!("chronoscope-{}", std::process::id()));
    let mut criterion = Criterion::default()
        .with_measurement(measurement)
        .without_plots()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .output_directory(&folder);
    criterion.bench_function("many", |bencher| bencher.iter(|| work(black_box(u64::MAX))));
    criterion.bench_function("one", |bencher| {
        bencher.iter_batched(|| black_box(u64::MAX), work, BatchSize::PerIteration);
    });
    let row = Row { name, many_ns: mean(&folder, "many")?, one_ns: mean(&folder, "one")? };
    fs::remove_dir_all(folder)?;
    Ok(row)
}

fn mean(folder: &Path, name: &str) -> Result<f64> {
    estimate(folder, name, "mean")
}

fn estimate(folder: &Path, name: &str, which: &str) -> Result<f64> {
    let file = fs::read(folder.join(name).join("new/estimates.json"))?;
    let estimates: serde_json::Value = serde_json::from_slice(&file)?;
    estimates[which]["point_estimate"].as_f64().with_context(|| format!("criterion: no {which}"))
}

/// The median that criterion states for a function of some 4 us.
#[derive(Serialize)]
pub struct Median {
    name: &'static str,
    median_ns: f64,
}

/// The medians of short runs, with and without what was disturbed in turn.
pub fn medians(runs: usize) -> Result<Vec<Median>> {
    let folder = std::env::temp_dir().join(format!("chronoscope-{}", std::process::id()));
    let longer = || (0..200).fold(u64::MAX, |value, _| work(black_box(value)));
    let mut rows = Vec::new();
    for _ in 0..runs {
        let mut criterion = Criterion::default()
            .without_plots()
            .sample_size(30)
            .nresamples(1001)
            .warm_up_time(Duration::from_millis(50))
            .measurement_time(Duration::from_millis(400))
            .output_directory(&folder);
        criterion.bench_function("plain", |bencher| bencher.iter(longer));
        criterion.bench_function("undisturbed", |bencher| bencher.iter_undisturbed(longer));
        for name in ["plain", "undisturbed"] {
            rows.push(Median { name, median_ns: estimate(&folder, name, "median")? });
        }
    }
    fs::remove_dir_all(folder)?;
    Ok(rows)
}
