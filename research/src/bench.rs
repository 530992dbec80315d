//! Compares the library with its peers and checks its promises: runs `research/bench` and writes
//! the results to docs/RESULTS.md.

mod waits;

use crate::results;
use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::sh;
use serde_json::Value;
use std::fmt::Write;
use waits::waits;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Parts to run; all of them by default
    what: Vec<Part>,
    /// Take seven minutes instead of three quarters of an hour and what `waits` takes, and only
    /// print the results instead of updating docs/RESULTS.md
    #[arg(long)]
    quick: bool,
    /// Waits of each method and length in each run: 10,000 take a day in five runs and under all
    /// loads, and can be continued. Waits of 100 ms are a tenth as many
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    waits: u32,
    /// Loads next to which waits are measured; of the others, earlier measurements are shown
    #[arg(long, value_delimiter = ',', value_parser = waits::LOADS, default_values = waits::LOADS)]
    loads: Vec<String>,
    /// Runs of waits
    #[arg(long, default_value_t = 5, value_name = "N")]
    runs: u32,
    /// Number of reads handed over between threads: minutes on a quiet machine, hours on a busy one
    #[arg(long, default_value_t = 1_000_000_000)]
    handovers: u64,
}

/// The comparisons; each writes one part of docs/RESULTS.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Cost of a read
    Reads,
    /// Rate, error bound, wall time, scaling with threads
    Promises,
    /// Order between threads, in Rust, C and C++
    Handovers,
    /// Overshoot and CPU time of waits
    Waits,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    sh::run(cmd!(sh, "cargo build --quiet --release --manifest-path research/bench/Cargo.toml"))?;
    let mut broken = 0;
    for part in [Part::Reads, Part::Promises, Part::Handovers, Part::Waits] {
        if !args.what.is_empty() && !args.what.contains(&part) {
            continue;
        }
        let (name, text) = match part {
            Part::Reads => ("library-reads", reads(sh, args.quick)?),
            Part::Promises => {
                let (text, failed) = promises(sh, args)?;
                broken += failed;
                ("library-promises", text)
            }
            Part::Handovers => {
                let count = if args.quick { 1_000_000 } else { args.handovers };
                let (text, failed) = handovers(sh, count)?;
                broken += failed;
                ("library-handovers", text)
            }
            Part::Waits => ("library-waits", waits(sh, args)?),
        };
        results::publish(sh, name, &text, args.quick)?;
    }
    ensure!(broken == 0, "promises that did not hold: {broken}; see the table");
    Ok(())
}

fn reads(sh: &Shell, quick: bool) -> Result<String> {
    let rounds = if quick { "300" } else { "4000" };
    let mut part = String::from(
        "## The library: cost of a read, compared with its peers\n\n\
         `cargo research bench reads`. All reads are interleaved in random order within one \
         run. Each ratio is relative to the nearest bare-instruction row above it.\n\n\
         | read | ns, least batch | ratio | ns, median | ratio |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows(sh, &["reads", "--rounds", rounds])? {
        writeln!(
            part,
            "| {} | {:.2} | {:.3} | {:.2} | {:.3} |",
            text(&row, "name")?,
            number(&row, "lowest_ns")?,
            number(&row, "ratio")?,
            number(&row, "median_ns")?,
            number(&row, "median_ratio")?,
        )?;
    }
    Ok(part)
}

/// The table, and the number of promises that did not hold.
fn promises(sh: &Shell, args: &Args) -> Result<(String, usize)> {
    let of = |long, short| if args.quick { short } else { long };
    let mut part = String::from(
        "## The library: what it promises\n\n`cargo research bench promises`.\n\n\
         | promise | result | holds |\n| --- | --- | --- |\n",
    );
    let checks = of("100000000", "1000000");
    let mut broken = 0;
    for run in [
        &["threads", "--rounds", of("2000", "200")][..],
        &["rate", "--seconds", of("60", "11")],
        &["unsynced", "--seconds", of("300", "10")],
        &["bound", "--load", "none", "--checks", checks],
        &["bound", "--load", "equal", "--checks", checks],
        &["wall", "--seconds", of("600", "10")],
    ] {
        for row in rows(sh, run)? {
            let passed = row["passed"] == Value::Bool(true);
            broken += usize::from(!passed);
            let (promise, found) = (text(&row, "promise")?, found(&row)?);
            let holds = if passed { "yes" } else { "**no**" };
            writeln!(part, "| {promise} | {found} | {holds} |")?;
        }
    }
    Ok((part, broken))
}

/// The table, and the number of reads that went back although they promise not to.
fn handovers(sh: &Shell, count: u64) -> Result<(String, usize)> {
    let (target, count) = (sh::target(), count.to_string());
    let (library, program) = (target.join("release/libchronoscope.a"), target.join("handovers"));
    sh::run(cmd!(sh, "cargo build --quiet --release -p chronoscope-capi"))?;
    let source = "research/bench/handovers.cpp";
    let flags = ["-O2", "-std=c++17", "-I", "crates/capi/include"];
    let libraries = ["-lpthread", "-ldl", "-lm"];
    sh::run(cmd!(sh, "g++ {flags...} {source} {library} {libraries...} -o {program}"))?;
    let mut found = rows(sh, &["handover", "--count", &count])?;
    found.extend(parsed(&sh::read(cmd!(sh, "{program} {count}"))?)?);
    let mut part = format!(
        "## The library: order between threads\n\n`cargo research bench handovers --handovers \
         {count}`. Two threads hand each other what they read, directly or under a mutex; a read \
         that is earlier than the one handed over went back.\n\n{}\
         | read | how | hand-overs | went back | furthest, ns |\n\
         | --- | --- | ---: | ---: | ---: |\n",
        results::this_machine(sh)
    );
    for row in &found {
        let how = if row["promise"] == "mutex" { "under a mutex" } else { "directly" };
        let nothing = if row["promised"] == false { ", which promises no order" } else { "" };
        writeln!(
            part,
            "| `{}`{nothing} | {how} | {} | {} | {} |",
            text(row, "read")?,
            number(row, "handovers")?,
            number(row, "backwards")?,
            number(row, "worst_ns")?,
        )?;
    }
    Ok((part, found.iter().filter(|row| row["passed"] == false).count()))
}

/// The program's output.
fn rows(sh: &Shell, args: &[&str]) -> Result<Vec<Value>> {
    let program = sh::target().join("release/chronoscope-bench");
    let rows = parsed(&sh::read(cmd!(sh, "{program} {args...}"))?)?;
    ensure!(!rows.is_empty(), "{args:?} printed nothing");
    Ok(rows)
}

/// Rows, each of which is a line of JSON.
fn parsed(text: &str) -> Result<Vec<Value>> {
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("`{line}`")))
        .collect()
}

fn number(row: &Value, key: &str) -> Result<f64> {
    row[key].as_f64().with_context(|| format!("no {key} in {row}"))
}

fn text<'a>(row: &'a Value, key: &str) -> Result<&'a str> {
    row[key].as_str().with_context(|| format!("no {key} in {row}"))
}

/// The result of a promise in words.
fn found(row: &Value) -> Result<String> {
    let number = |key| number(row, key);
    Ok(match text(row, "promise")? {
        "threads" => format!(
            "{} on {} threads at once: {:.3} times the cost on one thread (bare counter: {:.3})",
            text(row, "read")?,
            number("threads")?,
            number("ratio")?,
            number("bare_ratio")?
        ),
        "rate" => format!(
            "after {} s: {:+.5} ppm, stated ±{:.5} ppm",
            number("after_s")?,
            number("error_ppm")?,
            number("bound_ppm")?
        ),
        "unsynced" => format!(
            "{} for {} s: {:+.0} ns off, stated ±{} ns{}",
            text(row, "how")?,
            number("span_s")?,
            number("error_ns")?,
            number("bound_ns")?,
            match row["outside_ppm"].as_f64() {
                Some(ppm) => format!("; {ppm:+.3} ppm from the synchronised CLOCK_REALTIME"),
                None => String::new(),
            }
        ),
        "bound" => format!(
            "load {}: {} checks on {} threads over up to {:.1} s, {} outside the stated bound",
            text(row, "load")?.to_lowercase(),
            number("checks")?,
            number("threads")?,
            number("longest_s")?,
            number("violations")?
        ),
        "wall" => format!(
            "{} samples in {} s: p50 {} ns, p99 {} ns, p99.99 {} ns, worst {} ns (stated {} ns); \
             {} more were torn (over 200 ns between the two reads of the system clock) and are \
             checked only against the bound; {} outside the stated bound",
            number("samples")?,
            number("seconds")?,
            number("p50_ns")?,
            number("p99_ns")?,
            number("p9999_ns")?,
            number("worst_ns")?,
            number("bound_ns")?,
            number("torn")?,
            number("beyond")?
        ),
        other => bail!("unknown promise: {other}"),
    })
}
