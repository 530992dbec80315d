//! criterion with its default settings, in a separate crate: `research/crosscheck/criterion`.

use super::{Figures, folder, percent};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Cmd, Shell};

/// `cargo bench`, with the words of `before` in front.
fn bench<'a>(sh: &'a Shell, before: &[String]) -> Cmd<'a> {
    let manifest = "research/crosscheck/criterion/Cargo.toml";
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

/// The half-width of each call's interval, in percent.
pub fn measure(sh: &Shell, cpu: usize) -> Result<Figures> {
    sh.remove_path(home())?;
    // The measurement has one thread; only the analysis would use more CPUs. The comparison needs
    // no plots.
    sh::run(bench(sh, &sh::pinned(cpu)).args(["--", "--noplot"]))?;
    let mut of = Figures::new();
    let mut folders = vec![home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("new/estimates.json") {
                let about = json(&path.with_file_name("benchmark.json"))?;
                let id = about["full_id"].as_str();
                let id = id.context("criterion wrote a benchmark without a name")?;
                of.insert(id.to_owned(), half_width(&json(&path)?)?);
            }
        }
    }
    ensure!(!of.is_empty(), "criterion wrote no estimates");
    Ok(of)
}

fn json(path: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// The slope is absent if all samples had the same number of iterations.
fn half_width(estimates: &Value) -> Result<f64> {
    let of = if estimates["slope"].is_null() { &estimates["mean"] } else { &estimates["slope"] };
    let bounds = &of["confidence_interval"];
    let all = [&bounds["lower_bound"], &of["point_estimate"], &bounds["upper_bound"]];
    let [low, value, high] = all.map(Value::as_f64);
    low.zip(value)
        .zip(high)
        .map(|((low, value), high)| percent(low, value, high))
        .context("no estimate")
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
        assert_eq!(half_width(&both).unwrap(), 5.0);
        assert_eq!(half_width(&json!({"mean": one(10.0), "slope": null})).unwrap(), 10.0);
        assert!(half_width(&json!({})).is_err());
    }
}
