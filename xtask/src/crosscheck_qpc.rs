//! The cost of QueryPerformanceCounter under Wine, against a plain C loop built by MinGW: the two
//! programs in turn on one processor, so that a slow spell hits both.

use crate::{cross, results, sh};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;

/// How often each takes its turn.
const ROUNDS: usize = 15;
/// The processor both run on.
const CPU: usize = 0;
/// The two agree where the median of the rounds' ratios is no further from 1 than this.
const SHARE: f64 = 0.05;

/// Nanoseconds per call: the typical, and the least.
struct Cost {
    typical: f64,
    least: f64,
}

/// Runs both and writes their part of docs/RESULTS.md.
pub fn run() -> Result<()> {
    let (wine, tool) = cross::windows()?;
    let folder = sh::target().join("crosscheck");
    std::fs::create_dir_all(&folder)?;
    let plain = folder.join("qpc.exe");
    sh::run(
        sh::program("x86_64-w64-mingw32-gcc")
            .args(["-O2", "-Wall", "-Wextra", "xtask/crosscheck/qpc.c", "-o"])
            .arg(&plain),
    )?;
    let mut pairs = Vec::new();
    let measured = (|| {
        for round in 1..=ROUNDS {
            println!("round {round} of {ROUNDS}");
            let theirs = loop_cost(&sh::capture(&mut sh::pinned(CPU, &wine.command(&plain)))?)?;
            let ours = sh::capture(
                sh::pinned(CPU, &wine.command(&tool))
                    .args(["clocks", "windows/qpc", "--json", "--quiet"])
                    .args(["--budget", "1s", "--cpu", &CPU.to_string()]),
            )?;
            pairs.push((own_cost(&ours)?, theirs));
        }
        anyhow::Ok(())
    })();
    wine.end();
    measured?;

    let median = |of: fn(&(Cost, Cost)) -> f64| {
        let mut all: Vec<f64> = pairs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let ratio = median(|(ours, theirs)| ours.typical / theirs.typical);
    let mut part = format!(
        "## QueryPerformanceCounter under Wine, against a plain C loop\n\n\
         `cargo xtask crosscheck-qpc`: the tool's raw figure and a loop of 1000 calls built by MinGW, in turn on CPU {CPU}, \
         {ROUNDS} rounds; nanoseconds per call, medians over the rounds. They are Wine's, and tell nothing of Windows.\n\n\
         | | C loop | chronoscope | ratio |\n| --- | ---: | ---: | ---: |\n"
    );
    writeln!(
        part,
        "| typical | {:.2} | {:.2} | {ratio:.3} |",
        median(|(_, theirs)| theirs.typical),
        median(|(ours, _)| ours.typical),
    )?;
    writeln!(
        part,
        "| least batch | {:.2} | {:.2} | {:.3} |",
        median(|(_, theirs)| theirs.least),
        median(|(ours, _)| ours.least),
        median(|(ours, theirs)| ours.least / theirs.least),
    )?;
    println!("{part}");
    results::replace("qpc", &part)?;
    if (ratio - 1.0).abs() > SHARE {
        bail!("they are {:.1} % apart", (ratio - 1.0) * 100.0);
    }
    Ok(())
}

/// What the C program prints.
fn loop_cost(text: &str) -> Result<Cost> {
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers.as_slice() {
        [typical, least] => Ok(Cost {
            typical: *typical,
            least: *least,
        }),
        _ => bail!("the C loop printed `{}`", text.trim()),
    }
}

/// What the tool's report says, the empty loop left in, as it is in the C program.
fn own_cost(text: &str) -> Result<Cost> {
    let report: Value = serde_json::from_str(text).context("the tool's report")?;
    let throughput = &report["clocks"][0]["cost"]["throughput"];
    let number = |key| {
        throughput[key]
            .as_f64()
            .with_context(|| format!("no {key}"))
    };
    Ok(Cost {
        typical: number("raw_ns")?,
        least: number("min_ns")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_understood() {
        let cost = loop_cost("74.500 73.250\r\n").unwrap();
        assert_eq!((cost.typical, cost.least), (74.5, 73.25));
        assert!(loop_cost("").is_err());
        let report = r#"{"clocks":[{"cost":{"throughput":{"raw_ns":75.0,"min_ns":74.0}}}]}"#;
        assert_eq!(own_cost(report).unwrap().typical, 75.0);
        assert!(own_cost("{}").is_err());
    }
}
