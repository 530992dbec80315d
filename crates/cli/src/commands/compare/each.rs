//! The reports of a folder, a stream or a pattern of names, one at a time, so that any number of
//! them needs the memory of one.

use crate::error::Usage;
use crate::input;
use chronoscope_model::Report;
use chronoscope_report::json::{self, LARGEST};
use chronoscope_report::ndjson;
use chronoscope_report::recording::FIRST;
use glob_match::glob_match;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

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
            true => stdin_is_stream(),
            false => is_stream(path) && !holds_records_of_one(path),
        }
}

/// The pattern that the last part of a path is, if there is no file of that name.
fn pattern(path: &Path) -> Option<&str> {
    path.file_name()?.to_str().filter(|it| it.contains(['*', '?', '[', '{']) && !path.exists())
}

/// A recording of `watch` has lines, too, and is one report.
fn is_stream(path: &Path) -> bool {
    STREAMS.iter().any(|it| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(it)))
        && !input::holds_recording(path)
}

/// Whether the lines of a stream are the records of one report, which is then compared as such.
fn holds_records_of_one(path: &Path) -> bool {
    let Ok(file) = input::open(path) else { return false };
    // A line of an untrusted file may never end.
    let lines = BufReader::new(file.take(LARGEST as u64)).split(b'\n').map_while(Result::ok);
    let mut lines = lines.filter(|line| !line.trim_ascii().is_empty()).peekable();
    lines.peek().is_some_and(|line| ndjson::is_record(line))
        && lines.filter(|line| ndjson::begins_report(line)).take(2).count() == 1
}

/// Whether standard input begins like a line of NDJSON. A report that this tool writes as one
/// document has a line for each key.
fn stdin_is_stream() -> bool {
    stdin_begins(b"{\"") && !stdin_begins(FIRST)
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
pub fn each(path: &Path, found: &mut Each) -> Result<(), Usage> {
    if path == Path::new("-") && !stdin_begins(b"<") && !stdin_begins(FIRST) {
        return lines("standard input", io::stdin().lock(), found);
    }
    if let Some(names) = pattern(path) {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let mut files = listed(folder.unwrap_or(Path::new(".")))?;
        files.retain(|file| glob_match(names, &name(file)));
        if files.is_empty() {
            return Err(Usage(format!("{}: no file has such a name", path.display())));
        }
        return all(files, found);
    }
    if !path.is_dir() {
        return one(path, found);
    }
    let mut files = listed(path)?;
    files.retain(|file| {
        let is = |it: &&str| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(it));
        is_stream(file) || DOCUMENTS.iter().any(is)
    });
    if files.is_empty() {
        return Err(Usage(format!("{}: there is no file *.json or *.html in it", path.display())));
    }
    all(files, found)
}

/// What a folder holds.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Usage> {
    let cannot = |error: io::Error| Usage(format!("cannot read {}: {error}", folder.display()));
    let files = fs::read_dir(folder).map_err(cannot)?.map(|file| file.map(|file| file.path()));
    files.collect::<Result<_, _>>().map_err(cannot)
}

/// Reads files by name. One that cannot be read is passed on as such.
fn all(mut files: Vec<PathBuf>, found: &mut Each) -> Result<(), Usage> {
    files.sort();
    for file in files {
        if let Err(error) = one(&file, found) {
            found(name(&file), Err(why(&file, error)));
        }
    }
    Ok(())
}

fn one(path: &Path, found: &mut Each) -> Result<(), Usage> {
    if is_stream(path) {
        let file = input::open(path)?;
        return lines(&name(path), BufReader::new(file), found);
    }
    match input::reports(path) {
        Ok(reports) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            for (file, report) in reports {
                let own = Path::new(&file);
                found(own.strip_prefix(folder).unwrap_or(own).display().to_string(), Ok(report));
            }
        }
        Err(error) => found(name(path), Err(why(path, error))),
    }
    Ok(())
}

/// The file alone: its folder is the same for all.
fn name(path: &Path) -> String {
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
    let (mut records, mut recorded) = (ndjson::Records::default(), None);
    loop {
        line.clear();
        let read = from.by_ref().take(LARGEST as u64 + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Usage(format!("cannot read {name}: {error}")))?;
        if read == 0 {
            match records.end() {
                Ok(None) => {}
                Ok(Some(last)) => found(name.into(), Ok(last)),
                Err(error) => found(name.into(), Err(error.to_string())),
            }
            return Ok(());
        }
        number += 1;
        if read <= LARGEST && line.trim_ascii().is_empty() {
            continue;
        }
        let at = || format!("{name}:{number}");
        let is_record = *recorded.get_or_insert_with(|| ndjson::is_record(&line));
        if is_record && read <= LARGEST {
            match records.add(&line) {
                Ok(None) => {}
                Ok(Some(report)) => found(at(), Ok(report)),
                Err(error) => found(at(), Err(error.to_string())),
            }
            continue;
        }
        found(at(), json::read(&line).map_err(|error| error.to_string()));
        if read > LARGEST {
            return Ok(());
        }
    }
}
