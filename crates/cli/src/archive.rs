//! Compressed texts, and archives as they are sent: of a sosreport or of a bundle.
//!
//! They may come from anybody. Nothing is unpacked but the files that hold facts: regular ones, up
//! to a size, below a temporary folder.

use crate::context::Usage;
use crate::texts::{self, MOST, TAKES};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What a file holds that is compressed or an archive.
pub enum Held {
    Text(Vec<u8>),
    /// The files with facts, in a folder that lasts as long as it is held.
    Folder(TempDir),
}

/// The most that is read of an archive after it was decompressed, in bytes.
const LARGEST: u64 = 8 << 30;
/// The most files that are kept, and the most bytes of all of them.
const KEPT: (u64, u64) = (16 << 10, 128 << 20);
const BLOCK: usize = 512;

/// The programs that decompress, by the first bytes of what they do.
const PROGRAMS: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
];

/// Opens a file that is compressed or an archive; `None` if it is neither.
///
/// # Errors
/// It cannot be decompressed, is too large, or holds no facts.
pub fn open(path: &Path) -> Result<Option<Held>, Usage> {
    let refuse = |why: &str| Usage(format!("{}: {why}", path.display()));
    let read = |error: io::Error| refuse(&format!("cannot read it: {error}"));
    let mut file = crate::input::open(path)?;
    let mut first = Vec::new();
    (&mut file).take(BLOCK as u64).read_to_end(&mut first).map_err(read)?;
    file.rewind().map_err(read)?;
    let program = PROGRAMS.iter().find(|(magic, _)| first.starts_with(magic));
    if program.is_none() && !is_tar(&first) {
        return Ok(None);
    }
    let mut source: Box<dyn Read> = match program {
        Some((_, program)) => Box::new(Decompressed::by(program, file).map_err(|error| {
            refuse(&format!("cannot start {program}, which decompresses it: {error}"))
        })?),
        None => Box::new(file),
    };
    let mut source = (&mut source).take(LARGEST);
    let broken = |error: io::Error| refuse(&format!("it is cut or broken: {error}"));
    let mut first = Vec::new();
    (&mut source).take(BLOCK as u64).read_to_end(&mut first).map_err(broken)?;
    let mut all = first.as_slice().chain(&mut source);
    if is_tar(&first) {
        return unpacked(&mut all).map(|folder| Some(Held::Folder(folder))).map_err(|error| {
            match error.kind() {
                io::ErrorKind::NotFound => {
                    refuse(&format!("it is an archive in which no fact was found; {TAKES}"))
                }
                _ => broken(error),
            }
        });
    }
    let mut text = Vec::new();
    (&mut all).take(MOST + 1).read_to_end(&mut text).map_err(broken)?;
    if text.len() as u64 > MOST {
        let most = MOST >> 20;
        return Err(refuse(&format!("it holds more than {most} MiB; give the lines about time")));
    }
    if text.is_empty() {
        return Err(refuse("it is cut or broken: nothing could be decompressed"));
    }
    Ok(Some(Held::Text(text)))
}

fn is_tar(first: &[u8]) -> bool {
    first.get(257..262) == Some(b"ustar")
}

/// What a program decompresses; the program ends with it.
struct Decompressed(Child);

impl Decompressed {
    fn by(program: &str, file: File) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("-dc").stdin(file).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map(Self)
    }
}

impl Read for Decompressed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.stdout.as_mut().map_or(Ok(0), |output| output.read(into))
    }
}

impl Drop for Decompressed {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes the files of an archive that hold facts to a folder. `NotFound`: there are none.
fn unpacked(archive: &mut dyn Read) -> io::Result<TempDir> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "its headers are no archive's");
    let folder = tempfile::tempdir()?;
    let (mut files, mut bytes) = KEPT;
    let mut long_name = None;
    let mut any = false;
    loop {
        let mut header = [0; BLOCK];
        match archive.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && any => break,
            read => read?,
        }
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let size = octal(&header[124..136]).filter(|_| is_sound(&header)).ok_or_else(invalid)?;
        let mut content = archive.take(size.next_multiple_of(BLOCK as u64));
        let kind = header[156];
        let name = long_name.take().unwrap_or_else(|| name(&header));
        if matches!(kind, b'L' | b'x') && size <= 64 << 10 {
            let mut text = Vec::new();
            content.read_to_end(&mut text)?;
            text.truncate(usize::try_from(size).unwrap_or(0));
            long_name = if kind == b'L' { Some(texted(&text)) } else { extended(&text) };
            continue;
        }
        let wanted = matches!(kind, b'0' | 0).then(|| wanted(&name)).flatten();
        if let Some(path) = wanted.filter(|_| files > 0 && size <= MOST && size <= bytes) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            let mut file = File::create(path)?;
            io::copy(&mut (&mut content).take(size), &mut file)?;
            (files, bytes, any) = (files - 1, bytes - size, true);
        }
        io::copy(&mut content, &mut io::sink())?;
    }
    if any { Ok(folder) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Where a file of an archive belongs in a sosreport or a bundle, without the folders before that;
/// `None` if it holds no facts or leads elsewhere.
fn wanted(name: &str) -> Option<PathBuf> {
    /// Archives have one folder, and perhaps `./` before it.
    const FOLDERS: usize = 2;
    let parts: Vec<Component<'_>> =
        Path::new(name).components().filter(|part| *part != Component::CurDir).collect();
    let plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    let path = |skipped: usize| parts.get(skipped..)?.iter().collect::<PathBuf>().into();
    let mut paths = (0..=FOLDERS).filter_map(path);
    paths.find(|path: &PathBuf| plain && texts::holds_facts(path))
}

fn texted(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn name(header: &[u8; BLOCK]) -> String {
    let (prefix, name) = (texted(&header[345..500]), texted(&header[..100]));
    // GNU's own format has other fields there.
    if prefix.is_empty() || header[263] == b' ' { name } else { format!("{prefix}/{name}") }
}

/// The path in an extended header: `27 path=folder/name\n`.
fn extended(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let path = text.lines().find_map(|line| line.split_once(" path="));
    path.map(|(_, path)| path.to_owned())
}

fn octal(field: &[u8]) -> Option<u64> {
    u64::from_str_radix(texted(field).trim(), 8).ok()
}

/// Whether a header has the sum that it states.
fn is_sound(header: &[u8; BLOCK]) -> bool {
    let field = 148..156;
    let byte = |(at, byte): (usize, &u8)| u64::from(if field.contains(&at) { b' ' } else { *byte });
    octal(&header[148..156]) == Some(header.iter().enumerate().map(byte).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_hold_facts_are_unpacked_and_none_elsewhere() {
        let is =
            |name: &str, path: &str| assert_eq!(wanted(name).as_deref(), Some(Path::new(path)));
        is("./sos-x/proc/cpuinfo", "proc/cpuinfo");
        is("bundle/root/dev/kmsg", "root/dev/kmsg");
        is("process", "process");
        for name in ["../proc/cpuinfo", "/proc/cpuinfo", "x/../proc/cpuinfo", "x/etc/shadow", ""] {
            assert_eq!(wanted(name), None, "{name}");
        }
    }
}
