//! The file to which a long run writes its report every second, and from which it can be resumed.

use crate::error::Usage;
use crate::{input, output};
use anyhow::Context as _;
use chronoscope_model::Report;
use chronoscope_survey::{Error, Survey};
use std::cell::Cell;
use std::fs;
use std::path::Path;

/// Checks that a new run may keep its checkpoint at this path. `instead` is what else could be done
/// with an existing file; `{}` in it stands for the path.
///
/// # Errors
/// Something exists there, perhaps hours of another run; or no file can be written there.
pub fn fresh(path: &Path, instead: &str) -> anyhow::Result<()> {
    let there = fs::metadata(path).ok();
    if there.is_some_and(|there| there.is_file() && there.len() > 0) {
        let path = path.display().to_string();
        let instead = instead.replace("{}", &path);
        return Err(Usage(format!(
            "{path} exists and would be overwritten: {instead}, or name another file"
        ))
        .into());
    }
    usable(path)
}

/// Checks that a checkpoint can be written to this path now, before hours are spent on it.
///
/// # Errors
/// The reason why it cannot be written.
pub fn usable(path: &Path) -> anyhow::Result<()> {
    regular(path).and_then(|()| output::check(path)).context("--checkpoint")
}

/// Checks that the path is free or a regular file.
fn regular(path: &Path) -> anyhow::Result<()> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => {
            anyhow::bail!("cannot write {}: it is not a regular file", path.display())
        }
        _ => Ok(()),
    }
}

/// Writes a checkpoint, in compact form because it must be quick while waits are measured.
///
/// # Errors
/// Why it could not be written.
fn write(path: &Path, report: &Report) -> anyhow::Result<()> {
    regular(path)?;
    output::write_whole(path, &serde_json::to_vec(report)?)
}

/// Writes checkpoints for as long as a run takes.
#[derive(Default)]
pub struct Keeper {
    failing: Cell<bool>,
}

impl Keeper {
    /// Whether the last checkpoint could not be written.
    pub fn has_failed(&self) -> bool {
        self.failing.get()
    }

    /// Writes a checkpoint if there is a file for it. The reason for a failure is shown once; the
    /// write is tried again every second, because the disk may have room again.
    pub fn keep(&self, file: Option<&Path>, report: &Report, say: impl Fn(&str)) {
        let Some(path) = file else { return };
        match write(path, report) {
            Ok(()) => self.failing.set(false),
            Err(error) if !self.failing.replace(true) => {
                say(&format!("{error:#}; the run continues"));
            }
            Err(_) => {}
        }
    }
}

/// The rest of the run of a checkpoint, which will be kept up to date, by a function that makes it
/// of the report.
///
/// # Errors
/// The file cannot be read or written, or the run cannot be resumed.
pub fn resumed(
    path: &Path,
    resume: impl FnOnce(Report) -> Result<Survey<'static>, Error>,
) -> anyhow::Result<Survey<'static>> {
    if path == Path::new("-") {
        let line = "--resume needs a file, because the run keeps it up to date";
        return Err(Usage(line.into()).into());
    }
    let survey =
        resume(input::report(path)?).map_err(|why| Usage(format!("{}: {why}", path.display())))?;
    usable(path).map(|()| survey)
}
