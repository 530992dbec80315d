//! The library beside its peers, and held against what it promises: runs `crates/bench` and writes
//! its part of docs/RESULTS.md.

use crate::{results, sh};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

#[derive(clap::Args)]
pub struct Args {
    /// What to compare; all of it if absent
    what: Vec<Part>,
    /// Two minutes instead of three quarters of an hour; prints the result and leaves docs/RESULTS.md as it is
    #[arg(long)]
    quick: bool,
    /// Reads that are handed from thread to thread: minutes on a quiet machine, hours on a busy one
    #[arg(long, default_value_t = 1_000_000_000)]
    handovers: u64,
}

/// What there is to compare, each a part of docs/RESULTS.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// What a read costs
    Reads,
    /// Whether rate, bound, wall time, order between threads and independence of them hold
    Promises,
    /// How late waits are, and what CPU time they take
    Waits,
}

/// The loads under which waits are compared.
const LOADS: [&str; 4] = ["none", "lower", "equal", "higher"];

pub fn run(args: &Args) -> Result<()> {
    sh::run(sh::cargo().args(["build", "--quiet", "--release", "-p", "chronoscope-bench"]))?;
    let program = sh::target().join("release/chronoscope-bench");
    let mut broken = 0;
    for part in [Part::Reads, Part::Promises, Part::Waits] {
        if !args.what.is_empty() && !args.what.contains(&part) {
            continue;
        }
        let (name, text) = match part {
            Part::Reads => ("library-reads", reads(&program, args.quick)?),
            Part::Promises => {
                let (text, failed) = promises(&program, args)?;
                broken += failed;
                ("library-promises", text)
            }
            Part::Waits => ("library-waits", waits(&program, args.quick)?),
        };
        println!("{text}");
        if !args.quick {
            results::replace(name, &text)?;
        }
    }
    match broken {
        0 => Ok(()),
        n => bail!("{n} of the promises did not hold; see the table"),
    }
}

fn reads(program: &Path, quick: bool) -> Result<String> {
    let rounds = if quick { "300" } else { "4000" };
    let mut part = String::from(
        "## The library: cost of a read beside its peers\n\n`cargo xtask bench reads`. All are read in turns, in random order, in \
         one run. Each ratio is to the nearest row above that is the bare instruction.\n\n\
         | read | ns, least batch | ratio | ns, median | ratio |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for row in rows(program, &["reads", "--rounds", rounds])? {
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

/// The table, and how many of the promises did not hold.
fn promises(program: &Path, args: &Args) -> Result<(String, usize)> {
    let of = |long, short| if args.quick { short } else { long };
    let handovers = args.handovers.to_string();
    let mut part = String::from(
        "## The library: what it promises\n\n`cargo xtask bench promises`.\n\n\
         | promise | found | holds |\n| --- | --- | --- |\n",
    );
    let checks = of("100000000", "1000000");
    let mut broken = 0;
    for run in [
        &["threads", "--rounds", of("2000", "200")][..],
        &["rate", "--seconds", of("60", "11")],
        &["bound", "--load", "none", "--checks", checks],
        &["bound", "--load", "equal", "--checks", checks],
        &["handover", "--count", of(&handovers, "1000000")],
        &["wall", "--seconds", of("600", "10")],
    ] {
        for row in rows(program, run)? {
            let passed = row["passed"] == Value::Bool(true);
            broken += usize::from(!passed);
            writeln!(
                part,
                "| {} | {} | {} |",
                text(&row, "promise")?,
                found(&row)?,
                if passed { "yes" } else { "**no**" }
            )?;
        }
    }
    Ok((part, broken))
}

/// How late waits are under each load.
fn waits(program: &Path, quick: bool) -> Result<String> {
    let seconds = if quick { "5" } else { "180" };
    let mut part = String::from(
        "## The library: waits beside its peers\n\n`cargo xtask bench waits`. How late, in microseconds, and CPU time of the \
         thread. Ways and lengths in random order. The first of each length never sleeps and reads the clock until the \
         time has passed: what it is late by while nothing else runs, the machine takes from every method; under load it is \
         late for having used its time slice up.\n\n",
    );
    for load in LOADS {
        let run = ["waits", "--load", load, "--seconds", seconds];
        under(&mut part, load, &rows(program, &run)?)?;
    }
    Ok(part)
}

/// What the program prints: one line of JSON a row.
fn rows(program: &Path, args: &[&str]) -> Result<Vec<Value>> {
    let text = sh::capture(sh::program(program).args(args))?;
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("`{line}`")))
        .collect::<Result<_>>()?;
    if rows.is_empty() {
        bail!("{args:?} printed nothing");
    }
    Ok(rows)
}

fn number(row: &Value, key: &str) -> Result<f64> {
    row[key]
        .as_f64()
        .with_context(|| format!("no {key} in {row}"))
}

fn text<'a>(row: &'a Value, key: &str) -> Result<&'a str> {
    row[key]
        .as_str()
        .with_context(|| format!("no {key} in {row}"))
}

/// What was found, in words.
fn found(row: &Value) -> Result<String> {
    Ok(match text(row, "promise")? {
        "threads" => format!(
            "{} on {} threads at once: {:.3} of one alone (the bare counter: {:.3})",
            text(row, "read")?,
            number(row, "threads")?,
            number(row, "ratio")?,
            number(row, "bare_ratio")?
        ),
        "rate" => format!(
            "after {} s: {:+.5} ppm, stated ±{:.5} ppm",
            number(row, "after_s")?,
            number(row, "error_ppm")?,
            number(row, "bound_ppm")?
        ),
        "bound" => format!(
            "load {}: {} checks on {} threads over up to {:.1} s, {} beyond the stated bound",
            text(row, "load")?.to_lowercase(),
            number(row, "checks")?,
            number(row, "threads")?,
            number(row, "longest_s")?,
            number(row, "violations")?
        ),
        "handover" => format!(
            "{}: {} hand-overs between threads, {} of them backwards, by {} ns at most{}",
            text(row, "read")?,
            number(row, "handovers")?,
            number(row, "backwards")?,
            number(row, "worst_ns")?,
            if row["promised"] == false {
                "; nothing is promised of an unordered read"
            } else {
                ""
            }
        ),
        "wall" => format!(
            "{} samples in {} s: p50 {} ns, p99 {} ns, p99.99 {} ns, worst {} ns (stated {} ns); {} more were torn (over \
             200 ns between the two reads of the system's clock) and are held against the bound only; {} beyond the \
             stated bound",
            number(row, "samples")?,
            number(row, "seconds")?,
            number(row, "p50_ns")?,
            number(row, "p99_ns")?,
            number(row, "p9999_ns")?,
            number(row, "worst_ns")?,
            number(row, "bound_ns")?,
            number(row, "torn")?,
            number(row, "beyond")?
        ),
        other => bail!("an unknown promise: {other}"),
    })
}

fn under(part: &mut String, load: &str, rows: &[Value]) -> Result<()> {
    let load = match load {
        "none" => "no load".to_owned(),
        priority => format!("a busy process on every CPU at {priority} priority"),
    };
    writeln!(
        part,
        "Waits with {load}: how late, in microseconds, and CPU time of the thread.\n\n\
         | wait | by | waits | p50 | p90 | p99 | worst | early | CPU |\n\
         | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )?;
    for row in rows {
        let us = |key| anyhow::Ok(number(row, key)? / 1e3);
        writeln!(
            part,
            "| {} ms | {} | {} | {:.2} | {:.2} | {:.1} | {:.0} | {} | {:.2} % |",
            number(row, "wait_us")? / 1e3,
            text(row, "method")?,
            number(row, "waits")?,
            us("p50_ns")?,
            us("p90_ns")?,
            us("p99_ns")?,
            us("max_ns")?,
            number(row, "early")?,
            number(row, "cpu_percent")?,
        )?;
    }
    part.push('\n');
    Ok(())
}
