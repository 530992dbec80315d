//! Where output goes: standard output, or files that are written whole or not at all. The charts of
//! reports are pictures, each in a file of its own. A checkpoint is the file to which a long run
//! writes its report every second, and from which it can be resumed.

use crate::context::Usage;
use crate::input;
use crate::options::SVG;
use anyhow::{Context as _, anyhow};
use chronoscope_model::{Note, Report};
use chronoscope_report::page::{Input, pictures};
use chronoscope_survey::{Error, Survey};
use std::cell::RefCell;
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
        let place = behind_links(path, &mut { MOST_LINKS })?;
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            // A device or a pipe is not opened before there is something to write to it.
            Ok(there) if !there.is_file() => Ok(()),
            Ok(_) => {
                fs::OpenOptions::new().append(true).open(&place)?;
                next_to(&place).map(drop)
            }
            Err(_) if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                Err(io::ErrorKind::NotADirectory.into())
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
        let place = behind_links(path, &mut { MOST_LINKS })?;
        let there = fs::metadata(&place).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            return fs::OpenOptions::new().write(true).open(&place)?.write_all(bytes);
        }
        let file = next_to(&place)?;
        file.as_file().write_all(bytes)?;
        if let Some(there) = there {
            // Replacing the content of a file does not change who may read it.
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                let _ = fchown(file.as_file(), None, Some(there.gid()));
                // Only root can give files away.
                let _ = fchown(file.as_file(), Some(there.uid()), None);
            }
            file.as_file().set_permissions(there.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&place).map_err(|error| error.error).map(drop)
    };
    tried().map_err(|error| cannot_write(path, &error))
}

/// Refuses a path through links of others, for what is opened elsewhere.
#[cfg(feature = "watch")]
pub fn check_links(path: &Path) -> anyhow::Result<()> {
    behind_links(path, &mut { MOST_LINKS }).map(drop).map_err(|error| cannot_write(path, &error))
}

/// Checks whether files could be written to a folder there, which is made if it does not exist.
///
/// # Errors
/// Why they cannot be written; the path is a file, for example.
pub fn check_folder(path: &Path) -> anyhow::Result<()> {
    let tried = || -> io::Result<()> {
        behind_links(path, &mut { MOST_LINKS })?;
        if fs::metadata(path).is_ok_and(|there| !there.is_dir()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        fs::create_dir_all(path)?;
        next_to(&path.join("file")).map(drop)
    };
    tried().map_err(|error| cannot_write(path, &error))
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

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in the folder of that path, which disappears unless it is renamed.
fn next_to(place: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = folder_of(place);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chronoscope-");
    // A temporary file is private, and stays so until it gets the permissions of the file that it
    // replaces; a new report gets those of the user's mask.
    #[cfg(unix)]
    let builder = {
        let mode = if place.exists() { 0o600 } else { 0o666 };
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    };
    // The error would contain the name of the temporary file, which means nothing to the user.
    fs::metadata(folder)?;
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

/// The most links that are followed, as in Linux (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Where a path leads after all links, whether or not there is a file, if so many links are `left`
/// and none on the way, to a file or to a folder, is a trap.
fn behind_links(path: &Path, left: &mut usize) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    // A link with a slash at its end would be followed.
    for (nth, part) in path.components().as_path().ancestors().enumerate() {
        let Ok(target) = fs::read_link(part) else { continue };
        if is_trap(part)? {
            let why = "another user has made this link, where everybody may write";
            return Err(io::Error::other(why));
        }
        let many = || io::Error::other("too many levels of symbolic links");
        *left = left.checked_sub(1).ok_or_else(many)?;
        // An absolute target replaces the whole path.
        let behind = behind_links(&folder_of(part).join(target), left)?;
        if nth == 0 {
            place = behind;
        }
    }
    Ok(place)
}

/// Whether another user has put a link where everybody may write, so that what is written goes
/// where that user wants (fs.protected_symlinks in proc_sys_fs(5); we follow links by ourselves).
#[cfg(unix)]
fn is_trap(link: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (owner, folder) = (fs::symlink_metadata(link)?.uid(), fs::metadata(folder_of(link))?);
    let own = rustix::process::geteuid().as_raw();
    Ok(folder.mode() & 0o002 != 0 && ![own, folder.uid()].contains(&owner))
}

#[cfg(not(unix))]
fn is_trap(_link: &Path) -> io::Result<bool> {
    Ok(false)
}

pub fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("cannot write {}: {error}", path.display())
}

/// The pictures of these reports: the name and the content of each file.
///
/// # Errors
/// There is nothing to draw.
pub fn drawn(inputs: &[Input<'_>]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let pictures = pictures::of(inputs).into_iter();
    let files = pictures.map(|it| (format!("{}.{SVG}", it.name), it.svg.into_bytes()));
    let files: Vec<_> = files.collect();
    anyhow::ensure!(!files.is_empty(), "{SVG}: nothing that was measured has a chart");
    Ok(files)
}

/// Checks that a new run may keep its checkpoint at this path. `instead` is what else could be done
/// with an existing file; `{}` in it stands for the path.
///
/// # Errors
/// Something exists there, perhaps hours of another run; or no file can be written there.
pub fn new_checkpoint(path: &Path, instead: &str) -> anyhow::Result<()> {
    let there = fs::metadata(path).ok();
    if there.is_some_and(|there| there.is_file() && there.len() > 0) {
        let path = path.display().to_string();
        let instead = instead.replace("{}", &path);
        refuse!("{path} exists and would be overwritten: {instead}, or name another file");
    }
    check_checkpoint(path)
}

/// Checks that a checkpoint can be written to this path now, before hours are spent on it.
///
/// # Errors
/// The reason why it cannot be written.
pub fn check_checkpoint(path: &Path) -> anyhow::Result<()> {
    regular_or_new(path).and_then(|()| check(path)).context("--checkpoint")
}

/// Checks that the path is free or a regular file.
fn regular_or_new(path: &Path) -> anyhow::Result<()> {
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
fn write_checkpoint(path: &Path, report: &Report) -> anyhow::Result<()> {
    regular_or_new(path)?;
    write_whole(path, &report.compact()?)
}

/// Writes checkpoints for as long as a run takes.
#[derive(Default)]
pub struct Checkpoints {
    /// Since when none could be written, in UTC, and why.
    failing: RefCell<Option<(String, String)>>,
    /// When none could be written, and why.
    notes: RefCell<Vec<Note>>,
}

/// A note that no checkpoint could be written at some time.
fn unkept(when: &str, why: &str) -> Note {
    let text = format!("no checkpoint could be written {when}: {why}");
    Note { id: "checkpoint-failed".into(), text, ..Note::default() }
}

impl Checkpoints {
    /// Whether the last checkpoint could not be written.
    pub fn has_failed(&self) -> bool {
        self.failing.borrow().is_some()
    }

    /// When none could be written: the report says so once it can be written again.
    pub fn notes(&self) -> Vec<Note> {
        let failing = self.failing.borrow();
        let now = failing.iter().map(|(since, why)| unkept(&format!("since {since}"), why));
        self.notes.borrow().iter().cloned().chain(now).collect()
    }

    /// Writes a checkpoint if there is a file for it. The reason for a failure is shown once; the
    /// write is tried again every second, because the disk may have room again.
    pub fn keep(&self, file: Option<&Path>, report: &Report, say: impl Fn(&str)) {
        /// More than a disk fills up in a night.
        const MOST: usize = 64;
        let Some(path) = file else { return };
        let mut report = report.clone();
        let now = report.run.finished.get(..19).map_or_else(String::new, |it| format!("{it}Z"));
        let (mut failing, mut notes) = (self.failing.borrow_mut(), self.notes.borrow_mut());
        report.notes.extend(notes.iter().cloned());
        let ended = failing.as_ref();
        let ended = ended.map(|(since, why)| unkept(&format!("from {since} to {now}"), why));
        report.notes.extend(ended.clone());
        match (write_checkpoint(path, &report), &*failing) {
            (Ok(()), _) => {
                *failing = None;
                if notes.len() < MOST {
                    notes.extend(ended);
                }
            }
            (Err(error), None) => {
                say(&format!("{error:#}; the run continues"));
                *failing = Some((now, format!("{error:#}")));
            }
            (Err(_), Some(_)) => {}
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
        refuse!("--resume needs a file, because the run keeps it up to date");
    }
    let survey =
        resume(input::report(path)?).map_err(|why| Usage(format!("{}: {why}", path.display())))?;
    check_checkpoint(path).map(|()| survey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_modes_are_kept() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
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
        // Nor may anybody else read what is being written.
        let part = next_to(&at("file")).expect("room").as_file().metadata().expect("a file");
        assert_eq!(part.mode() & 0o777, 0o600);
        let open = at("open");
        fs::create_dir(&open).expect("room");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o1777)).expect("it is ours");
        symlink(at("file"), open.join("link")).expect("room");
        write_whole(&open.join("link"), b"three").expect("our own link");
        symlink(folder.path(), open.join("folder")).expect("room");
        symlink("folder", open.join("own")).expect("room");
        check_folder(&open.join("own")).expect("our own links");
        // Only root can give files away.
        if chown(at("file"), Some(65_534), None).is_ok() {
            write_whole(&at("file"), b"four").expect("room");
            assert_eq!(fs::metadata(at("file")).expect("a file").uid(), 65_534);
            lchown(open.join("link"), Some(65_534), None).expect("given away");
            assert!(check(&open.join("link")).is_err());
            assert!(write_whole(&open.join("link"), b"x").is_err());
            // A link to a folder is no better, wherever on the way it is.
            lchown(open.join("folder"), Some(65_534), None).expect("given away");
            for part in ["folder", "folder/", "folder/new", "own"].map(|part| open.join(part)) {
                assert!(check_folder(&part).is_err(), "{part:?}");
                assert!(write_whole(&part.join("file"), b"x").is_err(), "{part:?}");
            }
            assert_eq!(fs::read(at("file")).expect("a file"), b"four");
        }
        symlink(at("b"), at("a")).expect("room");
        symlink(at("a"), at("b")).expect("room");
        assert!(check(&at("a")).is_err() && write_whole(&at("a"), b"x").is_err());
        // Nothing is left behind.
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 6);
    }

    #[cfg(unix)]
    #[test]
    fn errors_do_not_name_the_temporary_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("no/such.json");
        let slash = folder.path().join("x.json/");
        for path in [&missing, folder.path(), &slash, Path::new("/proc/x.json")] {
            let told = check(path).expect_err("no place").to_string();
            assert!(!told.contains(".chronoscope-"), "{told}");
            assert!(told.contains(path.to_str().expect("plain")), "{told}");
        }
        check(Path::new("/dev/null")).expect("a device");
    }

    #[test]
    fn a_report_without_charts_is_one_line() {
        let report = Report::default();
        let refused = drawn(&[Input { name: "", report: &report }]);
        assert!(refused.expect_err("nothing").to_string().contains("has a chart"));
    }
}
