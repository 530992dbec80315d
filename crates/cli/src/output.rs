//! Where output goes: standard output, or files that are written whole or not at all.

use anyhow::anyhow;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes to standard output. A reader that has gone away, as `head` does, is no error.
///
/// # Errors
/// Any other failure, a full disk for example.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Whether a file could be written there now, so that nobody waits for a measurement that then
/// cannot be kept. What stands there is not touched.
///
/// # Errors
/// Why it cannot be written.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let tried = || -> io::Result<()> {
        let place = behind_links(path)?;
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            // Nothing is asked of a device or a pipe before there is something to write to it.
            Ok(there) if !there.is_file() => Ok(()),
            Ok(_) => {
                fs::OpenOptions::new().append(true).open(&place)?;
                beside(&place).map(drop)
            }
            Err(_) => beside(&place).map(drop),
        }
    };
    tried().map_err(|error| cannot_write(path, &error))
}

/// Writes a file whole or not at all: beside its place, then renamed into it. What stood there
/// stays where the disk is full. Where a link stands, the file that it leads to is written; a place
/// that is no plain file (a pipe, /dev/null) is written to.
///
/// # Errors
/// Why it could not be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let tried = || -> io::Result<()> {
        let place = behind_links(path)?;
        let there = fs::metadata(&place).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            return fs::OpenOptions::new()
                .write(true)
                .open(&place)?
                .write_all(bytes);
        }
        let file = beside(&place)?;
        file.as_file().write_all(bytes)?;
        if let Some(there) = there {
            // Who replaces what a file holds does not thereby open or close it to others.
            file.as_file().set_permissions(there.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&place).map_err(|error| error.error).map(drop)
    };
    tried().map_err(|error| cannot_write(path, &error))
}

/// A new file in the folder of that place, which goes away again unless it is renamed.
fn beside(place: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = place
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chronoscope-");
    // A temporary file is private; a report is as open as the user's mask lets new files be.
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The name of this file, which the error has in it, means nothing to anybody.
    fs::metadata(folder)?;
    builder
        .tempfile_in(folder)
        .map_err(|error| error.kind().into())
}

/// Links that are followed, as Linux does (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Where a path leads, be there a file or not yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            // An absolute target takes the place of the whole.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead nowhere"))
}

fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("cannot write {}: {error}", path.display())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_are_followed_and_modes_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        symlink("file", at("link")).expect("room");
        symlink(at("link"), at("second")).expect("room");
        // A link to a file that is not there yet makes it.
        write_whole(&at("second"), b"one").expect("room");
        assert_eq!(fs::read(at("file")).expect("a file"), b"one");
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o600)).expect("it is ours");
        write_whole(&at("link"), b"two").expect("room");
        assert_eq!(fs::read(at("file")).expect("a file"), b"two");
        assert!(at("link").is_symlink() && at("second").is_symlink());
        let mode = fs::metadata(at("file")).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        symlink(at("b"), at("a")).expect("room");
        symlink(at("a"), at("b")).expect("room");
        assert!(check(&at("a")).is_err() && write_whole(&at("a"), b"x").is_err());
        // Nothing lies about.
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 5);
    }

    #[test]
    fn what_cannot_be_written_is_told_without_the_file_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("no/such.json");
        for path in [missing.as_path(), folder.path(), Path::new("/proc/x.json")] {
            let told = check(path).expect_err("no place").to_string();
            assert!(!told.contains(".chronoscope-"), "{told}");
            assert!(told.contains(path.to_str().expect("plain")), "{told}");
        }
        check(Path::new("/dev/null")).expect("a device");
    }
}
