//! Consecutive complete runs of the tool must agree: neighbouring runs measure the same clocks, so
//! at most 5 % of their intervals may fail to overlap. Since infinitely wide intervals always
//! overlap, the intervals must be narrow as well.

use crate::paired::report;
use crate::results::{self, median};
use anyhow::{Result, ensure};
use chronoscope_ci::tool;
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

/// Clocks that are read in user mode, and the greatest half-width of an interval that is accepted
/// for them, as a share of the cost.
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
const KERNEL: (&[&str], f64) =
    (&["linux/monotonic-syscall", "linux/tai-syscall", "posix/thread-cputime"], 0.02);

/// The share of neighbouring pairs that may be apart.
const APART: f64 = 0.05;

#[derive(Clone, Copy)]
struct Cost {
    value: f64,
    low: f64,
    high: f64,
}

/// The costs that several runs measured.
#[derive(Default)]
pub struct Runs {
    of: BTreeMap<String, Vec<Cost>>,
    /// Costs that the tool itself marked as those of a shared core.
    pub shared: usize,
    /// The machine that was measured.
    pub machine: String,
}

impl Runs {
    pub fn add(&mut self, report: &Value) {
        self.machine = results::machine(report);
        for clock in report["clocks"].as_array().into_iter().flatten() {
            let cost = &clock["cost"]["throughput"];
            if cost["only_shared"] == Value::Bool(true) {
                self.shared += 1;
                continue;
            }
            let number = |key: &str| cost[key].as_f64();
            let figures = number("value_ns").zip(number("low_ns").zip(number("high_ns")));
            if let (Some(id), Some((value, (low, high)))) = (clock["id"].as_str(), figures) {
                let of = self.of.entry(id.into()).or_default();
                of.push(Cost { value, low, high });
            }
        }
    }
}

/// How far neighbouring runs agree.
#[derive(Default)]
pub struct Agreement {
    rows: String,
    pairs: usize,
    apart: usize,
}

impl Runs {
    /// The clocks that any of the runs measured.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }

    /// Adds a row for this clock, and returns the median half-width of its intervals as a share of
    /// the cost; none if fewer than two runs measured it.
    pub fn compare(&self, id: &str, agreement: &mut Agreement) -> Result<Option<f64>> {
        let Some(runs) = self.of.get(id).filter(|runs| runs.len() > 1) else {
            return Ok(None);
        };
        let middle = median(runs.iter().map(|cost| cost.value))?;
        let half = median(runs.iter().map(|c| (c.high - c.low) / 2.0 / c.value))?;
        let far = runs.iter().map(|cost| (cost.value / middle - 1.0).abs());
        let far = far.fold(0.0, f64::max);
        let pairs = runs.len() - 1;
        let apart = runs.windows(2).filter(|pair| are_apart(pair[0], pair[1])).count();
        agreement.rows += &format!(
            "| `{id}` | {middle:.3} | {:.2} % | ±{:.2} % | {apart} of {pairs} |\n",
            far * 100.0,
            half * 100.0
        );
        agreement.pairs += pairs;
        agreement.apart += apart;
        Ok(Some(half))
    }
}

impl Agreement {
    pub fn table(&self) -> String {
        let Self { rows, pairs, apart } = self;
        format!(
            "| clock | median, ns | farthest run | half-width, median | pairs apart |\n\
             | --- | ---: | ---: | ---: | ---: |\n{rows}\n{apart} of {pairs} pairs are apart.\n"
        )
    }

    /// # Errors
    /// More pairs are apart than may be.
    pub fn check(&self) -> Result<()> {
        let Self { pairs, apart, .. } = self;
        let share = APART * *pairs as f64;
        // Plus twice the standard error of that many comparisons.
        let limit = share + 2.0 * (share * (1.0 - APART)).sqrt();
        let agree = *pairs > 0 && *apart as f64 <= limit;
        ensure!(agree, "{apart} of {pairs} pairs are apart; at most {limit:.0} may be");
        Ok(())
    }
}

/// Makes the runs, writes a line per clock into docs/RESULTS.md, and fails if they disagree too
/// often.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    let ids = &[USER.0, KERNEL.0].concat();
    let mut all = Runs::default();
    for _ in 0..args.runs {
        let options = ["--json", "--quiet", "--budget", &args.budget];
        all.add(&report(cmd!(sh, "{tool} clocks {ids...} {options...}"))?);
    }
    let mut agreement = Agreement::default();
    let mut wide = Vec::new();
    for (ids, widest) in [USER, KERNEL] {
        for id in ids {
            match all.compare(id, &mut agreement)? {
                None => println!("{id}: not measured"),
                Some(half) if half > widest => wide.push(*id),
                Some(_) => {}
            }
        }
    }
    let Runs { shared, machine, .. } = all;
    let load = sh.read_file("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
    let (runs, budget) = (args.runs, &args.budget);
    let part = format!(
        "## Complete runs, one after the other\n\n`cargo research aa {runs} --budget {budget}`: \
         {machine}; load average {load}. Pairs are neighbouring runs of the whole tool; they are \
         apart if their intervals do not overlap, which 5 % may be. {shared} costs of a shared \
         core are left out.\n\n\
         {}",
        agreement.table()
    );
    results::publish(sh, "aa", &part, false)?;
    ensure!(wide.is_empty(), "the intervals of {} are too wide", wide.join(", "));
    agreement.check()
}

fn are_apart(a: Cost, b: Cost) -> bool {
    a.high < b.low || b.high < a.low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_touch_are_not_apart() {
        let cost = |low, high| Cost { value: (low + high) / 2.0, low, high };
        assert!(!are_apart(cost(1.0, 2.0), cost(2.0, 3.0)));
        assert!(are_apart(cost(1.0, 2.0), cost(2.1, 3.0)));
        assert!(are_apart(cost(2.1, 3.0), cost(1.0, 2.0)));
    }
}
