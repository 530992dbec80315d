//! criterion, at its defaults: a crate of its own in `xtask/crosscheck/criterion`.

use super::{Interval, Run, folder};
use crate::sh;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Deserialize)]
struct Estimates {
    /// Absent where all samples had the same number of iterations.
    slope: Option<Estimate>,
    mean: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    confidence_interval: Bounds,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct Bounds {
    lower_bound: f64,
    upper_bound: f64,
}

fn cargo() -> std::process::Command {
    let mut cargo = sh::cargo();
    cargo
        .current_dir(sh::root().join("xtask/crosscheck/criterion"))
        .env("CRITERION_HOME", home())
        .args(["bench", "--quiet", "--locked", "--target-dir"])
        .arg(folder().join("criterion"));
    cargo
}

fn home() -> PathBuf {
    folder().join("criterion-home")
}

pub fn build() -> Result<()> {
    sh::run(cargo().arg("--no-run"))
}

pub fn measure(cpu: usize) -> Result<Run<Interval>> {
    if home().exists() {
        fs::remove_dir_all(home())?;
    }
    let start = Instant::now();
    // The measurement is single-threaded; only the analysis would use more processors.
    let cargo = cargo();
    let mut pinned = sh::program("taskset");
    pinned
        .args(["--cpu-list", &cpu.to_string()])
        .arg(cargo.get_program())
        .args(cargo.get_args())
        // Pictures are not part of the comparison.
        .args(["--", "--noplot"])
        .env("CRITERION_HOME", home());
    pinned.current_dir(sh::root().join("xtask/crosscheck/criterion"));
    sh::run(&mut pinned)?;
    let time = start.elapsed();
    let of = read(&home())?;
    if of.is_empty() {
        bail!("criterion left no estimates");
    }
    Ok(Run { of, time })
}

/// Everything that criterion wrote.
fn read(home: &Path) -> Result<BTreeMap<String, Interval>> {
    let mut of = BTreeMap::new();
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("new/estimates.json") {
                let about = fs::read_to_string(path.with_file_name("benchmark.json"))?;
                let about: Value = serde_json::from_str(&about)?;
                let id = about["full_id"]
                    .as_str()
                    .context("a benchmark without a name")?;
                of.insert(id.to_owned(), estimate(&fs::read_to_string(&path)?)?);
            }
        }
    }
    Ok(of)
}

fn estimate(text: &str) -> Result<Interval> {
    let Estimates { slope, mean } = serde_json::from_str(text).context("criterion's estimates")?;
    let Estimate {
        confidence_interval,
        point_estimate,
    } = slope.unwrap_or(mean);
    Ok(Interval {
        value: point_estimate,
        low: confidence_interval.lower_bound,
        high: confidence_interval.upper_bound,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_preferred() {
        let one = |v: f64| {
            format!(
                r#"{{"confidence_interval":{{"lower_bound":{},"upper_bound":{}}},"point_estimate":{v}}}"#,
                v - 1.0,
                v + 1.0
            )
        };
        let both = format!(r#"{{"mean":{},"slope":{}}}"#, one(10.0), one(20.0));
        assert_eq!(estimate(&both).unwrap().value, 20.0);
        let mean = format!(r#"{{"mean":{},"slope":null}}"#, one(10.0));
        let mean = estimate(&mean).unwrap();
        assert_eq!((mean.value, mean.percent()), (10.0, 10.0));
        assert!(estimate("{}").is_err());
    }
}
