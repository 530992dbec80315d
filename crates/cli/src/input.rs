//! Reads input files. Only a regular file or standard input is accepted, and its size is limited.

use crate::error::Usage;
use chronoscope_model::Report;
use chronoscope_model::runtimes::Runtime;
use chronoscope_report::json::{self, LARGEST, ReadError};
use chronoscope_report::ndjson;
use chronoscope_report::page::embed;
use chronoscope_report::recording::{self, Reader, is_recording};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Checks that the path is a regular file: opening a pipe waits for a writer, and a device may
/// never end.
fn regular(path: &Path) -> Result<(), Usage> {
    let there = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if there.is_dir() {
        Err(no_report(path, "it is a folder"))
    } else if !there.is_file() {
        Err(no_report(path, "it is not a regular file"))
    } else {
        Ok(())
    }
}

/// Opens a regular file.
///
/// # Errors
/// It is none, or cannot be opened.
pub fn open(path: &Path) -> Result<File, Usage> {
    regular(path)?;
    File::open(path).map_err(|error| cannot_read(path, &error))
}

/// Reads the one report of a file or a page; `-` is standard input.
///
/// # Errors
/// It cannot be read, is not a report, or holds several.
pub fn report(path: &Path) -> Result<Report, Usage> {
    let mut held = reports(path)?;
    match (held.pop(), held.len()) {
        (Some((_, report)), 0) => Ok(report),
        (_, others) => {
            let line = format!("it holds {} reports, and one is needed here", others + 1);
            Err(no_report(path, &line))
        }
    }
}

/// Reads a file or, as `-`, standard input, with its name for messages.
///
/// # Errors
/// It cannot be read, or is larger than `most` bytes.
pub fn bytes(path: &Path, most: u64) -> Result<(String, Vec<u8>), Usage> {
    let (name, mut bytes) = (Path::new("standard input"), Vec::new());
    let (name, read) = if path == Path::new("-") {
        (name, std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes))
    } else {
        (path, open(path)?.take(most + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| cannot_read(name, &error))?;
    if bytes.len() as u64 > most {
        let why = format!("it is larger than {} MiB; give the lines about time", most >> 20);
        return Err(no_report(name, &why));
    }
    Ok((name.display().to_string(), bytes))
}

/// The one report that bytes hold.
///
/// # Errors
/// They hold none, or several.
pub fn held(bytes: &[u8], name: &str) -> Result<Report, Usage> {
    let mut held = if is_recording(bytes) {
        recorded(bytes, Path::new(name))?
    } else {
        parsed(bytes, Path::new(name))?
    };
    match (held.pop(), held.len()) {
        (Some((_, report)), 0) => Ok(report),
        (_, others) => {
            let line = format!("it holds {} reports, and one is needed here", others + 1);
            Err(no_report(Path::new(name), &line))
        }
    }
}

/// Reads a file or a page; `-` is standard input. The name of a report is that of its file; in a
/// page with several it is a name in that file, like one in a folder.
///
/// # Errors
/// It cannot be read, or holds no report.
pub fn reports(path: &Path) -> Result<Vec<(String, Report)>, Usage> {
    if path == Path::new("-") {
        let (mut from, path) = (std::io::stdin().lock(), Path::new("standard input"));
        let first = from.fill_buf().map_err(|error| cannot_read(path, &error))?;
        return if is_recording(first) { recorded(from, path) } else { parsed(from, path) };
    }
    let mut file = BufReader::new(open(path)?);
    if is_recording(file.fill_buf().map_err(|error| cannot_read(path, &error))?) {
        return recorded(file, path);
    }
    let size = file.get_ref().metadata().map_or(0, |there| there.len());
    if size > LARGEST as u64 {
        let bytes = usize::try_from(size).unwrap_or(usize::MAX);
        return Err(no_report(path, &ReadError::TooLarge { bytes }.to_string()));
    }
    parsed(file, path)
}

/// Whether a file that can be read is a recording of `watch`.
pub fn holds_recording(path: &Path) -> bool {
    let begins = |file| is_recording(BufReader::new(file).fill_buf().unwrap_or_default());
    open(path).is_ok_and(begins)
}

/// Makes a report of a recording of `watch`, which may be larger than a report.
fn recorded(from: impl BufRead, path: &Path) -> Result<Vec<(String, Report)>, Usage> {
    let read = Reader::new(from).and_then(recording::report);
    let mut report = read.map_err(|error| cannot_read(path, &error))?;
    chronoscope_diagnose::judge(&mut report);
    Ok(vec![(path.display().to_string(), report)])
}

/// The runtimes of reports, to be shown next to those of another.
///
/// # Errors
/// A report cannot be read, is not a report, or has no runtimes.
pub fn runtimes(paths: &[PathBuf]) -> Result<Vec<Runtime>, Usage> {
    let mut all = Vec::new();
    for path in paths {
        let report = report(path)?;
        if report.runtimes.is_empty() {
            let why = "it has no runtimes; `chronoscope runtimes --export json=PATH` writes a \
                       report that has";
            return Err(no_report(path, why));
        }
        all.extend(report.runtimes);
    }
    Ok(all)
}

/// Parses the reports that are read from `from`. Errors name `path`.
fn parsed(from: impl Read, path: &Path) -> Result<Vec<(String, Report)>, Usage> {
    let mut bytes = Vec::new();
    // A file may grow while it is read, and a pipe may never end.
    from.take(LARGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(path, &error))?;
    if bytes.is_empty() {
        return Err(no_report(path, "it is empty"));
    }
    let held = recorded_lines(&bytes).or_else(|| embed::held(&bytes));
    let held =
        held.unwrap_or_else(|| json::read(&bytes).map(|report| vec![(String::new(), report)]));
    let mut held = held.map_err(|error| no_report(path, &error.to_string()))?;
    let shown = path.display().to_string();
    match &mut held[..] {
        [(name, _)] => *name = shown,
        several => several.iter_mut().for_each(|(name, _)| *name = format!("{shown}/{name}")),
    }
    Ok(held)
}

/// The reports that records hold, which NDJSON has on its lines; `None` if these are no records.
fn recorded_lines(bytes: &[u8]) -> Option<Result<Vec<(String, Report)>, ReadError>> {
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    if !ndjson::is_record(first) {
        return None;
    }
    let (mut records, mut all) = (ndjson::Records::default(), Vec::new());
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    for line in lines {
        match records.add(line) {
            Ok(ended) => all.extend(ended),
            Err(error) => return Some(Err(error)),
        }
    }
    let last = records.end().map(|last| all.extend(last));
    let numbered = || (1..).map(|at| at.to_string()).zip(all).collect();
    Some(last.map(|()| numbered()))
}

/// What several inputs are called: without the folder if that tells them apart. No two names are
/// equal.
pub fn names(reports: &[(String, Report)]) -> Vec<String> {
    let short = |path: &str| {
        Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = Vec::new();
    for (path, _) in reports {
        let alone = reports.iter().filter(|(other, _)| short(other) == short(path)).count() == 1;
        let name = if alone { short(path) } else { path.clone() };
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|it| !names.contains(it));
        names.extend(free);
    }
    names
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Usage {
    Usage(format!("cannot read {}: {error}", path.display()))
}

fn no_report(path: &Path, why: &str) -> Usage {
    Usage(format!("{}: {why}", path.display()))
}
