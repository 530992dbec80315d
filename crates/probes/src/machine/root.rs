//! Where facts come from: the files of a machine, its CPUID, and what its system calls return.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::process::Process;
use super::{Cpuid, recording};

/// The largest number of bytes that are read from a file that holds one fact.
const SMALL: u64 = 64 << 10;
/// The largest number of bytes that are read from a file that grows with the machine:
/// `/proc/cpuinfo`, `/proc/iomem`.
const LARGE: u64 = 1 << 20;
/// The largest number of names that are taken from a folder.
const NAMES: usize = 16 << 10;

/// What is outside the process: this machine, or a recording of another.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder of the machine's files; `None` if no file holds a fact.
    prefix: Option<PathBuf>,
    cpuid: Option<Cpuid>,
    process: Process,
    denied: Vec<PathBuf>,
    host: bool,
    hurried: bool,
    cpuinfo: OnceLock<String>,
}

/// Why a file gave no fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    Absent,
    /// This user may not read the file.
    Denied,
    /// The file exists and is empty.
    Empty,
    /// Any other error, in the system's words.
    Other(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Absent => f.write_str("not found"),
            Missing::Denied => f.write_str("permission denied"),
            Missing::Empty => f.write_str("empty"),
            Missing::Other(why) => f.write_str(why),
        }
    }
}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Missing {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Missing::Absent,
            io::ErrorKind::PermissionDenied => Missing::Denied,
            _ => Missing::Other(error.to_string()),
        }
    }
}

impl Root {
    pub fn host() -> Root {
        Root {
            prefix: super::os::FILES.map(PathBuf::from),
            cpuid: Cpuid::native(),
            process: super::os::process(),
            denied: Vec::new(),
            host: true,
            hurried: false,
            cpuinfo: OnceLock::new(),
        }
    }

    /// This machine, for a caller who would rather not know a fact than wait for it.
    pub fn hurried() -> Root {
        Root { hurried: true, ..Root::host() }
    }

    /// A machine recorded in `folder`: `root/` holds its files, `cpuid` the output of `cpuid -1 -r`
    /// (absent if it has no CPUID), `process` lines of `key=value` as [`Process`] names them, and
    /// `denied` the paths that the recording user could not read.
    pub fn recorded(folder: &Path) -> Result<Root, Missing> {
        let text = |name| match capped_file(&folder.join(name), LARGE) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(Missing::Absent) => Ok(String::new()),
            Err(why) => Err(why),
        };
        if !folder.is_dir() {
            return Err(Missing::Absent);
        }
        Ok(Root {
            prefix: Some(folder.join("root")),
            cpuid: recording::cpuid(&text("cpuid")?),
            process: recording::process(&text("process")?),
            denied: text("denied")?.lines().map(|l| PathBuf::from(l.trim())).collect(),
            host: false,
            hurried: false,
            cpuinfo: OnceLock::new(),
        })
    }

    /// The machine's CPUID, if it has one.
    pub fn cpuid(&self) -> Option<&Cpuid> {
        self.cpuid.as_ref()
    }

    /// What the system reported to this process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Whether this is the machine that the tool runs on.
    pub fn is_host(&self) -> bool {
        self.host
    }

    /// Whether facts that take milliseconds are left out.
    pub(super) fn is_hurried(&self) -> bool {
        self.hurried
    }

    /// Whether the machine runs Linux: only then does the absence of a file mean anything.
    pub fn is_linux(&self) -> bool {
        self.process.sysname.as_deref() == Some("Linux")
    }

    /// The text of a small file, without white space and NUL bytes at its ends.
    pub(crate) fn text(&self, path: &str) -> Result<String, Missing> {
        self.string(path, SMALL)
    }

    /// The text of a file that grows with the machine, up to a mebibyte.
    pub(super) fn long_text(&self, path: &str) -> Result<String, Missing> {
        self.string(path, LARGE)
    }

    /// `/proc/cpuinfo`, which is read once, because it takes the kernel milliseconds to write it on
    /// a machine with hundreds of CPUs; empty if it cannot be read.
    pub(super) fn cpuinfo(&self) -> &str {
        self.cpuinfo.get_or_init(|| self.long_text("/proc/cpuinfo").unwrap_or_default())
    }

    /// A small file that holds one number.
    pub(super) fn number(&self, path: &str) -> Option<u64> {
        self.text(path).ok()?.parse().ok()
    }

    /// The bytes of a small file.
    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, Missing> {
        self.check(path)?;
        capped(&self.at(path)?, SMALL)
    }

    /// A regular file, to be read more than once.
    pub(super) fn open(&self, path: &str) -> Result<File, Missing> {
        self.check(path)?;
        regular(&self.at(path)?)
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.at(path).is_ok_and(|path| path.exists())
    }

    /// The names in a folder, sorted, with numbered names in the order of their numbers; empty if
    /// it cannot be listed.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let Ok(Ok(entries)) = self.at(path).map(fs::read_dir) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .take(NAMES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort_by(|a, b| (trailing(a), a).cmp(&(trailing(b), b)));
        names
    }

    /// The actual location of `path`. A recording may come from anybody: a link in it must not make
    /// this machine's own files part of another's facts.
    pub(super) fn at(&self, path: &str) -> Result<PathBuf, Missing> {
        let prefix = self.prefix.as_ref().ok_or(Missing::Absent)?;
        let path = prefix.join(path.trim_start_matches('/'));
        if self.host {
            return Ok(path);
        }
        let real = fs::canonicalize(path)?;
        if real.starts_with(fs::canonicalize(prefix)?) {
            return Ok(real);
        }
        Err(Missing::Other("a link that leads out of the recording".to_owned()))
    }

    /// Fails for a path that the recording user could not read.
    pub(super) fn check(&self, path: &str) -> Result<(), Missing> {
        let denied = self.denied.iter().any(|denied| denied == Path::new(path));
        if denied { Err(Missing::Denied) } else { Ok(()) }
    }

    fn string(&self, path: &str, cap: u64) -> Result<String, Missing> {
        self.check(path)?;
        let bytes = capped(&self.at(path)?, cap)?;
        // The kernel's files contain no other control characters, and a terminal would act on them.
        let text: String = String::from_utf8_lossy(&bytes)
            .chars()
            .filter(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\0'))
            .collect();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if text.is_empty() { Err(Missing::Empty) } else { Ok(text.to_owned()) }
    }
}

/// Like [`capped`], for a file that is not a link.
fn capped_file(path: &Path, cap: u64) -> Result<Vec<u8>, Missing> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(Missing::Other("a link".to_owned()));
    }
    capped(path, cap)
}

/// Reads at most `cap` bytes from a regular file.
fn capped(path: &Path, cap: u64) -> Result<Vec<u8>, Missing> {
    let mut bytes = Vec::new();
    regular(path)?.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file. Anything else (a pipe, a device) could block or never end, and holds no
/// facts.
fn regular(path: &Path) -> Result<File, Missing> {
    if !fs::metadata(path)?.is_file() {
        return Err(Missing::Other("not a regular file".to_owned()));
    }
    Ok(File::open(path)?)
}

/// The number at the end of a name.
fn trailing(name: &str) -> Option<u64> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok()
}
