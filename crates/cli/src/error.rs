//! Errors of the command line itself, and the exit code of every error.

use crate::context::tell;
use chronoscope_report::clean::escaped;
use chronoscope_survey::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// Arguments that do not fit, or a file that cannot be used: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl Usage {
    /// Why --verbose is refused if there is nothing more to show.
    pub fn nothing_more() -> Self {
        Self("--verbose does not apply: there is nothing more to show".into())
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Writes one line to standard error, and returns the exit code of this error. Help and the version
/// are written as clap writes them.
pub fn failed(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<clap::Error>() {
        let text = error.render().to_string();
        let safe: Vec<_> = text.lines().map(escaped).collect();
        let is_safe = !error.use_stderr() || safe.iter().eq(text.lines());
        let printed = if is_safe {
            error.print()
        } else {
            // Arguments may be names of files.
            writeln!(io::stderr(), "{}", safe.join("\n"))
        };
        return match printed {
            Err(io) if !error.use_stderr() && io.kind() != io::ErrorKind::BrokenPipe => {
                failed(&anyhow::anyhow!("cannot write to standard output: {io}"))
            }
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        };
    }
    tell(&format!("{error:#}"));
    ExitCode::from(match error.downcast_ref() {
        Some(Error::Nothing(_)) => 3,
        Some(Error::Unknown(_) | Error::Invalid(_)) => 2,
        _ if error.is::<Usage>() => 2,
        Some(Error::NotStarted) | None => 1,
    })
}
