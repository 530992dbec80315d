//! What criterion states for a function of some 20 ns.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use chronoscope_adapters::criterion::CounterTime;
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
    let file = fs::read(folder.join(name).join("new/estimates.json"))?;
    let estimates: serde_json::Value = serde_json::from_slice(&file)?;
    estimates["mean"]["point_estimate"].as_f64().context("criterion states no mean")
}
