//! criterion with its default settings, in a separate crate: `experiments/crosscheck/criterion`.

use super::run::{Interval, Run, folder};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xshell::{Cmd, Shell};
use xtask::sh;

#[derive(Deserialize)]
struct Estimates {
    /// Absent if all samples had the same number of iterations.
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

/// `cargo bench`, prefixed with these words.
fn bench<'a>(sh: &'a Shell, before: &[String]) -> Cmd<'a> {
    let manifest = "experiments/crosscheck/criterion/Cargo.toml";
    let words = before.iter().map(String::as_str).chain(["cargo", "bench"]);
    sh::words(sh, words)
        .env("CRITERION_HOME", home())
        .args(["--quiet", "--locked", "--manifest-path", manifest])
        .arg("--target-dir")
        .arg(folder().join("criterion"))
}

fn home() -> PathBuf {
    folder().join("criterion-home")
}

pub fn build(sh: &Shell) -> Result<()> {
    sh::run(bench(sh, &[]).arg("--no-run"))
}

pub fn measure(sh: &Shell, cpu: usize) -> Result<Run<Interval>> {
    sh.remove_path(home())?;
    let start = Instant::now();
    // The measurement has one thread; only the analysis would use more CPUs. The comparison needs
    // no plots.
    sh::run(bench(sh, &sh::pinned(cpu)).args(["--", "--noplot"]))?;
    let time = start.elapsed();
    let of = read(&home())?;
    if of.is_empty() {
        bail!("criterion wrote no estimates");
    }
    Ok(Run { of, time })
}

/// Reads all estimates that criterion wrote.
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
                    .context("criterion wrote a benchmark without a name")?;
                of.insert(id.to_owned(), estimate(&fs::read_to_string(&path)?)?);
            }
        }
    }
    Ok(of)
}

fn estimate(text: &str) -> Result<Interval> {
    let Estimates { slope, mean } =
        serde_json::from_str(text).context("cannot read criterion's estimates")?;
    let Estimate { confidence_interval, point_estimate } = slope.unwrap_or(mean);
    Ok(Interval {
        value: point_estimate,
        low: confidence_interval.lower_bound,
        high: confidence_interval.upper_bound,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_slope_is_preferred() {
        let one = |v: f64| {
            let bounds = json!({"lower_bound": v - 1.0, "upper_bound": v + 1.0});
            json!({"confidence_interval": bounds, "point_estimate": v})
        };
        let both = json!({"mean": one(10.0), "slope": one(20.0)});
        assert_eq!(estimate(&both.to_string()).unwrap().value, 20.0);
        let mean = json!({"mean": one(10.0), "slope": null});
        let mean = estimate(&mean.to_string()).unwrap();
        assert_eq!((mean.value, mean.percent()), (10.0, 10.0));
        assert!(estimate("{}").is_err());
    }
}
