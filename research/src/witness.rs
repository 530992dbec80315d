//! `cargo research witness`: which planted disturbances a witness marks, what harnesses state next
//! to a bursty load with and without what was disturbed, and whether the number of `noise` follows
//! the true spread of a benchmark.

mod guests;

use crate::paired::Tool;
use crate::results;
use anyhow::{Context, Result};
use chronoscope_ci::sh as shell;
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// What to measure
    #[arg(long, value_delimiter = ',', default_values = ["marks", "harnesses", "noise"])]
    parts: Vec<Part>,
    /// Runs of each harness
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// Levels of disturbance
    #[arg(long, default_value_t = 20)]
    levels: usize,
    /// A program whose `noise --duration SECONDS --format json` is compared: bencher's
    #[arg(long, value_name = "FILE")]
    bencher: Option<PathBuf>,
    /// Print the results without updating docs/RESULTS.md
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    tool: Tool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Part {
    /// Planted disturbances, here and in guests of an older and a newer kernel
    Marks,
    /// criterion, Google Benchmark and pytest-benchmark next to a bursty load
    Harnesses,
    /// The number of `noise` and the spread of a benchmark
    Noise,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    for part in &args.parts {
        let (name, text) = match part {
            Part::Marks => ("witness-marks", marks(sh)?),
            Part::Harnesses => ("witness-harnesses", harnesses(sh, args.runs)?),
            Part::Noise => ("witness-noise", noise(sh, args)?),
        };
        results::publish(sh, name, &text, args.dry_run)?;
    }
    Ok(())
}

/// The rows of JSON that a program prints.
fn rows(text: &str) -> Result<Vec<Value>> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).with_context(|| format!("`{line}`"))).collect()
}

/// How many disturbances were marked, in words.
fn marked(row: &Value) -> String {
    let number = |key: &str| row[key].as_u64().unwrap_or(0);
    if let Some(why) = row["why"].as_str() {
        return why.into();
    }
    let mut text = format!("{} of {}", number("marked"), number("planted"));
    // Of what was marked by another name, and of what could not be seen.
    if row["plant"] == "nothing" {
        text += &format!(", {} left out", number("left_out"));
    } else if number("named") < number("marked") {
        text += &format!(", {} by its name", number("named"));
    }
    if number("unknown") > 0 {
        text += &format!(", {} unknown", number("unknown"));
    }
    text
}

fn marks(sh: &Shell) -> Result<String> {
    let manifest = "research/bench/Cargo.toml";
    shell::run(cmd!(sh, "cargo build --quiet --release --manifest-path {manifest}"))?;
    let bench = shell::target().join("release/chronoscope-bench");
    let here = rows(&shell::read(cmd!(sh, "{bench} witnessed"))?)?;
    let costs = rows(&shell::read(cmd!(sh, "{bench} witness-cost"))?)?;
    let guests = guests::run(sh, &bench)?;
    let mut text = format!(
        "## Disturbances that a witness marks\n\n{}`cargo research witness --parts marks`: pieces \
         with one planted disturbance each, and how many the witness marks. Pieces of nothing are \
         20 us of additions; those that this machine disturbed are left out: they took 5 % more or \
         less than the fastest tenth, or the kernel counts an interrupt or a switch. Guests are \
         emulated by QEMU, stopped by SIGSTOP for 50 ms at a time, and slowed by QEMU no longer \
         linking blocks of translated code.\n\n\
         | planted | level | here ",
        results::this_machine(sh)
    );
    for (kernel, _) in &guests {
        write!(text, "| {kernel} ")?;
    }
    writeln!(text, "|\n| --- | --- | ---: {}|", "| ---: ".repeat(guests.len()))?;
    // Those of guests are as many, and one that cannot be planted here.
    let most = guests.first().map_or(&here, |(_, rows)| rows);
    for (at, row) in most.iter().enumerate() {
        let word = |key: &str| row[key].as_str().unwrap_or_default();
        write!(text, "| {} | {} ", word("plant"), word("level"))?;
        for rows in std::iter::once(&here).chain(guests.iter().map(|(_, rows)| rows)) {
            write!(text, "| {} ", rows.get(at).map_or("-".into(), marked))?;
        }
        writeln!(text, "|")?;
    }
    let cost = |row: &Value| {
        let name = row["name"].as_str().unwrap_or_default().to_owned();
        row["lowest_ns"].as_f64().map(|least| format!("{name} {least:.1}"))
    };
    let costs: Vec<_> = costs.iter().filter_map(cost).collect();
    writeln!(
        text,
        "\nCost of a piece of nothing, least batch of 1,000, in ns: {}.",
        costs.join(", ")
    )?;
    Ok(text)
}

fn harnesses(sh: &Shell, runs: usize) -> Result<String> {
    let target = shell::target();
    let (adapters, built) = (target.join("adapters"), target.join("release"));
    let build = ["--quiet", "--release", "--locked", "--manifest-path"];
    let manifest = "research/adapters/Cargo.toml";
    shell::run(cmd!(sh, "cargo build {build...} {manifest} --target-dir {adapters}"))?;
    let criterion = adapters.join("release/adapters");
    let crates = ["-p", "chronoscope-capi", "-p", "chronoscope-python"];
    shell::run(cmd!(sh, "cargo build --quiet --release {crates...}"))?;
    let (google, library) = (target.join("bursts"), built.join("libchronoscope.a"));
    let options = ["-O2", "-std=c++17", "-Wall", "-Wextra", "-Icrates/capi/include"];
    let source = "research/crosscheck/bursts.cpp";
    let linked = ["-lbenchmark", "-lpthread", "-ldl", "-lm"];
    shell::run(cmd!(sh, "g++ {options...} -o {google} {source} {library} {linked...}"))?;
    // The module of Python next to the harness.
    let pytest = target.join("bursts-python");
    if !pytest.join("pytest_benchmark").exists() {
        let install = ["-m", "pip", "install", "--quiet", "--target"];
        let what = ["pytest==8.3.5", "pytest-benchmark==5.1.0"];
        shell::run(cmd!(sh, "python3 {install...} {pytest} {what...}"))?;
    }
    let module = pytest.join("chronoscope_clock");
    sh.remove_path(&module)?;
    shell::run(cmd!(sh, "cp -r crates/python/python/chronoscope_clock {module}"))?;
    sh.copy_file(built.join("lib_native.so"), module.join("_native.abi3.so"))?;
    let script = cmd!(sh, "python3 -B research/python/witness.py harnesses").arg(runs.to_string());
    let script = script.env("CRITERION", criterion).env("GOOGLE", google).env("PYTEST", pytest);
    Ok(format!(
        "## Harnesses next to a bursty load\n\n{}`cargo research witness --parts harnesses --runs \
         {runs}`: the same work in {runs} runs, plain and without what was disturbed, in turn. A \
         thread on the same CPU is busy for half of the time, in spells of some 0.2 s. Figures: \
         the median that criterion 0.8 states, and the means of Google Benchmark and \
         pytest-benchmark 5.1; their median and standard deviation over the runs.\n\n\
         | harness | plain | undisturbed | plain, spread | undisturbed, spread | ratio |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n{}\n",
        results::this_machine(sh),
        shell::read(script)?
    ))
}

fn noise(sh: &Shell, args: &Args) -> Result<String> {
    let levels = args.levels.to_string();
    let script = cmd!(sh, "python3 -B research/python/witness.py noise {levels}");
    let mut script = script.env("TOOL", args.tool.get(sh)?);
    if let Some(bencher) = &args.bencher {
        script = script.env("BENCHER", sh.current_dir().join(bencher));
    }
    Ok(format!(
        "## The number of `noise` and the spread of a benchmark\n\n{}`cargo research witness \
         --parts noise --levels {levels}`: next to a load that preempts for so much of each half \
         of a millisecond in every other spell, of so long, the standard deviation of 40 medians \
         of 100 samples of some 1 ms in Python, and half way what `noise` (2 s, or up to 10 s on a \
         busy machine) and `bencher noise` (4 s) state, in random order. The spells without the \
         load are shorter, so that as many samples fit into them.\n\n\
         | load | spells | spread | `noise`: good to | `bencher noise` |\n\
         | ---: | ---: | ---: | ---: | ---: |\n{}\n",
        results::this_machine(sh),
        shell::read(script)?
    ))
}
