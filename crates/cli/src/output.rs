//! Where output goes: standard output, or files that are written whole or not at all.

use anyhow::anyhow;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes to standard output. It is not an error if the reader has gone away, as `head` does.
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

/// Checks whether a file could be written there now, so that nobody waits for a measurement that
/// cannot be stored. An existing file is not changed.
///
/// # Errors
/// Why it cannot be written.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let tried = || -> io::Result<()> {
        let place = behind_links(path)?;
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            // A device or a pipe is not opened before there is something to write to it.
            Ok(there) if !there.is_file() => Ok(()),
            Ok(_) => {
                fs::OpenOptions::new().append(true).open(&place)?;
                next_to(&place).map(drop)
            }
            Err(_) => next_to(&place).map(drop),
        }
    };
    tried().map_err(|error| cannot_write(path, &error))
}

/// Writes a file whole or not at all: a new file in the same folder, then renamed. If the disk is
/// full, the old file stays. If the path is a link, the file that it leads to is written. If that
/// is not a regular file (a pipe, /dev/null), it is written to directly.
///
/// # Errors
/// Why it could not be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let tried = || -> io::Result<()> {
        let place = behind_links(path)?;
        let there = fs::metadata(&place).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            return fs::OpenOptions::new().write(true).open(&place)?.write_all(bytes);
        }
        let file = next_to(&place)?;
        file.as_file().write_all(bytes)?;
        if let Some(there) = there {
            // Replacing the content of a file does not change who may read it.
            file.as_file().set_permissions(there.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&place).map_err(|error| error.error).map(drop)
    };
    tried().map_err(|error| cannot_write(path, &error))
}

/// Checks whether files could be written to a folder there, which is made if it does not exist.
///
/// # Errors
/// Why they cannot be written; the path is a file, for example.
pub fn check_folder(path: &Path) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_dir()) {
        return Err(cannot_write(path, &io::ErrorKind::NotADirectory.into()));
    }
    let tried = fs::create_dir_all(path).and_then(|()| next_to(&path.join("file")).map(drop));
    tried.map_err(|error| cannot_write(path, &error))
}

/// Writes a file that does not exist yet, whole or not at all.
///
/// # Errors
/// Why it could not be written; there is one already, for example.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = next_to(path)?;
    file.as_file().write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error).map(drop)
}

/// A new file in the folder of that path, which disappears unless it is renamed.
fn next_to(place: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder =
        place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chronoscope-");
    // A temporary file is private; a report gets the permissions of the user's mask.
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The error would contain the name of the temporary file, which means nothing to the user.
    fs::metadata(folder)?;
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

/// The most links that are followed, as in Linux (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Where a path leads after all links, whether or not there is a file.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            // An absolute target replaces the whole path.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

pub fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
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
        // A link to a file that does not exist yet creates it.
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
        // Nothing is left behind.
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 5);
    }

    #[test]
    fn errors_do_not_name_the_temporary_file() {
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
