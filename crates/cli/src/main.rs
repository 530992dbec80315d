//! The command line: which clock to use on this machine, what a read costs, what its resolution is,
//! and whether it can be trusted.

#![forbid(unsafe_code)]

mod cli;
mod code;
mod commands;
mod context;
mod error;
mod finish;
mod input;
mod man;
mod options;
mod output;
mod progress;
mod stop;
mod uses;
mod view;

use clap::FromArgMatches;
use cli::Cli;
use commands::Run;
use context::Context;
use std::process::ExitCode;

fn main() -> ExitCode {
    chronoscope_survey::start_up();
    let matches = cli::command_line().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return finish::not_parsed(&error),
    };
    match run(cli) {
        Ok(code) => code,
        Err(error) => finish::failed(&error),
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let uses = cli.uses();
    if let (Some(_), Some(option)) = (&cli.command, cli.summary.given()) {
        uses.refuse(true, option)?;
    }
    uses::check(&uses, &cli.global)?;
    let context = Context::new(cli.global, &uses)?;
    match cli.command {
        Some(command) => command.run(&context),
        None => cli.summary.run(&context),
    }
}
