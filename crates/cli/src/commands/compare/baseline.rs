//! Reports that are kept under a name in the user's data directory.

use crate::context::Usage;
use crate::input;
use crate::options::checked_name;
use crate::output::{self, cannot_write};
use crate::task::Task;
use chronoscope_model::Report;
use chronoscope_report::json;
use etcetera::BaseStrategy;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most names that an error lists.
const LISTED: usize = 10;

/// The folder of the baselines, whether or not it exists.
fn folder() -> anyhow::Result<PathBuf> {
    let base = etcetera::choose_base_strategy();
    let base = base.map_err(|error| anyhow::anyhow!("no folder for baselines: {error}"))?;
    Ok(base.data_dir().join("chronoscope").join("baselines"))
}

fn file(name: &str) -> anyhow::Result<PathBuf> {
    Ok(folder()?.join(format!("{name}.json")))
}

/// The report that was saved under a name.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn report(name: &str) -> anyhow::Result<Report> {
    let file = file(name)?;
    if fs::symlink_metadata(&file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(unknown(name)?.into());
    }
    Ok(input::report(&file)?)
}

/// The error for a name that no report has: the names that exist, and where they are.
fn unknown(name: &str) -> anyhow::Result<Usage> {
    let folder = folder()?;
    let files = fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let names = names.filter_map(|file| checked_name(file.strip_suffix(".json")?).ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let names = match (names.join(", "), more) {
        (names, 0) if names.is_empty() => "none was saved yet".into(),
        (names, 0) => format!("saved are {names}"),
        (names, more) => format!("saved are {names} and {more} more"),
    };
    Ok(Usage(format!("there is no baseline '{name}': {names} (in {})", folder.display())))
}

/// Checks, before anything is measured, whether a report can be saved under a name.
///
/// # Errors
/// The name is taken and not to be replaced, or its folder cannot be written.
pub fn check(name: &str, replace: bool) -> anyhow::Result<()> {
    let file = file(name)?;
    if !replace && file.exists() {
        return Err(taken(name).into());
    }
    output::check_folder(&folder()?)?;
    output::check(&file)
}

/// Saves a report under a name: the file is written whole or not at all. Returns where it is.
///
/// # Errors
/// See [`check`]; of two that save under one name at once, one fails unless it replaces the other.
pub fn save(name: &str, replace: bool, report: &Report) -> anyhow::Result<PathBuf> {
    check(name, replace)?;
    let (file, mut bytes) = (file(name)?, Vec::new());
    json::write(report, &mut bytes)?;
    if replace {
        output::write_whole(&file, &bytes)?;
    } else {
        output::write_new(&file, &bytes).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => taken(name).into(),
            _ => cannot_write(&file, &error),
        })?;
    }
    Ok(file)
}

/// Says where a report was saved. For a program, the document names the report.
pub fn saved(name: &str, path: &Path, report: Report) -> anyhow::Result<Task> {
    let path = path.display();
    let text = format!("Saved as {name}: {path}\nCompare with it: --baseline {name}\n");
    let compared = chronoscope_diagnose::compare(&[(path.to_string(), report)]);
    Ok(Task::document(json::comparison(&compared)?, text))
}

fn taken(name: &str) -> Usage {
    Usage(format!("there is a baseline '{name}' already: --force replaces it"))
}
