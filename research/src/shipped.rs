//! What a release ships for this machine: how large it is, how soon it starts, and whether what it
//! measures costs the same as in the release build.

use crate::paired::{Cost, alternate, report};
use crate::results::{self, median};
use anyhow::{Context, Result};
use chronoscope_ci::{sh, tool};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Rounds in which both builds measure
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

/// What the archive for this machine is made of; the first runs everywhere with glibc.
const TRIPLES: [&str; 2] = ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"];
/// Calls of C, C++ and Rust, and instructions.
const IDS: [&str; 6] = [
    "c/gettimeofday",
    "posix/monotonic",
    "cxx/steady_clock",
    "rust/instant",
    "x86/rdtsc-intrinsic",
    "x86/rdtscp",
];
/// Starts of which the median is shown.
const STARTS: usize = 20;
const MIB: f64 = (1 << 20) as f64;

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let commit = sh::read(cmd!(sh, "git rev-parse --short HEAD"))?;
    let mut targets = Vec::new();
    for triple in TRIPLES {
        targets.extend(["--target", triple]);
    }
    sh::run(cmd!(sh, "cargo xtask dist {targets...}"))?;
    let release = tool::release(sh)?.tool;
    let version = sh::read(cmd!(sh, "{release} --version"))?;
    let version = version.trim().strip_prefix("chronoscope ").context("no version")?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let mut part = format!(
        "## What is shipped\n\n{}`cargo research shipped`, {now}.\n\n| | goal | measured |\n\
         | --- | --- | ---: |\n",
        results::this_machine(sh)
    );
    let folder = sh.create_temp_dir()?;
    for triple in TRIPLES {
        let archive = format!("chronoscope-cli-{triple}-v{version}");
        let packed = sh::target().join("archives").join(format!("{archive}.tar.gz"));
        let to = folder.path();
        sh::run(cmd!(sh, "tar -xzf {packed} -C {to}"))?;
        let tool = folder.path().join(archive).join("chronoscope");
        let size = |path: &Path| anyhow::Ok(std::fs::metadata(path)?.len() as f64);
        writeln!(part, "| `{triple}`: the tool | 9.5 MiB | {:.2} MiB |", size(&tool)? / MIB)?;
        writeln!(part, "| its archive | 3.5 MB | {:.2} MB |", size(&packed)? / 1e6)?;
        let wheel = wheel(sh, triple)?;
        writeln!(part, "| its wheel, with the module | 4.5 MB | {:.2} MB |", size(&wheel)? / 1e6)?;
        for (command, words) in [("--version", &["--version"][..]), ("list", &["list", "clocks"])] {
            let ms = start(&tool, words)? * 1e3;
            writeln!(part, "| `{command}`, median of {STARTS} starts | 10 ms | {ms:.1} ms |")?;
        }
        let (rounds, rows) = costs(sh, &tool, &release, args.rounds)?;
        writeln!(
            part,
            "| costs, shipped to release build, median of {rounds} rounds | | {rows} |"
        )?;
    }
    let small = small(sh)?;
    writeln!(part, "| without `serve` and `watch`, for this machine | 8 MiB | {small:.2} MiB |")?;
    writeln!(part, "\nMade from commit {}.", commit.trim())?;
    results::publish(sh, "shipped", &part, args.dry)
}

/// The wheel for a target, which is named after the C library that it needs.
fn wheel(sh: &Shell, triple: &str) -> Result<PathBuf> {
    let library = if triple.ends_with("musl") { "musllinux" } else { "manylinux" };
    let files = sh.read_dir(sh::target().join("archives"))?;
    let of = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "whl") && path.to_string_lossy().contains(library)
    };
    files.into_iter().find(of).with_context(|| format!("no wheel for {triple}"))
}

/// How long it takes until the program has ended, in seconds: the median.
fn start(tool: &Path, words: &[&str]) -> Result<f64> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let begin = Instant::now();
        let ended = Command::new(tool).args(words).stdout(Stdio::null()).status()?;
        anyhow::ensure!(ended.success(), "{} failed", tool.display());
        times.push(begin.elapsed().as_secs_f64());
    }
    median(times)
}

/// The ratio of each cost in two builds that take turns.
fn costs(sh: &Shell, ours: &Path, other: &Path, rounds: usize) -> Result<(usize, String)> {
    let measure = |tool: &Path| -> Result<Vec<f64>> {
        let report = report(cmd!(sh, "{tool} clocks {IDS...} --json --quiet"))?;
        let clocks = report["clocks"].as_array().context("no clocks")?;
        let cost = |id: &&str| {
            let clock = clocks.iter().find(|clock| clock["id"].as_str() == Some(id));
            let clock = clock.with_context(|| format!("no {id}"))?;
            Ok(Cost::from_throughput(&clock["cost"]["throughput"])?.typical)
        };
        IDS.iter().map(cost).collect()
    };
    let rounds = alternate(rounds, || measure(ours), || measure(other))?;
    let mut text = Vec::new();
    for (nth, id) in IDS.iter().enumerate() {
        let ratio = median(rounds.iter().map(|(ours, other)| ours[nth] / other[nth]))?;
        text.push(format!("`{id}` {ratio:.3}"));
    }
    Ok((rounds.len(), text.join(", ")))
}

/// The size in MiB of the tool without its optional features, linked by this machine's linker.
fn small(sh: &Shell) -> Result<f64> {
    let target = sh::target().join("small");
    let how = ["--quiet", "--locked", "--profile", "dist", "--no-default-features"];
    sh::run(cmd!(sh, "cargo build -p chronoscope-cli {how...} --target-dir {target}"))?;
    let (tool, stripped) = (target.join("dist/chronoscope"), target.join("stripped"));
    sh::run(cmd!(sh, "strip -o {stripped} {tool}"))?;
    Ok(std::fs::metadata(stripped)?.len() as f64 / MIB)
}
