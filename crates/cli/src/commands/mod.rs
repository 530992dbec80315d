//! The commands, one file each: its arguments, and what it does.

use crate::context::Context;
use std::process::ExitCode;

pub mod advise;
pub mod calls;
pub mod clocks;
pub mod deltas;
pub mod explain;
pub mod first;
pub mod generate;
pub mod glance;
pub mod hardware;
pub mod list;
mod measuring;
pub mod overhead;
pub mod waits;

/// What to do.
#[derive(clap::Subcommand)]
pub enum Command {
    /// What does each clock cost, and how fine is it?
    Clocks(clocks::Args),
    /// What lies between two reads in a row?
    Deltas(deltas::Args),
    /// The mean of a million calls, of ten, and one alone, in three passes.
    Calls(calls::Args),
    /// What does timing add to my loop?
    Overhead(overhead::Args),
    /// How exactly can I wait here?
    Waits(Box<waits::Args>),
    /// Which timer hardware, which kernel clock source, which hypervisor, and why?
    Hardware(hardware::Args),
    /// Which clock should I use, and the line of code.
    Advise(advise::Args),
    /// What is there, and why what is not there is not.
    List(list::Args),
    /// One page on a clock, a wait, a finding, a purpose or a column.
    Explain(explain::Args),
    /// Shell completions, man pages, or the JSON Schema.
    #[command(hide = true)]
    Generate(generate::Args),
}

/// Runs it.
///
/// # Errors
/// One clear line, and by its type the exit code.
pub fn run(command: Option<Command>, context: &Context) -> anyhow::Result<ExitCode> {
    match command {
        None => glance::run(context),
        Some(Command::Clocks(args)) => clocks::run(args, context),
        Some(Command::Deltas(args)) => deltas::run(args, context),
        Some(Command::Calls(args)) => calls::run(args, context),
        Some(Command::Overhead(args)) => overhead::run(args, context),
        Some(Command::Waits(args)) => waits::run(*args, context),
        Some(Command::Hardware(args)) => hardware::run(args, context),
        Some(Command::Advise(args)) => advise::run(args, context),
        Some(Command::List(args)) => list::run(args, context),
        Some(Command::Explain(args)) => explain::run(args, context),
        Some(Command::Generate(args)) => generate::run(args),
    }
}
