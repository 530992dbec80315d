//! A small report of each target, kept in `docs/reports`: what the tool finds there, and something
//! for `chronoscope compare` to read.

use crate::sh;
use crate::suite::follows_schema;
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// Long enough for every clock and a few waits, and short enough that the file stays small.
const ARGS: [&str; 3] = ["--json", "--budget", "10s"];
const LIMIT: Duration = Duration::from_secs(120);

/// The report of this machine, by the tool as users build it.
pub fn native() -> Result<()> {
    sh::run(sh::cargo().args(["build", "--release", "--quiet", "-p", "chronoscope-cli"]))?;
    let tool = sh::target().join("release/chronoscope");
    write("x86_64-unknown-linux-gnu", sh::program(tool))
}

/// Writes the report that the tool makes.
pub fn write(triple: &str, mut tool: Command) -> Result<()> {
    let text = sh::capture(&mut sh::within(LIMIT, tool.args(ARGS)))?;
    let mut report: Value = serde_json::from_str(&text).context("what it printed is no JSON")?;
    // Where the tool lay is this machine's affair.
    report["run"]["argv"][0] = "chronoscope".into();
    follows_schema(&report)?;
    let path = sh::root().join(format!("docs/reports/{triple}.json"));
    sh::write(&path, format!("{report}\n"))?;
    println!("docs/reports/{triple}.json");
    Ok(())
}
