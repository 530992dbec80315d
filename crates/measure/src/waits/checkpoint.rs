//! A file that always holds a whole report, however the tool or the machine ends.

use chronoscope_model::Report;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The longest file that is read back. A row takes up to some 300 KiB; this is for a thousand.
const LONGEST: u64 = 256 << 20;

/// Puts a report in the place of the one in the file.
///
/// It is written beside it, brought to the disk, and renamed: rename(2) replaces the name
/// atomically, so a reader finds the old report or the new one. Where the writing fails, as on a
/// full disk, the old one stays.
///
/// # Errors
/// What the system says of the file beside it, or of the rename; a path at which something other
/// than a file is, which a rename would put out of the way: a device, for one.
pub fn write(path: &Path, report: &Report) -> io::Result<()> {
    // Where it is a link, the file that it leads to is the one to replace.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("it is there and not a regular file"));
    }
    let beside = beside(&path);
    let done = write_beside(&beside, report).and_then(|()| fs::rename(&beside, &path));
    if done.is_err() {
        // Half a file is of no use to anyone; if it cannot be removed, it will be replaced.
        let _ = fs::remove_file(&beside);
    }
    done
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write_beside(beside: &Path, report: &Report) -> io::Result<()> {
    let text = serde_json::to_vec(report).map_err(io::Error::other)?;
    let mut file = File::create(beside)?;
    file.write_all(&text)?;
    // The rename may reach the disk before the content does, unless that is waited for.
    file.sync_all()
}

/// Reads a report back.
///
/// # Errors
/// A file that is missing, too long, or no report, in one line.
pub fn read(path: &Path) -> Result<Report, String> {
    let fail = |why: String| format!("{}: {why}", path.display());
    let file = File::open(path).map_err(|error| fail(error.to_string()))?;
    let mut text = Vec::new();
    file.take(LONGEST + 1)
        .read_to_end(&mut text)
        .map_err(|error| fail(error.to_string()))?;
    if text.len() as u64 > LONGEST {
        return Err(fail(format!(
            "longer than {} MiB, so no report of this tool",
            LONGEST >> 20
        )));
    }
    let report: Report = serde_json::from_slice(&text)
        .map_err(|error| fail(format!("no report of this tool: {error}")))?;
    if report.schema != chronoscope_model::SCHEMA {
        return Err(fail(format!(
            "its schema is '{}', and this version reads {}",
            report.schema.escape_debug(),
            chronoscope_model::SCHEMA
        )));
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(id: &str) -> Report {
        let mut report = Report {
            schema: chronoscope_model::SCHEMA.into(),
            ..Report::default()
        };
        report.run.id = id.into();
        report
    }

    #[test]
    fn a_file_holds_the_newest_report_and_nothing_lies_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("long run.json");
        for id in ["first", "second"] {
            write(&path, &report(id)).expect("room");
            assert_eq!(read(&path).expect("a report").run.id, id);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn where_it_cannot_be_written_the_old_one_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.json");
        write(&path, &report("old")).expect("room");
        // A folder in the place of the file beside it stands for a disk without room.
        fs::create_dir(beside(&path)).expect("room");
        assert!(write(&path, &report("new")).is_err());
        assert_eq!(read(&path).expect("a report").run.id, "old");
        assert!(write(&folder.path().join("no/such/folder"), &report("x")).is_err());
        assert!(write(Path::new("/"), &report("x")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_what_is_no_file_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("run.json"), folder.path().join("link"));
        write(&file, &report("old")).expect("room");
        std::os::unix::fs::symlink(&file, &link).expect("room");
        write(&link, &report("new")).expect("room");
        assert_eq!(read(&file).expect("a report").run.id, "new");
        assert!(link.is_symlink());
        let socket = folder.path().join("socket");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).expect("room");
        for other in [folder.path(), &socket, Path::new("/dev/null")] {
            let error = write(other, &report("x")).expect_err("no file");
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
    }

    #[test]
    fn what_is_no_report_is_named_in_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bad.json");
        let good = serde_json::to_string(&report("x")).expect("plain data");
        for text in [
            "",
            "{",
            "[]",
            "nonsense",
            &good[..good.len() / 2],
            "{\"schema\": \"other/9\"}",
        ] {
            fs::write(&path, text).expect("room");
            let error = read(&path).expect_err("no report");
            assert!(
                error.contains("bad.json") && !error.contains('\n'),
                "{error}"
            );
        }
        assert!(read(&folder.path().join("absent")).is_err());
        assert!(read(folder.path()).is_err());
    }
}
