//! Writes the files of a fleet.

use crate::context::Context;
use crate::error::Usage;
use crate::output::{cannot_write, write_whole};
use chronoscope_fleet::files::FILES;
use std::fs;
use std::io;
use std::path::Path;

/// Writes all files into a folder, which is made if it does not exist, and says so. If a file is
/// there that differs, none is written without `force`.
///
/// # Errors
/// Files differ (usage), or one cannot be written.
pub fn write(folder: &Path, force: bool, context: &Context) -> anyhow::Result<()> {
    let mut changed = Vec::new();
    for (path, text) in FILES {
        let place = folder.join(path);
        if !absent_or_equal(&place, text).map_err(|error| cannot_write(&place, &error))? {
            changed.push(*path);
        }
    }
    if !force && !changed.is_empty() {
        let (folder, changed) = (folder.display(), changed.join(", "));
        let line = format!("nothing was written: {folder} has other versions of {changed}");
        return Err(Usage(format!("{line}; --force replaces them")).into());
    }
    for (path, text) in FILES {
        let place = folder.join(path);
        let parent = place.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| cannot_write(parent, &error))?;
        write_whole(&place, text.as_bytes())?;
    }
    context.warn(&format!(
        "wrote {} files to {}; README.md says what each is for",
        FILES.len(),
        folder.display()
    ));
    Ok(())
}

fn absent_or_equal(place: &Path, text: &str) -> io::Result<bool> {
    match fs::metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
        // Whatever else is there may be endless.
        Ok(there) if !there.is_file() || there.len() != text.len() as u64 => Ok(false),
        Ok(_) => Ok(fs::read(place)? == text.as_bytes()),
    }
}
