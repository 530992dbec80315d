//! Compares the cost of QueryPerformanceCounter under Wine with a plain C loop built by MinGW. The
//! two programs alternate on one CPU, so that a slow period of the machine affects both.

use crate::results::{self, median};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use xshell::{Shell, cmd};
use xtask::{cross, sh};

/// Number of rounds; each program runs once per round.
const ROUNDS: usize = 15;
/// The CPU on which both run.
const CPU: usize = 0;
/// The two agree if the median of the rounds' ratios differs from 1 by at most this.
const SHARE: f64 = 0.05;

/// Nanoseconds per call: the typical cost, and that of the fastest batch.
struct Cost {
    typical: f64,
    least: f64,
}

/// Runs both and updates docs/RESULTS.md.
pub fn run(sh: &Shell) -> Result<()> {
    let (wine, tool) = cross::windows(sh)?;
    let folder = sh::target().join("crosscheck");
    sh.create_dir(&folder)?;
    let plain = folder.join("qpc.exe");
    let gcc = "x86_64-w64-mingw32-gcc";
    let source = "experiments/crosscheck/qpc.c";
    sh::run(cmd!(sh, "{gcc} -O2 -Wall -Wextra {source} -o {plain}"))?;
    let runner = wine.runner();
    let pinned = |program| {
        let words = sh::pinned(CPU).into_iter().chain(runner.before.clone());
        sh::words(sh, words).arg(program).envs(runner.env.iter().cloned())
    };
    let mut pairs = Vec::new();
    let measured = (|| {
        for round in 1..=ROUNDS {
            println!("round {round} of {ROUNDS}");
            let theirs = loop_cost(&sh::read(pinned(&plain))?)?;
            let cpu = CPU.to_string();
            let clocks = ["clocks", "windows/qpc", "--json", "--quiet"];
            let ours = pinned(&tool).args(clocks).args(["--budget", "1s", "--cpu", &cpu]);
            pairs.push((own_cost(&sh::read(ours)?)?, theirs));
        }
        anyhow::Ok(())
    })();
    wine.end(sh);
    measured?;

    let (part, ratio) = part(&pairs)?;
    println!("{part}");
    results::replace(sh, "qpc", &part)?;
    if (ratio - 1.0).abs() > SHARE {
        bail!("the two differ by {:.1} %", (ratio - 1.0) * 100.0);
    }
    Ok(())
}

/// The part of docs/RESULTS.md, and the ratio of the typical costs.
fn part(pairs: &[(Cost, Cost)]) -> Result<(String, f64)> {
    let median = |of: fn(&(Cost, Cost)) -> f64| {
        median(pairs.iter().map(of).collect()).context("nothing was measured")
    };
    let ratio = median(|(ours, theirs)| ours.typical / theirs.typical)?;
    let mut part = format!(
        "## QueryPerformanceCounter under Wine, compared with a plain C loop\n\n\
         `cargo experiments crosscheck-qpc`: the tool's raw figure and a loop of 1000 calls built by \
         MinGW, alternating on CPU {CPU} for {ROUNDS} rounds. Nanoseconds per call, medians over \
         the rounds. The costs are Wine's and say nothing about Windows.\n\n\
         | | C loop | chronoscope | ratio |\n| --- | ---: | ---: | ---: |\n"
    );
    writeln!(
        part,
        "| typical | {:.2} | {:.2} | {ratio:.3} |",
        median(|(_, theirs)| theirs.typical)?,
        median(|(ours, _)| ours.typical)?,
    )?;
    writeln!(
        part,
        "| least batch | {:.2} | {:.2} | {:.3} |",
        median(|(_, theirs)| theirs.least)?,
        median(|(ours, _)| ours.least)?,
        median(|(ours, theirs)| ours.least / theirs.least)?,
    )?;
    Ok((part, ratio))
}

/// Reads the output of the C program.
fn loop_cost(text: &str) -> Result<Cost> {
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers.as_slice() {
        [typical, least] => Ok(Cost { typical: *typical, least: *least }),
        _ => bail!("the C loop printed `{}`", text.trim()),
    }
}

/// Reads the tool's report. The costs include the empty loop, which the C program does not
/// subtract.
fn own_cost(text: &str) -> Result<Cost> {
    let report: Value = serde_json::from_str(text).context("cannot read the tool's report")?;
    let throughput = &report["clocks"][0]["cost"]["throughput"];
    let number =
        |key| throughput[key].as_f64().with_context(|| format!("no {key} in the tool's report"));
    Ok(Cost { typical: number("raw_ns")?, least: number("min_ns")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_both_is_parsed() {
        let cost = loop_cost("74.500 73.250\r\n").unwrap();
        assert_eq!((cost.typical, cost.least), (74.5, 73.25));
        assert!(loop_cost("").is_err());
        let report = r#"{"clocks":[{"cost":{"throughput":{"raw_ns":75.0,"min_ns":74.0}}}]}"#;
        assert_eq!(own_cost(report).unwrap().typical, 75.0);
        assert!(own_cost("{}").is_err());
    }
}
