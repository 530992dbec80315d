//! Compares other people's crates with their own clocks and with ours: `research/adapters`, a
//! workspace of its own.

use crate::results::{self, median};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use serde_json::Value;
use std::fmt::Write;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Take half a minute instead of five, and only print the results instead of updating
    /// docs/RESULTS.md
    #[arg(long)]
    quick: bool,
}

/// Runs of each comparison, each in a process of its own; the table shows medians.
const RUNS: usize = 5;

/// Calls that are compared: the name of the comparison, and what one call is.
const CALLS: [(&str, &str); 4] = [
    ("stamps", "tracing-subscriber: a timestamp"),
    ("lines", "tracing-subscriber: a line"),
    ("spans", "tracing-subscriber: a span and its time"),
    ("checks", "governor: `check()`, which allows it"),
];

/// Timers of a millisecond.
const TIMERS: [(&str, &str); 2] =
    [("async-io", "async-io"), ("embassy", "embassy-time, one task on an executor of ours")];

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let target = sh::target().join("adapters");
    let build = ["--quiet", "--release", "--locked", "--manifest-path"];
    let manifest = "research/adapters/Cargo.toml";
    sh::run(cmd!(sh, "cargo build {build...} {manifest} --target-dir {target}"))?;
    let compare = |what: &str, count: usize| -> Result<Vec<Row>> {
        let (program, count) = (target.join("release/adapters"), count.to_string());
        let runs = (0..if args.quick { 1 } else { RUNS })
            .map(|_| rows(&sh::read(cmd!(sh, "{program} {what} {count}"))?));
        merged(&runs.collect::<Result<Vec<_>>>()?)
    };
    let of = |long, short| if args.quick { short } else { long };
    let mut part = format!(
        "## Other people's crates, with their own clocks and with ours\n\n{}`cargo research \
         adapters`. All rows of a comparison take turns within one process; each figure is the \
         median of {RUNS} processes. A ratio is to the first row of its comparison.\n\n\
         | call | clock | ns, least batch | ns, median | ratio |\n\
         | --- | --- | ---: | ---: | ---: |\n",
        results::this_machine(sh)
    );
    for (name, what) in CALLS {
        for row in compare(name, of(4000, 400))? {
            let [lowest, middle, ratio] =
                row.figures(["lowest_ns", "median_ns", "median_ratio"])?;
            writeln!(part, "| {what} | {} | {lowest:.1} | {middle:.1} | {ratio:.2} |", row.name)?;
        }
    }
    part += "\nThe mean that criterion states for six divisions, if many calls are between two \
             reads of the clock (`iter`), and if one is (`BatchSize::PerIteration`).\n\n\
             | measurement | many | one | added by the clock |\n| --- | ---: | ---: | ---: |\n";
    for row in compare("benchmarks", 1)? {
        let [many, one] = row.figures(["many_ns", "one_ns"])?;
        writeln!(part, "| {} | {many:.1} ns | {one:.1} ns | {:.1} ns |", row.name, one - many)?;
    }
    part += "\nHow late timers of 1 ms end, and the CPU time of all threads for each.\n\n\
             | crate | timer | p50 | p90 | p99 | CPU time |\n\
             | --- | --- | ---: | ---: | ---: | ---: |\n";
    for (name, what) in TIMERS {
        for row in compare(name, of(2000, 200))? {
            let us = row.figures(["p50_ns", "p90_ns", "p99_ns", "cpu_ns"])?.map(|ns| ns / 1000.0);
            let [p50, p90, p99, cpu] = us.map(|us| format!("{us:.1} us"));
            writeln!(part, "| {what} | {} | {p50} | {p90} | {p99} | {cpu} |", row.name)?;
        }
    }
    results::publish(sh, "adapters", &part, args.quick)
}

/// What was measured of one way to do something.
struct Row {
    name: String,
    figures: Value,
}

impl Row {
    fn figures<const N: usize>(&self, keys: [&str; N]) -> Result<[f64; N]> {
        let mut figures = [0.0; N];
        for (figure, key) in figures.iter_mut().zip(keys) {
            *figure = self.figures[key].as_f64().with_context(|| format!("no {key}"))?;
        }
        Ok(figures)
    }
}

/// The rows among what a program prints; criterion prints its own reports as well.
fn rows(text: &str) -> Result<Vec<Value>> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    let rows = lines.map(|line| serde_json::from_str(line).with_context(|| format!("`{line}`")));
    rows.collect()
}

/// The median of each figure over all runs.
fn merged(runs: &[Vec<Value>]) -> Result<Vec<Row>> {
    let first = runs.first().filter(|rows| !rows.is_empty()).context("nothing was measured")?;
    ensure!(runs.iter().all(|rows| rows.len() == first.len()), "runs of different rows");
    let row = |(at, row): (usize, &Value)| {
        let name = row["name"].as_str().context("a row without a name")?.to_owned();
        let mut figures = row.clone();
        for (key, figure) in figures.as_object_mut().into_iter().flatten() {
            if figure.is_number() {
                *figure = median(runs.iter().filter_map(|rows| rows[at][key].as_f64()))?.into();
            }
        }
        Ok(Row { name, figures })
    };
    first.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_merged_by_their_medians() {
        let run = |ns: f64| format!("Benchmarking\n{{\"name\": \"a\", \"ns\": {ns}}}\n");
        let runs: Vec<_> = [3.0, 1.0, 2.0].map(|ns| rows(&run(ns)).unwrap()).into();
        let [row] = &merged(&runs).unwrap()[..] else { panic!() };
        assert_eq!((row.name.as_str(), row.figures(["ns"]).unwrap()), ("a", [2.0]));
        assert!(row.figures(["none"]).is_err());
        assert!(merged(&[rows("").unwrap()]).is_err());
    }
}
