//! The end of a command: the report is judged, shown, exported, and turned into an exit code.

use crate::context::{Context, NothingToMeasure};
use crate::output::{print, write_whole};
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
    // One that was read from a file tells of the run that made it.
    if report.run.finished.is_empty() {
        context.close(&mut report);
    }
    report
        .findings
        .retain(|finding| !context.global.allow.contains(&finding.id));

    let mut exports = Vec::new();
    for export in &context.global.export {
        if export.format.waits_alone && report.waits.iter().all(|wait| wait.samples == 0) {
            context.warn(&format!(
                "no wait was measured, and {} holds nothing else",
                export.format.id
            ));
        }
        let mut bytes = Vec::new();
        (export.format.write)(&report, &mut bytes)?;
        exports.push((export.path.as_deref(), bytes));
    }
    let mut json = Vec::new();
    if context.global.json {
        chronoscope_report::json::write(&report, &mut json)?;
    }
    deliver(context, &exports, &json, || screen(&report, &context.style))?;
    if context.interrupted() {
        context.warn("interrupted: this is what was measured until then");
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

/// Shows and exports a document that is no report.
///
/// # Errors
/// An output that could not be written, after all that could were.
pub fn document(context: &Context, json: &[u8], text: String) -> anyhow::Result<ExitCode> {
    let exports = context.global.export.iter();
    let exports: Vec<_> = exports
        .map(|export| (export.path.as_deref(), json))
        .collect();
    deliver(context, &exports, json, || text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the exports, of which one without a path goes to standard output, and else there the
/// JSON where that is asked for, and the screen where not.
fn deliver(
    context: &Context,
    exports: &[(Option<&Path>, impl AsRef<[u8]>)],
    json: &[u8],
    screen: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    // Files first: what is measured is safe before a closed pipe can end the program.
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
    match shown {
        Some(bytes) => print(bytes.as_ref())?,
        None if context.global.json => print(json)?,
        None => print(screen().as_bytes())?,
    }
    failure.map_or(Ok(()), Err)
}

/// The end of a command line that asks for help or the version, or is none.
pub fn told(told: &clap::Error) -> ExitCode {
    match told.print() {
        Err(error) if !told.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            failed(&anyhow::anyhow!("cannot write to standard output: {error}"))
        }
        _ => ExitCode::from(u8::try_from(told.exit_code()).unwrap_or(2)),
    }
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
