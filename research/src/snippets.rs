//! Whether the code of waits that `advise` prints keeps the figures above it.

use anyhow::Result;
use chronoscope_ci::{sh, tool};
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// The durations
    #[arg(default_values = ["1ms", "16.7ms"])]
    durations: Vec<String>,
}

/// Compiles and runs each snippet, and compares it with the advice: within 1.5 points of a CPU, and
/// 25 % or 5 us.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    let durations = &args.durations;
    sh::run(cmd!(sh, "python3 -B research/python/snippets.py {tool} {durations...}"))
}
