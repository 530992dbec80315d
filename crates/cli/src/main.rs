//! Which clock to use on this machine, what a read of it costs, how fine it is, and whether it
//! can be trusted.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod context;
mod finish;
mod fit;
mod input;
mod output;
mod progress;
mod select;

use chronoscope_probes::load;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A new process that reads one clock for the first time: nothing may come before it.
    if let Some(code) = commands::first::requested().or_else(load::requested) {
        return code;
    }
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return finish::told(&told),
    };
    if let Some(commands::Command::Waits(_)) = cli.command {
        commands::waits::before_threads();
    }
    match fit::check(cli.command.as_ref(), &cli.global)
        .and_then(|()| context::Context::new(&cli.global))
        .and_then(|context| commands::run(cli.command, &context))
    {
        Ok(code) => code,
        Err(error) => finish::failed(&error),
    }
}
