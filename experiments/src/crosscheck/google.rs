//! Google Benchmark.

use super::run::{Run, folder};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xshell::{Shell, cmd};
use xtask::sh;

/// Repetitions per round; the cheapest counts.
const REPETITIONS: usize = 5;

#[derive(Deserialize)]
struct Report {
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    run_name: String,
    run_type: String,
    /// Per iteration.
    real_time: f64,
    time_unit: String,
}

pub fn build(sh: &Shell) -> Result<PathBuf> {
    let program = folder().join("google");
    sh.create_dir(folder())?;
    let options = ["-O2", "-std=c++17", "-Wall", "-Wextra"];
    let source = "experiments/crosscheck/google.cpp";
    sh::run(cmd!(sh, "g++ {options...} -o {program} {source} -lbenchmark -lpthread"))?;
    Ok(program)
}

/// The cheapest repetition of each call, in nanoseconds.
pub fn measure(sh: &Shell, program: &Path, cpu: usize) -> Result<Run<f64>> {
    let start = Instant::now();
    let pinned = sh::words(sh, sh::pinned(cpu)).arg(program);
    let text = sh::read(
        pinned
            .args(["--benchmark_format=json", "--benchmark_min_time=0.05"])
            .arg("--benchmark_enable_random_interleaving=true")
            .arg(format!("--benchmark_repetitions={REPETITIONS}")),
    )?;
    Ok(Run { of: cheapest(&text)?, time: start.elapsed() })
}

fn cheapest(text: &str) -> Result<BTreeMap<String, f64>> {
    let report: Report =
        serde_json::from_str(text).context("cannot read Google Benchmark's report")?;
    let mut of = BTreeMap::new();
    for benchmark in report.benchmarks {
        // The others are means and deviations over the repetitions.
        if benchmark.run_type != "iteration" {
            continue;
        }
        let scale = match benchmark.time_unit.as_str() {
            "ns" => 1.0,
            "us" => 1e3,
            other => anyhow::bail!("{}: unexpected time unit {other}", benchmark.run_name),
        };
        let time = benchmark.real_time * scale;
        of.entry(benchmark.run_name)
            .and_modify(|least: &mut f64| *least = least.min(time))
            .or_insert(time);
    }
    Ok(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_repetition_counts() {
        let text = r#"{"benchmarks": [
            {"run_name": "a", "run_type": "iteration", "real_time": 3.0, "time_unit": "ns"},
            {"run_name": "a", "run_type": "iteration", "real_time": 2.0, "time_unit": "ns"},
            {"run_name": "a", "run_type": "aggregate", "real_time": 1.0, "time_unit": "ns"},
            {"run_name": "b", "run_type": "iteration", "real_time": 1.5, "time_unit": "us"}
        ]}"#;
        let of = cheapest(text).unwrap();
        assert_eq!(of["a"], 2.0);
        assert_eq!(of["b"], 1500.0);
        assert!(cheapest("{}").is_err());
    }
}
