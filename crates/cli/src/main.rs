//! The command line: which clock to use on this machine, what a read costs, what its resolution is,
//! and whether it can be trusted.

#![forbid(unsafe_code)]

#[macro_use]
mod context;

mod archive;
mod cli;
mod commands;
mod generate;
mod input;
mod options;
mod output;
mod presets;
mod progress;
mod runner;
mod task;
mod texts;

use chronoscope_probes::memory::Allocator;
use context::Context;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    if let Err(why) = chronoscope_probes::time::ensure_clocks() {
        let why = format!("no clock can be read: {why}");
        return context::failed(&chronoscope_survey::Error::Nothing(why).into());
    }
    chronoscope_survey::start_up();
    run().unwrap_or_else(|error| context::failed(&error))
}

fn run() -> anyhow::Result<ExitCode> {
    let (cli, options, preset) = cli::parsed(std::env::args_os().collect())?;
    let context = Context::new(options);
    let Some((preset, line)) = preset else {
        return runner::run(cli.task(&context)?, &context);
    };
    if let Some(line) = line {
        context.warn(&line);
    }
    let done = runner::run(cli.task(&context)?, &context)?;
    // Whatever stopped it comes before what to run next.
    if done == ExitCode::SUCCESS {
        context.warn(&preset.next());
    }
    Ok(done)
}
