//! A self-test of the measuring engine on this machine, with a known answer. It takes a minute and
//! needs a quiet machine, so it is not part of `cargo xtask test`.

use anyhow::Result;
use chronoscope_ci::sh;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions
    #[arg(default_value_t = 100)]
    runs: u32,
}

/// Runs the `resolve` example of the measuring crate, which fails if too many answers are wrong.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let runs = args.runs.to_string();
    let example = ["-p", "chronoscope-measure", "--example", "resolve"];
    sh::run(cmd!(sh, "cargo run --quiet --release {example...} -- {runs}"))
}
