//! The command line: what all commands have in common, and the list of commands.

use crate::commands::Command;
use crate::select::unknown;
use chronoscope_diagnose::faults;
use chronoscope_model::{Level, units};
use chronoscope_report::format::{self, Format};
use clap::builder::styling::{AnsiColor, Styles};
use std::path::PathBuf;
use std::time::Duration;

/// The whole command line.
#[derive(clap::Parser)]
#[command(
    name = "chronoscope",
    version,
    about = "Which clock to use on this machine, what a read of it costs, how fine it is, and whether it can be trusted",
    long_about = "Measures every clock of this machine and says which one to use. Without a command it shows the machine \
                  at a glance: its timer hardware, every clock with cost, resolution and verdict, what is wrong, and a \
                  sentence of advice for each common purpose.",
    after_help = "Exit codes: 0 done; 1 a finding at or above --fail-on, or an output that could not be written; 2 usage; \
                  3 nothing could be measured; 130 interrupted, after writing what was measured.\n\n\
                  Shell completions and man pages: chronoscope generate --help.",
    styles = Styles::styled()
        .header(AnsiColor::Green.on_default().bold())
        .usage(AnsiColor::Green.on_default().bold())
        .literal(AnsiColor::Cyan.on_default())
        .placeholder(AnsiColor::Cyan.on_default()),
    propagate_version = true
)]
pub struct Cli {
    /// What to do; the machine at a glance if absent.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What is the same in all commands.
    #[command(flatten)]
    pub global: Global,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What is the same in all commands; which of it a command has a use for, `fit` knows.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Common options")]
pub struct Global {
    /// Write what was found as JSON to standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Also write it in this format to this file; '-' is standard output. Repeatable.
    #[arg(long, global = true, value_name = "FORMAT=PATH", value_parser = export)]
    pub export: Vec<Export>,
    /// Wall time for measuring, such as 500ms or 10s.
    #[arg(long, global = true, value_name = "DURATION", value_parser = budget, allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Measure on this CPU; the quietest one allowed if absent.
    #[arg(long, global = true, value_name = "N", value_parser = whole::<usize>, allow_hyphen_values = true)]
    pub cpu: Option<usize>,
    /// Seed of the random order of measurement; drawn anew if absent.
    #[arg(long, global = true, value_name = "N", value_parser = whole::<u64>, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Silence a finding; see chronoscope list faults. Repeatable.
    #[arg(long, global = true, value_name = "ID", value_parser = finding)]
    pub allow: Vec<String>,
    /// Exit with 1 when there is a finding at this level or above.
    #[arg(long, global = true, value_name = "LEVEL", value_parser = level)]
    pub fail_on: Option<Level>,
    /// When to colour.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// No progress and no notes on standard error.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Show everything that is known.
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// Where a report goes, and how it is written.
#[derive(Clone)]
pub struct Export {
    /// The format.
    pub format: &'static Format,
    /// The file; absent: standard output.
    pub path: Option<PathBuf>,
}

fn export(text: &str) -> Result<Export, String> {
    let known = || {
        format::ALL
            .iter()
            .map(|format| format.id)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (id, path) = text
        .split_once('=')
        .ok_or_else(|| "write it as FORMAT=PATH, for example json=report.json".to_string())?;
    let format = format::ALL
        .iter()
        .find(|format| format.id == id)
        .ok_or_else(|| format!("no format '{id}'; there are {}", known()))?;
    if path.is_empty() {
        return Err("the path is missing; '-' is standard output".into());
    }
    Ok(Export {
        format,
        path: (path != "-").then(|| PathBuf::from(path)),
    })
}

/// The shortest budget: to get ready takes some tens of milliseconds as it is.
const LEAST_BUDGET: Duration = Duration::from_millis(1);

fn budget(text: &str) -> Result<Duration, String> {
    let budget = units::parse_duration(text).map_err(|error| error.to_string())?;
    if budget < LEAST_BUDGET {
        Err("a budget is at least 1ms, and some 100ms are of use".into())
    } else {
        Ok(budget)
    }
}

/// A whole number, which may be zero.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let why = if digits {
            "it is too large"
        } else {
            "it must be a whole number, 0 or above, in digits"
        };
        why.into()
    })
}

fn finding(text: &str) -> Result<String, String> {
    let ids = || faults::ALL.iter().map(|fault| fault.id);
    if ids().any(|id| id == text) {
        Ok(text.into())
    } else {
        Err(unknown("finding", ids(), text).to_string())
    }
}

fn level(text: &str) -> Result<Level, String> {
    match text {
        "info" => Ok(Level::Info),
        "warning" => Ok(Level::Warning),
        "error" => Ok(Level::Error),
        _ => Err("it is one of info, warning, error".into()),
    }
}
