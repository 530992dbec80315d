//! Compares chronoscope's costs with those of Google Benchmark and criterion.
//!
//! All three time the same calls (`research/crosscheck/calls.hpp`) on the same CPU. chronoscope
//! and Google Benchmark alternate.

mod criterion;
mod google;

use crate::paired::{alternate, middle, report};
use crate::results::{self, median};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{sh, tool};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Number of rounds of chronoscope and Google Benchmark
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// CPU on which all tools run
    #[arg(long, default_value_t = 0)]
    cpu: usize,
    /// Skip criterion, which takes minutes
    #[arg(long)]
    quick: bool,
    /// Print the result without updating docs/RESULTS.md
    #[arg(long)]
    dry_run: bool,
}

/// The ids of the calls in the catalogue, in the order of `calls.hpp`.
const IDS: [&str; 12] = [
    "x86/rdtsc-intrinsic",
    "x86/rdtscp",
    "posix/realtime",
    "posix/monotonic",
    "linux/monotonic-raw",
    "linux/monotonic-coarse",
    "posix/process-cputime",
    "c/clock",
    "cxx/steady_clock",
    "cxx/system_clock",
    "cxx/steady_clock-nocast",
    "cxx/system_clock-nocast",
];

/// The folder in which the other tools' programs are built.
fn folder() -> PathBuf {
    sh::target().join("crosscheck")
}

/// Half of an interval, in percent of its value.
fn percent(low: f64, value: f64, high: f64) -> f64 {
    (high - low) / 2.0 / value * 100.0
}

/// Figures by the id of the call.
type Figures = BTreeMap<String, f64>;

struct Ours {
    report: Value,
    seconds: f64,
}

impl Ours {
    fn measure(sh: &Shell, tool: &Path, cpu: usize) -> Result<Self> {
        let start = Instant::now();
        let pinned = sh::words(sh, sh::pinned(cpu)).arg(tool);
        let clocks = pinned.args(["clocks", "--json", "--quiet", "--cpu", &cpu.to_string()]);
        let report = report(clocks.args(IDS))?;
        let seconds = start.elapsed().as_secs_f64();
        for clock in report["clocks"].as_array().into_iter().flatten() {
            let (id, reason) = (&clock["id"], &clock["unavailable_reason"]);
            ensure!(clock["available"] == true, "{id} is unavailable: {reason}");
        }
        Ok(Self { report, seconds })
    }

    /// A figure of the throughput of this clock.
    fn cost(&self, id: &str, key: &str) -> Option<f64> {
        let mut clocks = self.report["clocks"].as_array()?.iter();
        clocks.find(|clock| clock["id"] == id)?["cost"]["throughput"][key].as_f64()
    }

    /// The cost with the empty loop at the highest frequency that the core reached.
    fn fastest(&self, id: &str) -> Option<f64> {
        let core = &self.report["ruler"]["noise"]["core"];
        let scale = core["hz"].as_f64().zip(core["high_hz"].as_f64());
        Some(self.cost(id, "raw_ns")? * scale.map_or(1.0, |(usual, highest)| usual / highest))
    }
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    ensure!(args.rounds > 0, "at least one round is needed");
    packages::require(sh, &[Need::Build, Need::Crosscheck])?;
    let tool = tool::release(sh)?.tool;
    let google = google::build(sh)?;
    if !args.quick {
        criterion::build(sh)?;
    }
    let runs = alternate(
        args.rounds,
        || Ours::measure(sh, &tool, args.cpu),
        || google::measure(sh, &google, args.cpu),
    )?;
    let mut part = table(&runs)?;
    if !args.quick {
        let start = Instant::now();
        let theirs = criterion::measure(sh, args.cpu)?;
        width(&mut part, &runs, &theirs, start.elapsed().as_secs_f64())?;
    }
    results::publish(sh, "crosscheck", &part, args.dry_run)
}

fn table(runs: &[(Ours, Figures)]) -> Result<String> {
    let (first, _) = runs.first().context("nothing was measured")?;
    let mut text = format!(
        "## Cost of a read, compared with Google Benchmark and criterion\n\n\
         `cargo research crosscheck`, {}. {}.\n\n\
         Nanoseconds per read. For Google Benchmark, this is the cheapest repetition of all \
         rounds, which ran at the highest frequency of the core and includes the loop; for \
         chronoscope, the *raw* figure of its cheapest round, scaled to the highest frequency \
         that it saw. The last two columns are medians over the rounds, at \
         the usual frequency.\n\n\
         | clock | Google Benchmark | chronoscope, fastest | ratio | usual \
         | without the empty loop |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
        Timestamp::now().strftime("%F %H:%M UTC"),
        results::machine(&first.report)
    );
    let mut worst: f64 = 1.0;
    for id in IDS {
        let least = runs.iter().filter_map(|(_, google)| google.get(id)).copied();
        let Some(least) = least.reduce(f64::min) else { continue };
        let fastest = runs.iter().filter_map(|(ours, _)| ours.fastest(id)).reduce(f64::min);
        let Some(fastest) = fastest else {
            writeln!(text, "| `{id}` | {least:.2} | not measured | | | |")?;
            continue;
        };
        let middle = |key| median(runs.iter().filter_map(|(ours, _)| ours.cost(id, key)));
        let (raw, value, ratio) = (middle("raw_ns")?, middle("value_ns")?, fastest / least);
        worst = worst.max(ratio).max(1.0 / ratio);
        writeln!(
            text,
            "| `{id}` | {least:.2} | {fastest:.2} | {ratio:.3} | {raw:.2} | {value:.2} |"
        )?;
    }
    let worst = (worst - 1.0) * 100.0;
    writeln!(text, "\nAll figures are within {worst:.1} % of Google Benchmark's.")?;
    Ok(text)
}

/// The time that each tool took, and the half-widths of its intervals.
fn width(text: &mut String, runs: &[(Ours, Figures)], widths: &Figures, theirs: f64) -> Result<()> {
    let time = middle(runs, |(ours, _)| ours.seconds)?;
    writeln!(
        text,
        "\nThe half-width of the 95 % interval. For the whole list, chronoscope took {time:.1} s; \
         criterion with its default settings took {theirs:.1} s, {:.1} times as long.\n\n\
         | clock | chronoscope | criterion |\n| --- | ---: | ---: |",
        theirs / time
    )?;
    for id in IDS {
        let half = |(ours, _): &(Ours, Figures)| {
            let [low, value, high] =
                ["low_ns", "value_ns", "high_ns"].map(|key| ours.cost(id, key));
            Some(percent(low?, value?, high?))
        };
        if let (Ok(ours), Some(theirs)) = (median(runs.iter().filter_map(half)), widths.get(id)) {
            writeln!(text, "| `{id}` | ±{ours:.2} % | ±{theirs:.2} % |")?;
        }
    }
    Ok(())
}
