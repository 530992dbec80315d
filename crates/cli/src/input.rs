//! Reads input files. Only a regular file or standard input is accepted, and its size is limited.
//! The reports of a folder, a stream or a pattern of names are read one at a time, so that any
//! number of them needs the memory of one.

use crate::context::Usage;
use chronoscope_model::Report;
use chronoscope_model::runtimes::Runtime;
use chronoscope_report::json::{self, LARGEST, ReadError};
use chronoscope_report::page::embed;
use chronoscope_report::recording::{self, FIRST, Reader, is_recording};
use glob_match::glob_match;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
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
    one_of(reports(path)?, path)
}

fn one_of(mut held: Vec<(String, Report)>, path: &Path) -> Result<Report, Usage> {
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
        (name, io::stdin().lock().take(most + 1).read_to_end(&mut bytes))
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
    let name = Path::new(name);
    let recording = is_recording(bytes);
    one_of(if recording { recorded(bytes, name)? } else { parsed(bytes, name)? }, name)
}

/// Reads a file or a page; `-` is standard input. The name of a report is that of its file; in a
/// page with several it is a name in that file, like one in a folder.
///
/// # Errors
/// It cannot be read, or holds no report.
pub fn reports(path: &Path) -> Result<Vec<(String, Report)>, Usage> {
    if path == Path::new("-") {
        let (mut from, path) = (io::stdin().lock(), Path::new("standard input"));
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
    // The standard library searches faster than this crate, which is compiled without optimisation.
    let lines = || BufRead::split(bytes, b'\n').map_while(Result::ok);
    if !json::is_record(&lines().next()?) {
        return None;
    }
    let read = || {
        let (mut records, mut all) = (json::Records::default(), Vec::new());
        for line in lines().filter(|line| !line.trim_ascii().is_empty()) {
            all.extend(records.add(&line)?);
        }
        all.extend(records.end()?);
        Ok((1..).map(|at| at.to_string()).zip(all).collect())
    };
    Some(read())
}

/// What several inputs are called: without the folder if that tells them apart. No two names are
/// equal.
pub fn names(reports: &[(String, Report)]) -> Vec<String> {
    let short = |path: &str| file_name(Path::new(path));
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

fn cannot_read(path: &Path, error: &io::Error) -> Usage {
    Usage(format!("cannot read {}: {error}", path.display()))
}

fn no_report(path: &Path, why: &str) -> Usage {
    Usage(format!("{}: {why}", path.display()))
}

/// What is done with each report: it gets the name of the file, and why it cannot be read if so.
pub type Each<'a> = dyn FnMut(String, Result<Report, String>) + 'a;

/// The extensions of files that hold a report on each line.
const STREAMS: [&str; 2] = ["ndjson", "jsonl"];
/// The extensions of a report, and of a page with reports.
const DOCUMENTS: [&str; 2] = ["json", "html"];

/// Whether a path is a folder of reports, a file or standard input with a report on each line, or a
/// pattern such as `before/*.json`.
pub fn holds_several(path: &Path) -> bool {
    path.is_dir()
        || pattern(path).is_some()
        || match path == Path::new("-") {
            // It begins like a line of NDJSON. A report that this tool writes as one document has a
            // line for each key.
            true => stdin_begins(b"{\"") && !stdin_begins(FIRST),
            false => is_stream(path) && !holds_records_of_one(path),
        }
}

/// The pattern that the last part of a path is, if there is no file of that name.
fn pattern(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|it| it.contains(['*', '?', '[', '{']) && !path.exists())
}

/// A recording of `watch` has lines, too, and is one report.
fn is_stream(path: &Path) -> bool {
    let begins = |file| is_recording(BufReader::new(file).fill_buf().unwrap_or_default());
    has_extension(path, STREAMS) && !open(path).is_ok_and(begins)
}

fn has_extension(path: &Path, known: [&str; 2]) -> bool {
    path.extension().is_some_and(|own| known.iter().any(|it| own.eq_ignore_ascii_case(it)))
}

/// Whether the lines of a stream are the records of one report, which is then compared as such.
fn holds_records_of_one(path: &Path) -> bool {
    let Ok(file) = open(path) else { return false };
    // A line of an untrusted file may never end.
    let lines = BufReader::new(file.take(LARGEST as u64)).split(b'\n').map_while(Result::ok);
    let mut lines = lines.filter(|line| !line.trim_ascii().is_empty()).peekable();
    lines.peek().is_some_and(|line| json::is_record(line))
        && lines.filter(|line| json::begins_report(line)).take(2).count() == 1
}

/// Whether standard input begins like this. Nothing is taken from it.
fn stdin_begins(with: &[u8]) -> bool {
    let mut stdin = io::stdin().lock();
    stdin.fill_buf().is_ok_and(|start| start.trim_ascii_start().starts_with(with))
}

/// Reads the reports of a folder (its files `*.json` and `*.html` and the streams in it, by name),
/// of a stream, of a page, or a single one.
///
/// # Errors
/// The folder or the stream cannot be read. A report that cannot be read is passed on as such.
pub fn each_report(path: &Path, found: &mut Each) -> Result<(), Usage> {
    if path == Path::new("-") && !stdin_begins(b"<") && !stdin_begins(FIRST) {
        return lines("standard input", io::stdin().lock(), found);
    }
    if let Some(names) = pattern(path) {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let mut files = listed(folder.unwrap_or(Path::new(".")))?;
        files.retain(|file| glob_match(names, &file_name(file)));
        if files.is_empty() {
            refuse!("{}: no file has such a name", path.display());
        }
        return all(files, found);
    }
    if !path.is_dir() {
        return one(path, found);
    }
    let mut files = listed(path)?;
    files.retain(|file| is_stream(file) || has_extension(file, DOCUMENTS));
    if files.is_empty() {
        refuse!("{}: there is no file *.json or *.html in it", path.display());
    }
    all(files, found)
}

/// What a folder holds.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Usage> {
    let files = fs::read_dir(folder).and_then(|all| all.map(|file| Ok(file?.path())).collect());
    files.map_err(|error| cannot_read(folder, &error))
}

/// Reads files by name. One that cannot be read is passed on as such.
fn all(mut files: Vec<PathBuf>, found: &mut Each) -> Result<(), Usage> {
    files.sort();
    for file in files {
        if let Err(error) = one(&file, found) {
            found(file_name(&file), Err(why(&file, error)));
        }
    }
    Ok(())
}

fn one(path: &Path, found: &mut Each) -> Result<(), Usage> {
    if is_stream(path) {
        let file = open(path)?;
        return lines(&file_name(path), BufReader::new(file), found);
    }
    match reports(path) {
        Ok(reports) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            for (file, report) in reports {
                let own = Path::new(&file);
                found(own.strip_prefix(folder).unwrap_or(own).display().to_string(), Ok(report));
            }
        }
        Err(error) => found(file_name(path), Err(why(path, error))),
    }
    Ok(())
}

/// The file alone: its folder is the same for all.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The error without the path, which stands beside it.
fn why(path: &Path, Usage(error): Usage) -> String {
    let shown = path.display().to_string();
    let error =
        error.strip_prefix(&shown).map_or(error.as_str(), |rest| rest.trim_start_matches(": "));
    error.replace(&shown, "it")
}

/// Reads a report from each line, or the records of one after the other. A line that is too long
/// for a report ends the stream.
fn lines(name: &str, mut from: impl BufRead, found: &mut Each) -> Result<(), Usage> {
    let (mut line, mut number) = (Vec::new(), 0);
    let (mut records, mut recorded) = (json::Records::default(), None);
    let told = |error: ReadError| error.to_string();
    loop {
        line.clear();
        let read = from.by_ref().take(LARGEST as u64 + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Usage(format!("cannot read {name}: {error}")))?;
        if read == 0 {
            if let Some(last) = records.end().transpose() {
                found(name.into(), last.map_err(told));
            }
            return Ok(());
        }
        number += 1;
        if read <= LARGEST && line.trim_ascii().is_empty() {
            continue;
        }
        let at = || format!("{name}:{number}");
        let is_record = *recorded.get_or_insert_with(|| json::is_record(&line));
        if is_record && read <= LARGEST {
            if let Some(report) = records.add(&line).transpose() {
                found(at(), report.map_err(told));
            }
            continue;
        }
        found(at(), json::read(&line).map_err(told));
        if read > LARGEST {
            return Ok(());
        }
    }
}
