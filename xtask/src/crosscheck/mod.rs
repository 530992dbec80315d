//! The costs that chronoscope finds, against those of Google Benchmark and criterion.
//!
//! All three time the same calls (`xtask/crosscheck/calls.hpp`) on the same processor, in turns,
//! so that a slow spell hits all of them.

mod chronoscope;
mod criterion;
mod google;
mod table;

use crate::packages::{self, Need};
use crate::{results, sh};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Args {
    /// How often each tool takes its turn
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The processor all of them run on
    #[arg(long, default_value_t = 0)]
    cpu: usize,
    /// Leaves out criterion, which takes minutes
    #[arg(long)]
    quick: bool,
    /// Prints the result and leaves docs/RESULTS.md as it is
    #[arg(long)]
    dry_run: bool,
}

/// The calls, by their id in the catalogue, in the order of `calls.hpp`.
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

/// What a tool says of a call, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl Interval {
    /// Half the width, in percent of the value.
    fn percent(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value * 100.0
    }
}

/// A tool's intervals, and how long it took to find them.
struct Run<T> {
    of: BTreeMap<String, T>,
    time: Duration,
}

pub fn run(args: &Args) -> Result<()> {
    if args.rounds == 0 {
        bail!("at least one round is needed");
    }
    packages::install(&[Need::Build, Need::Crosscheck])?;
    let missing = packages::missing(Need::Crosscheck);
    if !missing.is_empty() {
        bail!("missing: {}", missing.join(", "));
    }
    let tool = chronoscope::build()?;
    let google = google::build()?;
    if !args.quick {
        criterion::build()?;
    }

    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for round in 1..=args.rounds {
        println!("round {round} of {}", args.rounds);
        ours.push(chronoscope::measure(&tool, args.cpu)?);
        theirs.push(google::measure(&google, args.cpu)?);
    }
    let criterion = (!args.quick)
        .then(|| criterion::measure(args.cpu))
        .transpose()?;

    let part = table::part(&ours, &theirs, criterion.as_ref());
    println!("{part}");
    if args.dry_run {
        return Ok(());
    }
    results::replace("crosscheck", &part)
}

/// A command on one processor.
fn pinned(cpu: usize, program: &std::path::Path) -> std::process::Command {
    sh::pinned(cpu, &sh::program(program))
}

fn folder() -> std::path::PathBuf {
    sh::target().join("crosscheck")
}
