//! Default runs of `chronoscope runtimes` with four runtimes, one after the other: the intervals
//! must be narrow, and those of neighbouring runs must meet.

use crate::paired::{Tool, report};
use crate::results::{self, median};
use anyhow::{Result, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{runtimes, sh};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Instant;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Number of runs
    #[arg(default_value_t = 20)]
    runs: usize,
    #[command(flatten)]
    tool: Tool,
    /// Print the result without updating docs/RESULTS.md
    #[arg(long)]
    dry_run: bool,
}

const RUNTIMES: [&str; 4] = ["python", "node", "java", "go"];
/// Half an interval may be this share of the cost, in all but one of twenty runs.
const WIDEST: f64 = 0.05;
/// The share of wide intervals, and of pairs apart, that is accepted.
const ACCEPTED: f64 = 0.05;

/// A cost with the distances to the ends of its interval.
#[derive(Clone, Copy, Debug)]
struct Cost {
    value: f64,
    below: f64,
    above: f64,
    processes: usize,
}

impl Cost {
    fn from_estimate(estimate: &Value) -> Option<Self> {
        let number = |key: &str| estimate[key].as_f64();
        let value = number("value_ns")?;
        let (below, above) = (value - number("low_ns")?, number("high_ns")? - value);
        let processes = estimate["by_process"].as_array().map_or(0, Vec::len);
        Some(Self { value, below, above, processes })
    }

    fn half(&self) -> f64 {
        self.below.max(self.above) / self.value
    }

    /// The rule of Goldstein and Healy (1995, *The graphical presentation of a collection of
    /// means*): two figures differ if they are further apart than the distances to their facing
    /// ends, added in quadrature.
    fn is_apart(&self, other: &Self) -> bool {
        let (low, high) = if self.value <= other.value { (self, other) } else { (other, self) };
        high.value - low.value > low.above.hypot(high.below)
    }
}

/// The costs of each clock, one for each run that measured it.
#[derive(Default)]
struct Runs {
    of: BTreeMap<String, Vec<Cost>>,
    limits: BTreeMap<String, BTreeSet<String>>,
}

impl Runs {
    fn add(&mut self, report: &Value) {
        for runtime in report["runtimes"].as_array().into_iter().flatten() {
            for clock in runtime["clocks"].as_array().into_iter().flatten() {
                let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let id = format!("{}/{}", word(&runtime["id"]), word(&clock["id"]));
                if let Some(cost) = Cost::from_estimate(&clock["throughput"]) {
                    let limits = self.limits.entry(id.clone()).or_default();
                    limits.extend(clock["limited_by"].as_str().map(|by| by.replace('-', " ")));
                    self.of.entry(id).or_default().push(cost);
                }
            }
        }
    }
}

/// Counts of what must be rare.
#[derive(Default)]
struct Counts {
    costs: usize,
    wide: usize,
    pairs: usize,
    apart: usize,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    ensure!(args.runs > 1, "two runs are needed to compare neighbours");
    packages::require(sh, &[Need::Runtimes])?;
    let tool = args.tool.get(sh)?;
    let (mut all, mut machine) = (Runs::default(), String::new());
    let begin = Instant::now();
    for nth in 1..=args.runs {
        let command = sh::words(sh, [&tool]).arg("runtimes").args(RUNTIMES);
        let command = command.args(["--json", "--quiet"]).env("PATH", runtimes::path()?);
        let report = report(command)?;
        machine = results::machine(&report);
        all.add(&report);
        println!("{nth} of {}", args.runs);
    }
    let each = begin.elapsed().as_secs_f64() / args.runs as f64;
    let (table, counts) = table(&all)?;
    let load = sh.read_file("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
    let Counts { costs, wide, pairs, apart } = counts;
    let part = format!(
        "## Runtimes, one run after the other\n\n\
         `cargo research runtimes-repeat {}`: {machine}; load average over five minutes at the \
         end: {load}. Each run is `chronoscope runtimes {}` without options, {each:.0} s. *Within \
         5 %* are the runs whose interval is at most ±5 %. Two neighbouring runs are apart if \
         their costs differ by more than the distances to the facing ends of their intervals, \
         added in quadrature (Goldstein and Healy 1995).\n\n\
         {table}\n{} of {costs} intervals are within ±5 %, and {apart} of {pairs} neighbouring \
         pairs are apart.\n",
        args.runs,
        RUNTIMES.join(" "),
        costs - wide,
    );
    results::publish(sh, "runtimes-repeat", &part, args.dry_run)?;
    for (count, of, what) in [(wide, costs, "intervals are wider"), (apart, pairs, "pairs apart")] {
        let most = ACCEPTED * of as f64;
        ensure!(count as f64 <= most, "{count} of {of} {what}; at most {most:.0} may be");
    }
    Ok(())
}

fn table(all: &Runs) -> Result<(String, Counts)> {
    let mut text = String::from(
        "| clock | median, ns | farthest run | half-width, median | within ±5 % | pairs apart \
         | fewest processes | limited by |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    let mut counts = Counts::default();
    for (id, costs) in &all.of {
        let middle = median(costs.iter().map(|cost| cost.value))?;
        let far = costs.iter().map(|cost| (cost.value / middle - 1.0).abs()).fold(0.0, f64::max);
        let half = median(costs.iter().map(Cost::half))?;
        let wide = costs.iter().filter(|cost| cost.half() > WIDEST).count();
        let apart = costs.windows(2).filter(|pair| pair[0].is_apart(&pair[1])).count();
        let fewest = costs.iter().map(|cost| cost.processes).min().unwrap_or_default();
        let limits = all.limits.get(id).into_iter().flatten().cloned().collect::<Vec<_>>();
        let (runs, pairs) = (costs.len(), costs.len() - 1);
        writeln!(
            text,
            "| `{id}` | {middle:.2} | {:.1} % | ±{:.1} % | {} of {runs} | {apart} of {pairs} \
             | {fewest} | {} |",
            far * 100.0,
            half * 100.0,
            runs - wide,
            limits.join(", ")
        )?;
        counts.costs += runs;
        counts.wide += wide;
        counts.pairs += pairs;
        counts.apart += apart;
    }
    ensure!(counts.pairs > 0, "no clock was measured twice");
    Ok((text, counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_facing_ends_decide_whether_two_runs_are_apart() {
        let cost = |value, below, above| Cost { value, below, above, processes: 6 };
        assert!(!cost(10.0, 0.0, 0.4).is_apart(&cost(10.5, 0.4, 0.0)));
        assert!(cost(10.0, 9.0, 0.3).is_apart(&cost(10.5, 0.3, 9.0)));
        assert!(cost(10.5, 0.3, 9.0).is_apart(&cost(10.0, 9.0, 0.3)));
    }

    #[test]
    fn wide_intervals_and_pairs_apart_are_counted() {
        let run = |value: f64, half: f64| {
            let cost = json!({"value_ns": value, "low_ns": value - half, "high_ns": value + half,
                              "by_process": [value, value]});
            json!({"runtimes": [{"id": "go", "clocks": [
                {"id": "now", "throughput": cost, "limited_by": "two-states"}]}]})
        };
        let mut all = Runs::default();
        for (value, half) in [(20.0, 0.2), (20.1, 0.2), (23.0, 0.2), (23.0, 3.0)] {
            all.add(&run(value, half));
        }
        let (text, counts) = table(&all).unwrap();
        assert_eq!((counts.costs, counts.wide, counts.pairs, counts.apart), (4, 1, 3, 1));
        assert!(text.contains("| `go/now` | 21.55 |") && text.contains("| two states |"), "{text}");
        assert!(table(&Runs::default()).is_err());
    }
}
