//! The end of a command: the report is judged, shown, exported, and turned into an exit code.

use crate::context::{Context, NothingToMeasure};
use crate::select::Unknown;
use chronoscope_model::Report;
use chronoscope_report::text::Style;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// How a command's screen is drawn.
pub type Screen = fn(&Report, &Style) -> String;

/// Judges the report, shows it, exports it.
///
/// # Errors
/// An export that could not be written, after all that could were.
pub fn finish(context: &Context, mut report: Report, screen: Screen) -> anyhow::Result<ExitCode> {
    context.close(&mut report);
    report
        .findings
        .retain(|finding| !context.global.allow.contains(&finding.id));

    let mut exports = Vec::new();
    for export in &context.global.export {
        let mut bytes = Vec::new();
        (export.format.write)(&report, &mut bytes)?;
        exports.push((export.path.as_deref(), bytes));
    }
    let shown = if context.global.json {
        let mut bytes = Vec::new();
        chronoscope_report::json::write(&report, &mut bytes)?;
        Some(bytes)
    } else if exports.iter().any(|(path, _)| path.is_none()) {
        // Standard output belongs to the export.
        None
    } else {
        Some(screen(&report, &context.style).into_bytes())
    };
    // Files first: what is measured is safe before a closed pipe can end the program.
    let mut failure = None;
    for (path, bytes) in &exports {
        if let Some(path) = path
            && let Err(error) = write_whole(path, bytes)
        {
            failure.get_or_insert(anyhow::anyhow!("cannot write {}: {error}", path.display()));
        }
    }
    for bytes in exports
        .iter()
        .filter(|(path, _)| path.is_none())
        .map(|(_, bytes)| bytes)
        .chain(&shown)
    {
        print(bytes)?;
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if context.interrupted() {
        return Ok(ExitCode::from(130));
    }
    let worst = report.findings.iter().map(|finding| finding.level).max();
    let failed = context
        .global
        .fail_on
        .is_some_and(|limit| worst.is_some_and(|worst| worst >= limit));
    Ok(if failed {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// Writes to standard output. A reader that has gone away, as `head` does, is no error.
///
/// # Errors
/// Any other failure, a full disk for example.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow::anyhow!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all: beside its place, then renamed into it. What stood there
/// stays where the disk is full. A place that is no plain file (a pipe, /dev/null) is written to.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes);
    }
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".chronoscope-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    let file = file.persist(path).map_err(|error| error.error)?;
    readable_by_all(&file)
}

/// A temporary file is private; a report is as open as the user's mask lets new files be.
#[cfg(unix)]
fn readable_by_all(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

/// One clear line on standard error, and the exit code that belongs to it.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    // Standard error may be closed too; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "chronoscope: {error:#}");
    ExitCode::from(if error.is::<NothingToMeasure>() {
        3
    } else if error.is::<Unknown>() || error.is::<crate::select::Usage>() {
        2
    } else {
        1
    })
}
