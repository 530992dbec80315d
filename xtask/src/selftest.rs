//! Self-tests of the measuring engine whose answers are known, run on this machine. They take
//! minutes and need a quiet machine, so they are not part of the tests.

use crate::sh;
use anyhow::Result;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// How many times to ask
    #[arg(default_value_t = 100)]
    runs: u32,
}

/// Runs the example `selftest` of the measuring crate; it fails if too many answers are wrong.
pub fn run(sh: &Shell, what: &str, args: &Args) -> Result<()> {
    let runs = args.runs.to_string();
    let example = ["-p", "chronoscope-measure", "--example", "selftest"];
    sh::run(cmd!(
        sh,
        "cargo run --quiet --release {example...} -- {what} {runs}"
    ))
}
