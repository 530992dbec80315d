//! Chores of the project: tests, generated files, packages and other targets. `research` uses
//! the parts that build and run the tool.

pub mod analysis;
pub mod block;
pub mod capi;
pub mod cross;
pub mod fleet;
pub mod packages;
pub mod page;
pub mod runner;
pub mod runtimes;
pub mod sh;
pub mod tally;
pub mod tool;

use anyhow::Result;
use std::process::ExitCode;

/// All packages except those that run only on the development machine.
pub const PUBLISHED: [&str; 3] = ["--workspace", "--exclude", "xtask"];

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
