//! The command line: which clock to use on this machine, what a read costs, what its resolution is,
//! and whether it can be trusted.

#![forbid(unsafe_code)]

mod cli;
mod commands;
mod context;
mod error;
mod finish;
mod input;
mod options;
mod output;
mod progress;
mod uses;

use clap::{CommandFactory, Parser};
use cli::Cli;
use context::Context;
use std::process::ExitCode;

fn main() -> ExitCode {
    chronoscope_survey::start_up();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return finish::not_parsed(&error),
    };
    match run(cli) {
        Ok(code) => code,
        Err(error) => finish::failed(&error),
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    uses::check(&cli.uses(), &cli.global)?;
    let context = Context::new(cli.global, Cli::command())?;
    match cli.command {
        Some(command) => command.run(&context),
        None => commands::summary(&context),
    }
}
