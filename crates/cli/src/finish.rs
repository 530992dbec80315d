//! The end of a command: the result is shown, exported, and turned into an exit code.

use crate::context::Context;
use crate::error::Usage;
use crate::output::{print, write_whole};
use chronoscope_model::Report;
use chronoscope_report::section::{self, Section};
use chronoscope_report::text;
use chronoscope_survey::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Shows one section of the report, and exports the report.
///
/// # Errors
/// As for [`finish`].
pub fn with_section(
    context: &Context,
    report: Report,
    section: &Section,
) -> anyhow::Result<ExitCode> {
    let detail = context.detail();
    finish(context, report, |report| text::section(section, report, detail, &context.style))
}

/// Shows the report on this screen, and exports it.
///
/// # Errors
/// An output could not be written; all others that can be written are.
pub fn finish(
    context: &Context,
    mut report: Report,
    screen: impl FnOnce(&Report) -> String,
) -> anyhow::Result<ExitCode> {
    let allowed = &context.global.allow;
    report.findings.retain(|finding| !allowed.contains(&finding.id));
    let mut exports = Vec::new();
    for export in &context.global.export {
        let format = export.format;
        if format.distributions_only && section::distributions(&report).is_empty() {
            let id = format.id;
            context.warn(&format!("{id} holds distributions only, and this report has none"));
        }
        let mut bytes = Vec::new();
        (format.write)(&report, &mut bytes)?;
        exports.push((export.path.as_deref(), bytes));
    }
    let mut json = Vec::new();
    if context.global.json {
        chronoscope_report::json::write(&report, &mut json)?;
    }
    if context.global.json || exports.iter().any(|(path, _)| path.is_none()) {
        // The notes are on the screen, which nobody sees.
        report.notes.iter().for_each(|note| context.note(note));
    }
    deliver(context, &exports, &json, || screen(&report))?;
    if let Some(code) = context.stop.exit_code() {
        context.warn("interrupted: this is what was measured until then");
        return Ok(ExitCode::from(code));
    }
    let worst = report.findings.iter().map(|finding| finding.level).max();
    let limit = context.global.fail_on;
    let failed = limit.is_some_and(|limit| worst.is_some_and(|worst| worst >= limit));
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Shows and exports a document that is not a report.
///
/// # Errors
/// An output could not be written; all others that can be written are.
pub fn document(context: &Context, json: &[u8], text: String) -> anyhow::Result<ExitCode> {
    let exports = context.global.export.iter();
    let exports: Vec<_> = exports.map(|export| (export.path.as_deref(), json)).collect();
    deliver(context, &exports, json, || text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the exports. Standard output gets the export without a path, the JSON if it is asked for,
/// or otherwise the screen.
fn deliver(
    context: &Context,
    exports: &[(Option<&Path>, impl AsRef<[u8]>)],
    json: &[u8],
    screen: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    // Files first, so that what was measured is safe before a closed pipe can end the program.
    let mut failure = None;
    let mut shown = None;
    for (path, bytes) in exports {
        match path {
            Some(path) => {
                if let Err(error) = write_whole(path, bytes.as_ref()) {
                    failure.get_or_insert(error);
                }
            }
            None => shown = Some(bytes),
        }
    }
    let printed = match shown {
        Some(bytes) => print(bytes.as_ref()),
        None if context.global.json => print(json),
        None => print(screen().as_bytes()),
    };
    if !context.stop.hung_up() {
        printed?;
    }
    failure.map_or(Ok(()), Err)
}

/// Ends a command line that asks for help or the version, or is wrong.
pub fn not_parsed(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(io) if !error.use_stderr() && io.kind() != io::ErrorKind::BrokenPipe => {
            failed(&anyhow::anyhow!("cannot write to standard output: {io}"))
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

/// Writes one line to standard error, and returns the exit code of this error.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    // If standard error is closed, nobody reads it.
    let _ = writeln!(io::stderr(), "chronoscope: {error:#}");
    ExitCode::from(match error.downcast_ref() {
        Some(Error::Nothing(_)) => 3,
        Some(Error::Unknown(_) | Error::Invalid(_)) => 2,
        _ if error.is::<Usage>() => 2,
        Some(Error::NotStarted) | None => 1,
    })
}
