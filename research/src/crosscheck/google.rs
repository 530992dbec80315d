//! Builds and runs Google Benchmark on the calls of `research/crosscheck/calls.hpp`.

use super::{Figures, folder};
use crate::paired::report;
use anyhow::{Context, Result, bail};
use chronoscope_ci::sh;
use serde_json::Value;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Repetitions per round; the cheapest counts.
const REPETITIONS: usize = 5;

pub fn build(sh: &Shell) -> Result<PathBuf> {
    let program = folder().join("google");
    sh.create_dir(folder())?;
    let options = ["-O2", "-std=c++17", "-Wall", "-Wextra"];
    let source = "research/crosscheck/google.cpp";
    sh::run(cmd!(sh, "g++ {options...} -o {program} {source} -lbenchmark -lpthread"))?;
    Ok(program)
}

/// The cheapest repetition of each call, in nanoseconds.
pub fn measure(sh: &Shell, program: &Path, cpu: usize) -> Result<Figures> {
    let pinned = sh::words(sh, sh::pinned(cpu)).arg(program);
    cheapest(&report(
        pinned
            .args(["--benchmark_format=json", "--benchmark_min_time=0.05"])
            .arg("--benchmark_enable_random_interleaving=true")
            .arg(format!("--benchmark_repetitions={REPETITIONS}")),
    )?)
}

fn cheapest(report: &Value) -> Result<Figures> {
    let mut of = Figures::new();
    for benchmark in report["benchmarks"].as_array().context("no benchmarks")? {
        // The others are means and deviations over the repetitions.
        if benchmark["run_type"] != "iteration" {
            continue;
        }
        let name = benchmark["run_name"].as_str().context("a benchmark without a name")?;
        let scale = match benchmark["time_unit"].as_str() {
            Some("ns") => 1.0,
            Some("us") => 1e3,
            other => bail!("{name}: unexpected time unit {other:?}"),
        };
        let time = benchmark["real_time"].as_f64().context("a benchmark without a time")? * scale;
        let least = of.entry(name.to_owned()).or_insert(time);
        *least = least.min(time);
    }
    Ok(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_cheapest_repetition_counts() {
        let of = cheapest(&json!({"benchmarks": [
            {"run_name": "a", "run_type": "iteration", "real_time": 3.0, "time_unit": "ns"},
            {"run_name": "a", "run_type": "iteration", "real_time": 2.0, "time_unit": "ns"},
            {"run_name": "a", "run_type": "aggregate", "real_time": 1.0, "time_unit": "ns"},
            {"run_name": "b", "run_type": "iteration", "real_time": 1.5, "time_unit": "us"}
        ]}))
        .unwrap();
        assert_eq!((of["a"], of["b"]), (2.0, 1500.0));
        assert!(cheapest(&json!({})).is_err());
    }
}
