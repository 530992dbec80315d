//! Reports that are kept under a name in the user's data directory, and their names.

use crate::context::Usage;
use crate::input;
use crate::output::{self, cannot_write};
use crate::task::Task;
use chronoscope_model::Report;
use chronoscope_report::{documents, json};
use etcetera::BaseStrategy;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The most names that an error lists.
const LISTED: usize = 10;
/// The longest name, so that a file can have it on every system.
const LONGEST: usize = 100;

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
    let folder = folder()?;
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
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
    Ok(Task::document(documents::comparison(&compared)?, text))
}

fn taken(name: &str) -> Usage {
    Usage(format!("there is a baseline '{name}' already: --force replaces it"))
}

/// Checks a name: the same ones are valid on every system.
///
/// # Errors
/// It could be a path, a hidden file, or a device of Windows ("Naming Files, Paths, and
/// Namespaces", reserved names; they are so with any extension).
pub fn checked_name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() || !text.chars().all(fits) || text.starts_with('.') {
        return Err(
            "a name has letters, digits and . _ - only, and does not begin with a dot".into()
        );
    }
    if text.len() > LONGEST {
        return Err(format!("a name has at most {LONGEST} characters"));
    }
    let stem = text.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let device = numbered.is_some_and(|end| end.len() == 1 && end.as_bytes()[0].is_ascii_digit());
    if device || ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) {
        return Err(format!("{stem} is a device on Windows: choose another name"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_on_every_system_and_no_path() {
        for good in ["before", "v1.2-rc_3", "COMMON", "com10", "-", "a."] {
            assert_eq!(checked_name(good).as_deref(), Ok(good));
        }
        let long = "x".repeat(300);
        for bad in [
            "", ".", "..", ".hidden", "../x", "a/b", "a\\b", "C:", "CON", "con", "nul.txt", "Lpt1",
            "com0.a", "a b", "ä", "a\n", "a\0", &long,
        ] {
            assert!(checked_name(bad).is_err(), "{bad}");
        }
    }
}
