//! The command line as a whole.

use crate::commands::{self, Command};
use crate::options::Global;
use crate::uses::Uses;
use clap::builder::styling::{AnsiColor, Styles};

/// The command line.
#[derive(clap::Parser)]
#[command(
    name = "chronoscope",
    version,
    about = "Shows which clock to use on this machine, what a read costs, what its resolution is, \
             and whether it can be trusted",
    long_about = "Measures every clock of this machine and advises which one to use. Without a \
                  command it shows the machine at a glance: its timer hardware; every clock with \
                  its cost, resolution and verdict; problems; and advice for each common purpose.",
    after_help = "Exit codes: 0 done; 1 a finding at or above --fail-on, or an output that could \
                  not be written; 2 usage; 3 nothing could be measured; 130 interrupted, after \
                  writing what was measured.\n\nShell completions and man pages: chronoscope \
                  generate --help.",
    styles = Styles::styled()
        .header(AnsiColor::Green.on_default().bold())
        .usage(AnsiColor::Green.on_default().bold())
        .literal(AnsiColor::Cyan.on_default())
        .placeholder(AnsiColor::Cyan.on_default()),
    propagate_version = true
)]
pub struct Cli {
    /// The command; without one, the machine at a glance.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of all commands.
    #[command(flatten)]
    pub global: Global,
}

impl Cli {
    /// Which common options apply.
    pub fn uses(&self) -> Uses {
        match &self.command {
            Some(command) => command.uses(),
            None => commands::SUMMARY,
        }
    }
}
