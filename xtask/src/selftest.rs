//! Questions to the measuring engine whose answers are known, asked on this machine. They take
//! minutes and want a quiet machine, so the test suite leaves them out.

use crate::sh;
use anyhow::Result;

#[derive(clap::Args)]
pub struct Args {
    /// How often to ask
    #[arg(default_value_t = 100)]
    runs: u32,
}

/// Asks the example `selftest` of the measuring crate; it fails when the answer is wrong too often.
pub fn run(what: &str, args: &Args) -> Result<()> {
    let example = [
        "run",
        "--quiet",
        "--release",
        "-p",
        "chronoscope-measure",
        "--example",
        "selftest",
        "--",
    ];
    sh::run(
        sh::cargo()
            .args(example)
            .args([what, &args.runs.to_string()]),
    )
}
