//! Self-tests of the measuring engine on this machine, with known answers. They take minutes and
//! need a quiet machine, so they are not part of `cargo xtask test`.

use crate::sh;
use anyhow::Result;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions
    #[arg(default_value_t = 100)]
    runs: u32,
}

/// Runs the `selftest` example of the measuring crate, which fails if too many answers are wrong.
pub fn run(sh: &Shell, what: &str, args: &Args) -> Result<()> {
    let runs = args.runs.to_string();
    let example = ["-p", "chronoscope-measure", "--example", "selftest"];
    sh::run(cmd!(
        sh,
        "cargo run --quiet --release {example...} -- {what} {runs}"
    ))
}
