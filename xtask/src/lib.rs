//! What all chores share: other programs, the packages that they need, and counts of checks.

pub mod block;
pub mod packages;
pub mod runner;
pub mod sh;
pub mod tally;

use anyhow::Result;
use std::process::ExitCode;

/// All packages except those that run only on the development machine.
pub const PUBLISHED: [&str; 5] =
    ["--workspace", "--exclude", "xtask", "--exclude", "chronoscope-ci"];

/// Prints why a command failed, if it did, and returns the exit code.
pub fn ended(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
