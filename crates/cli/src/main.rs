//! The command line: which clock to use on this machine, what a read costs, what its resolution is,
//! and whether it can be trusted.

#![forbid(unsafe_code)]

mod archive;
mod baseline_name;
mod checkpoint;
mod cli;
mod code;
mod commands;
mod completions;
mod context;
mod error;
#[cfg(feature = "serve")]
mod fleet;
mod habits;
mod input;
mod man;
mod options;
mod output;
mod pictures;
mod presets;
mod progress;
mod runner;
mod screen;
#[cfg(feature = "watch")]
mod service;
mod stop;
mod task;
mod texts;
mod waits_line;

use chronoscope_probes::memory::Allocator;
use context::Context;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    chronoscope_survey::start_up();
    run().unwrap_or_else(|error| error::failed(&error))
}

fn run() -> anyhow::Result<ExitCode> {
    let (cli, options, preset) = cli::parsed(std::env::args_os().collect())?;
    let context = Context::new(options);
    if let Some(line) = preset {
        context.warn(&line);
    }
    runner::run(cli.task(&context)?, &context)
}
