//! Compares what the tool measures of runtimes with the benchmark tool of each: JMH, `go test`,
//! pyperf and mitata, and for .NET and WebAssembly a loop of its own. The two alternate on one CPU,
//! so that a slow period of the machine affects both.

mod tools;

use crate::paired::{Cost, alternate, middle, report};
use crate::results::{self, median};
use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::{runtimes, sh, tool};
use jiff::Timestamp;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tools::Tool;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Runtimes to compare; all of them by default
    runtimes: Vec<String>,
    /// Number of rounds; each program runs once per round
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// CPU on which all of them run
    #[arg(long, default_value_t = 0)]
    cpu: usize,
    /// Print the result without updating docs/RESULTS.md
    #[arg(long)]
    dry_run: bool,
}

/// The two tools agree if the ratio of their costs differs from 1 by at most this.
const SHARE: f64 = 0.03;
/// A round whose shortest batch is longer than that of the quickest round by more than this ran on
/// a shared core from beginning to end.
const SHARED: f64 = 1.05;
/// A batch that is longer than the shortest by more than this ran on a shared core, or was
/// interrupted: reads take 1.1 to 1.6 times as long while a second thread uses the core.
const DISTURBED: f64 = 1.2;

struct Compared {
    tool: &'static Tool,
    /// The cost by chronoscope and by the other tool, for each round.
    pairs: Vec<(Cost, Cost)>,
    /// The version that the runtime reports.
    version: String,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tools: Vec<&'static Tool> = tools::ALL
        .iter()
        .filter(|tool| {
            args.runtimes.is_empty() || args.runtimes.iter().any(|id| id == tool.runtime)
        })
        .collect();
    if args.rounds == 0 || tools.is_empty() {
        let known: Vec<_> = tools::ALL.iter().map(|tool| tool.runtime).collect();
        bail!("at least one round is needed, of one of: {}", known.join(", "));
    }
    packages::require(sh, &[Need::Runtimes, Need::CrosscheckRuntimes])?;
    runtimes::fetch(sh);
    sh.create_dir(tools::folder())?;
    let own = tool::release(sh)?.tool;
    for tool in &tools {
        (tool.prepare)(sh).with_context(|| format!("cannot prepare {}", tool.name))?;
    }

    let mut all = Vec::new();
    let mut machine = String::new();
    for tool in tools {
        println!("{}", tool.name);
        let mut version = String::new();
        let ours = || {
            let report = measure(sh, &own, tool, args.cpu)?;
            version = self::version(&report, tool);
            machine = results::machine(&report);
            own_cost(&report, tool)
        };
        let pairs = alternate(args.rounds, ours, || cost(&(tool.measure)(sh, args.cpu)?))?;
        all.push(Compared { tool, pairs, version });
    }
    let (part, apart) = part(&all, &machine, args)?;
    results::publish(sh, "crosscheck-runtimes", &part, args.dry_run)?;
    ensure!(apart.is_empty(), "the two differ by more than 3 %: {}", apart.join(", "));
    Ok(())
}

/// The report of one run of the tool.
fn measure(sh: &Shell, own: &Path, tool: &Tool, cpu: usize) -> Result<Value> {
    let command = sh::words(sh, [own])
        .args(["runtimes", tool.runtime, "--json", "--quiet"])
        .args(["--budget", "10s", "--cpu", &cpu.to_string()]);
    report(command.env("PATH", runtimes::path()?))
}

fn row<'a>(report: &'a Value, tool: &Tool) -> Result<&'a Value> {
    let mut rows = report["runtimes"].as_array().into_iter().flatten();
    let row = rows.find(|row| row["id"] == tool.runtime);
    row.with_context(|| format!("no row of {} in the report", tool.runtime))
}

fn version(report: &Value, tool: &Tool) -> String {
    let row = row(report, tool).unwrap_or(&Value::Null);
    let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    format!("{} {}", word("name"), word("version"))
}

fn own_cost(report: &Value, tool: &Tool) -> Result<Cost> {
    let row = row(report, tool)?;
    if let Some(reason) = row["reason"].as_str() {
        bail!("{}: {reason}", tool.runtime);
    }
    let mut clocks = row["clocks"].as_array().into_iter().flatten();
    let clock = clocks.find(|clock| clock["id"] == tool.clock);
    Cost::from_throughput(&clock.context("the clock is not in the report")?["throughput"])
}

/// The cost by the batches of another tool: the median of those that had the core to themselves.
fn cost(batches: &[f64]) -> Result<Cost> {
    let least = batches.iter().copied().reduce(f64::min);
    let least = least.context("it printed no figures")?;
    let alone = batches.iter().copied().filter(|ns| *ns <= least * DISTURBED);
    Ok(Cost { typical: median(alone)?, least })
}

/// The part of docs/RESULTS.md, and what differs by too much.
fn part(all: &[Compared], machine: &str, args: &Args) -> Result<(String, Vec<String>)> {
    let date = Timestamp::now().strftime("%F %H:%M UTC");
    let mut text = format!(
        "## Reads in other languages, compared with the tools of these languages\n\n\
         `cargo research crosscheck-runtimes`, {date}. {machine}.\n\n\
         Nanoseconds per read with the loop, on CPU {cpu}, in {rounds} rounds in which the two \
         alternate, with batches of 0.1 to 0.3 ms. *Typical*: the medians of each round's \
         estimate, whether or not the core was shared. *Shortest*: the medians of each round's \
         shortest batch, in the *rounds* in which that was within {shared:.0} % of the shortest \
         of all. *Ratio*: that of the shortest, with the lowest and the highest that any two of \
         those rounds give.\n\n\
         | call | runtime | tool | typical: theirs | chronoscope | shortest: theirs | chronoscope \
         | rounds | ratio |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        shared = (SHARED - 1.0) * 100.0,
        cpu = args.cpu,
        rounds = args.rounds,
    );
    let mut apart = Vec::new();
    for one in all {
        let ours = Alone::from_rounds(one.pairs.iter().map(|(ours, _)| ours.least))?;
        let theirs = Alone::from_rounds(one.pairs.iter().map(|(_, theirs)| theirs.least))?;
        let [low, ratio, high] =
            [ours.low / theirs.high, ours.middle / theirs.middle, ours.high / theirs.low];
        writeln!(
            text,
            "| `{}` | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {}, {} \
             | {ratio:.3} ({low:.3} to {high:.3}) |",
            one.tool.call,
            one.version,
            one.tool.name,
            middle(&one.pairs, |(_, theirs)| theirs.typical)?,
            middle(&one.pairs, |(ours, _)| ours.typical)?,
            theirs.middle,
            ours.middle,
            theirs.rounds,
            ours.rounds,
        )?;
        if (ratio - 1.0).abs() > SHARE {
            apart.push(format!("{} ({ratio:.3})", one.tool.runtime));
        }
    }
    Ok((text, apart))
}

/// The shortest batches of the rounds that had the core to themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Alone {
    low: f64,
    middle: f64,
    high: f64,
    rounds: usize,
}

impl Alone {
    fn from_rounds(rounds: impl Iterator<Item = f64>) -> Result<Self> {
        let mut all: Vec<f64> = rounds.collect();
        all.sort_by(f64::total_cmp);
        let low = *all.first().context("nothing was measured")?;
        all.retain(|least| *least <= low * SHARED);
        let (high, rounds) = (all[all.len() - 1], all.len());
        Ok(Self { low, middle: median(all)?, high, rounds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn batches_on_a_shared_core_are_left_out() {
        let found = cost(&[20.0, 21.0, 22.0, 33.0, 40.0, 41.0, 42.0]).unwrap();
        assert_eq!((found.typical, found.least), (21.0, 20.0));
        assert!(cost(&[]).is_err());
    }

    #[test]
    fn the_report_of_the_tool_is_read() {
        let tool = &tools::ALL[0];
        let mut report = json!({"runtimes": [{
            "id": tool.runtime, "name": "Java", "version": "17",
            "clocks": [{"id": tool.clock, "throughput": {"raw_ns": 21.0, "min_ns": 20.0}}]
        }]});
        assert_eq!(own_cost(&report, tool).unwrap().typical, 21.0);
        assert_eq!(version(&report, tool), "Java 17");
        report["runtimes"][0]["reason"] = json!("java not found");
        let why = own_cost(&report, tool).unwrap_err().to_string();
        assert!(why.contains("java not found"), "{why}");
    }

    #[test]
    fn what_differs_by_more_than_three_percent_is_named() {
        let pair = |ours: f64| {
            let at = |ns| Cost { typical: ns, least: ns };
            (at(ours), at(20.0))
        };
        let args = Args { runtimes: vec![], rounds: 3, cpu: 0, dry_run: true };
        let compared = |ours| Compared {
            tool: &tools::ALL[0],
            pairs: vec![pair(ours); 3],
            version: String::new(),
        };
        let (text, apart) = part(&[compared(20.4), compared(21.0)], "here", &args).unwrap();
        assert!(text.contains("1.020") && text.contains("1.050"), "{text}");
        assert_eq!(apart, ["java (1.050)"]);
    }

    #[test]
    fn rounds_on_a_shared_core_are_left_out() {
        let found = Alone::from_rounds([20.4, 27.0, 20.0, 20.2, 31.0].into_iter());
        let expected = Alone { low: 20.0, middle: 20.2, high: 20.4, rounds: 3 };
        assert_eq!(found.unwrap(), expected);
        assert!(Alone::from_rounds([].into_iter()).is_err());
    }
}
