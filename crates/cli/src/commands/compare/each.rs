//! The reports of a folder or a stream, one at a time, so that any number of them needs the memory
//! of one.

use crate::error::Usage;
use crate::input;
use chronoscope_model::Report;
use chronoscope_report::json::{self, LARGEST};
use chronoscope_report::recording::FIRST;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// What is done with each report: it gets the name of the file, and why it cannot be read if so.
pub type Each<'a> = dyn FnMut(String, Result<Report, String>) + 'a;

/// The extensions of files that hold a report on each line.
const STREAMS: [&str; 2] = ["ndjson", "jsonl"];
/// The extensions of a report, and of a page with reports.
const DOCUMENTS: [&str; 2] = ["json", "html"];

/// Whether a path is a folder of reports, or a file or standard input with a report on each line.
pub fn holds_several(path: &Path) -> bool {
    path.is_dir() || if path == Path::new("-") { stdin_is_stream() } else { is_stream(path) }
}

/// A recording of `watch` has lines, too, and is one report.
fn is_stream(path: &Path) -> bool {
    STREAMS.iter().any(|it| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(it)))
        && !input::holds_recording(path)
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
    if !path.is_dir() {
        return one(path, found);
    }
    let cannot = |error: io::Error| Usage(format!("cannot read {}: {error}", path.display()));
    let files: Result<Vec<PathBuf>, _> =
        fs::read_dir(path).map_err(cannot)?.map(|file| file.map(|file| file.path())).collect();
    let mut files = files.map_err(cannot)?;
    files.retain(|file| {
        let is = |it: &&str| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(it));
        is_stream(file) || DOCUMENTS.iter().any(is)
    });
    if files.is_empty() {
        return Err(Usage(format!("{}: there is no file *.json or *.html in it", path.display())));
    }
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

/// Reads a report from each line. A line that is too long for a report ends the stream.
fn lines(name: &str, mut from: impl BufRead, found: &mut Each) -> Result<(), Usage> {
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        let read = from.by_ref().take(LARGEST as u64 + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Usage(format!("cannot read {name}: {error}")))?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        let record = || line.windows(10).any(|it| it == b"\"record\":\"");
        if number == 1 && record() && json::read(&line).is_err() {
            let line = format!(
                "{name}: it has the records of one report; a stream has a whole report on each \
                 line, such as `chronoscope --json | jq -c` writes"
            );
            return Err(Usage(line));
        }
        if !line.trim_ascii().is_empty() {
            let report = json::read(&line).map_err(|error| error.to_string());
            found(format!("{name}:{number}"), report);
        }
        if read > LARGEST {
            return Ok(());
        }
    }
}
