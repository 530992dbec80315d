//! Consecutive complete runs of the tool must agree: neighbouring runs measure the same clocks, so
//! at most 5 % of their intervals may fail to overlap. Since infinitely wide intervals always
//! overlap, the intervals must be narrow as well.

use crate::{sh, tool};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of runs
    #[arg(default_value_t = 100)]
    runs: u32,
    /// Time for each run
    #[arg(long, default_value = "3s")]
    budget: String,
}

/// Clocks that are read in user mode, and half the widest interval that is accepted for them, as a
/// share of the cost.
const USER: (&[&str], f64) = (
    &[
        "chronoscope/instant",
        "posix/monotonic",
        "posix/realtime",
        "linux/monotonic-coarse",
        "rust/instant",
        "cxx/steady_clock",
        "c/time",
    ],
    0.01,
);
/// Clocks that are read through a system call.
const KERNEL: (&[&str], f64) = (
    &[
        "linux/monotonic-syscall",
        "linux/tai-syscall",
        "posix/thread-cputime",
    ],
    0.02,
);

/// The share of neighbouring pairs that may be apart.
const APART: f64 = 0.05;

#[derive(Clone, Copy)]
struct Cost {
    value: f64,
    low: f64,
    high: f64,
}

/// Makes the runs, prints a line per clock, and fails if they disagree too often.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    let ids = &[USER.0, KERNEL.0].concat();
    let mut costs: BTreeMap<String, Vec<Cost>> = BTreeMap::new();
    let mut shared = 0;
    for _ in 0..args.runs {
        let budget = &args.budget;
        let options = ["--json", "--quiet", "--budget", budget];
        let text = sh::read(cmd!(sh, "{tool} clocks {ids...} {options...}"))?;
        let report: Value = serde_json::from_str(&text).context("cannot read the report")?;
        for clock in report["clocks"].as_array().into_iter().flatten() {
            let cost = &clock["cost"]["throughput"];
            // The tool itself says that such a figure does not hold.
            if cost["only_shared"] == Value::Bool(true) {
                shared += 1;
                continue;
            }
            let number = |key: &str| cost[key].as_f64();
            let figures = number("value_ns").zip(number("low_ns").zip(number("high_ns")));
            if let (Some(id), Some((value, (low, high)))) = (clock["id"].as_str(), figures) {
                let of = costs.entry(id.into()).or_default();
                of.push(Cost { value, low, high });
            }
        }
    }
    let (mut pairs, mut apart, mut wide) = (0, 0, Vec::new());
    println!(
        "{:<26} {:>9}  from the median  half-width  pairs apart",
        "clock", "ns"
    );
    for (ids, widest) in [USER, KERNEL] {
        for id in ids {
            let Some(runs) = costs.get(*id).filter(|runs| runs.len() > 1) else {
                println!("{id:<26} not measured");
                continue;
            };
            let middle = median(runs.iter().map(|cost| cost.value));
            let far = runs.iter().map(|cost| (cost.value / middle - 1.0).abs());
            let far = far.fold(0.0, f64::max);
            let half = median(runs.iter().map(|c| (c.high - c.low) / 2.0 / c.value));
            let here = runs
                .windows(2)
                .filter(|pair| are_apart(pair[0], pair[1]))
                .count();
            let (far_percent, half_percent) = (far * 100.0, half * 100.0);
            println!(
                "{id:<26} {middle:>9.3}  {far_percent:>13.2} %  {half_percent:>8.2} %  {here:>4} of {}",
                runs.len() - 1
            );
            pairs += runs.len() - 1;
            apart += here;
            if half > widest {
                wide.push(*id);
            }
        }
    }
    println!(
        "{apart} of {pairs} neighbouring pairs are apart; {shared} costs of a shared core left out"
    );
    if !wide.is_empty() {
        bail!("the intervals of {} are too wide", wide.join(", "));
    }
    let share = APART * pairs as f64;
    // Plus twice the standard error of that many comparisons.
    let limit = share + 2.0 * (share * (1.0 - APART)).sqrt();
    if pairs == 0 || apart as f64 > limit {
        bail!("{apart} of {pairs} pairs are apart; at most {limit:.0} may be");
    }
    Ok(())
}

fn are_apart(a: Cost, b: Cost) -> bool {
    a.high < b.low || b.high < a.low
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_touch_are_not_apart() {
        let cost = |low, high| Cost {
            value: (low + high) / 2.0,
            low,
            high,
        };
        assert!(!are_apart(cost(1.0, 2.0), cost(2.0, 3.0)));
        assert!(are_apart(cost(1.0, 2.0), cost(2.1, 3.0)));
        assert!(are_apart(cost(2.1, 3.0), cost(1.0, 2.0)));
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
    }
}
