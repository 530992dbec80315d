//! The options that all commands have in common.

use chronoscope_diagnose::faults;
use chronoscope_model::units::parse_whole;
use chronoscope_model::{Level, units};
use chronoscope_report::format::{self, Format};
use chronoscope_survey::select::unknown;
use std::path::PathBuf;
use std::time::Duration;

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

/// The options that all commands have in common; `uses` defines which apply to a command.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Common options")]
pub struct Global {
    /// Write the result as JSON to standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Also write the result in this format to this file; '-' is standard output. Repeatable.
    #[arg(long, global = true, value_name = "FORMAT=PATH", value_parser = export)]
    pub export: Vec<Export>,
    /// Time for measuring, such as 500ms or 10s.
    #[arg(long, global = true, value_name = "DURATION", value_parser = budget)]
    #[arg(allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Measure on this CPU instead of the quietest.
    #[arg(long, global = true, value_name = "N", value_parser = parse_whole::<usize>)]
    #[arg(allow_hyphen_values = true)]
    pub cpu: Option<usize>,
    /// Seed of the random order of measurement, instead of a random one.
    #[arg(long, global = true, value_name = "N", value_parser = parse_whole::<u64>)]
    #[arg(allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Ignore this finding; see chronoscope list faults. Repeatable.
    #[arg(long, global = true, value_name = "ID", value_parser = finding)]
    pub allow: Vec<String>,
    /// Exit with 1 if there is a finding at this level or above.
    #[arg(long, global = true, value_name = "LEVEL", value_parser = level)]
    pub fail_on: Option<Level>,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// Show no progress and no warnings.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Show everything that is known, with the machine, the ruler and the noise of the run.
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// Where a report goes, and in which format.
#[derive(Clone)]
pub struct Export {
    /// The format.
    pub format: &'static Format,
    /// The file; absent: standard output.
    pub path: Option<PathBuf>,
}

fn export(text: &str) -> Result<Export, String> {
    let (id, path) =
        text.split_once('=').ok_or("it must be FORMAT=PATH, for example json=report.json")?;
    let format = format::find(id).ok_or_else(|| {
        let ids: Vec<&str> = format::ALL.iter().map(|format| format.id).collect();
        format!("there is no format '{id}': use one of {}", ids.join(", "))
    })?;
    if path.is_empty() {
        return Err("the path is missing; '-' is standard output".into());
    }
    Ok(Export { format, path: (path != "-").then(|| PathBuf::from(path)) })
}

/// The shortest budget: preparation alone takes tens of milliseconds.
const LEAST_BUDGET: Duration = Duration::from_millis(1);

fn budget(text: &str) -> Result<Duration, String> {
    let budget = units::parse_duration(text).map_err(|error| error.to_string())?;
    if budget < LEAST_BUDGET {
        Err("a budget must be at least 1ms; hundreds of milliseconds are useful".into())
    } else {
        Ok(budget)
    }
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
        _ => Err("it must be info, warning or error".into()),
    }
}
