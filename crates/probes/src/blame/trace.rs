//! A mark in the kernel's trace at the moment of a late wake-up, as cyclictest sets one: whoever
//! traces sees what happened before it (Linux Documentation/trace/ftrace.rst, `trace_marker` and
//! `tracing_on`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where tracefs is, and where it was before Linux 4.1.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Where tracefs is mounted, or may be.
pub(super) fn folders() -> Vec<PathBuf> {
    mounted(&fs::read_to_string("/proc/self/mounts").unwrap_or_default())
}

fn mounted(mounts: &str) -> Vec<PathBuf> {
    let mounted = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (folder, kind) = (words.next()?, words.next()?);
        (kind == "tracefs").then(|| folder.replace("\\040", " ").into())
    });
    mounted.chain(FOLDERS.map(PathBuf::from)).collect()
}

/// The kernel's trace.
#[derive(Debug)]
pub struct Trace {
    marker: File,
    on: File,
}

impl Trace {
    /// Opens the kernel's trace, so that nothing has to be opened at the moment of the mark.
    ///
    /// # Errors
    /// The reason why no mark can be set, in words that a user can act on.
    pub fn open() -> Result<Self, String> {
        let mut refused = None;
        for folder in folders() {
            match Self::of(&folder) {
                Ok(trace) => return Ok(trace),
                Err(error) => drop(refused.get_or_insert((folder, error))),
            }
        }
        let (folder, error) =
            refused.unwrap_or_else(|| ("".into(), io::ErrorKind::NotFound.into()));
        Err(match error.kind() {
            io::ErrorKind::PermissionDenied => {
                format!("only root may write to tracefs ({})", folder.display())
            }
            io::ErrorKind::NotFound => {
                "tracefs is not mounted, or this system has none: mount -t tracefs tracefs \
                 /sys/kernel/tracing"
                    .into()
            }
            _ => format!("{}: {error}", folder.display()),
        })
    }

    fn of(folder: &Path) -> io::Result<Self> {
        let open = |name| OpenOptions::new().write(true).open(folder.join(name));
        Ok(Self { marker: open("trace_marker")?, on: open("tracing_on")? })
    }

    /// Sets a mark with this text, and stops tracing, so that the trace ends with it.
    ///
    /// # Errors
    /// The kernel refused it.
    pub fn stop(&self, text: &str) -> io::Result<()> {
        // Each write is one mark.
        (&self.marker).write_all(format!("{text}\n").as_bytes())?;
        (&self.on).write_all(b"0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_written_and_tracing_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        assert_eq!(Trace::of(folder.path()).expect_err("empty").kind(), io::ErrorKind::NotFound);
        fs::write(at("trace_marker"), "").expect("room");
        fs::write(at("tracing_on"), "1").expect("room");
        let trace = Trace::of(folder.path()).expect("both are there");
        trace.stop("late by 1.2 ms").expect("files");
        assert_eq!(fs::read_to_string(at("trace_marker")).expect("text"), "late by 1.2 ms\n");
        assert_eq!(fs::read_to_string(at("tracing_on")).expect("text"), "0");
        if let Err(why) = Trace::open() {
            assert!(!why.is_empty() && !why.contains('\n'), "{why}");
        }
    }

    #[test]
    fn tracefs_is_found_where_it_is_mounted() {
        let mounts = "none /tmp/tr tracefs rw 0 0\n/tracefs /a ext4 rw\nx\n\n";
        assert_eq!(mounted(mounts)[0], Path::new("/tmp/tr"));
        assert_eq!(mounted("\u{fffd} tracefs"), FOLDERS.map(PathBuf::from));
    }
}
