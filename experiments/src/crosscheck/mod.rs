//! Compares chronoscope's costs with those of Google Benchmark and criterion.
//!
//! All three time the same calls (`experiments/crosscheck/calls.hpp`) on the same CPU. chronoscope and
//! Google Benchmark alternate, so that a slow period of the machine affects both.

mod chronoscope;
mod criterion;
mod google;
mod run;
mod table;

use crate::results;
use anyhow::{Result, bail};
use xshell::Shell;
use xtask::packages::{self, Need};

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

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.rounds == 0 {
        bail!("at least one round is needed");
    }
    packages::require(sh, &[Need::Build, Need::Crosscheck])?;
    let tool = chronoscope::build(sh)?;
    let google = google::build(sh)?;
    if !args.quick {
        criterion::build(sh)?;
    }

    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for round in 1..=args.rounds {
        println!("round {round} of {}", args.rounds);
        ours.push(chronoscope::measure(sh, &tool, args.cpu)?);
        theirs.push(google::measure(sh, &google, args.cpu)?);
    }
    let criterion = (!args.quick).then(|| criterion::measure(sh, args.cpu)).transpose()?;

    let part = table::part(&ours, &theirs, criterion.as_ref());
    println!("{part}");
    if args.dry_run {
        return Ok(());
    }
    results::replace(sh, "crosscheck", &part)
}
