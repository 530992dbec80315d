//! Writes a recording: one event a line.

use chronoscope_model::Note;
use chronoscope_model::recording::{Event, NoteAt};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The room that is kept for the last line of a recording that reaches its limit, in bytes.
const LAST_LINE: u64 = 512;
/// The most recordings that are named by the same second.
const MOST_NAMES: u32 = 1000;

/// A recording in progress.
pub struct Writer<W> {
    out: W,
    path: PathBuf,
    limit: u64,
    names: bool,
    bytes: u64,
    ended: Option<String>,
    failed: bool,
    lines: Vec<u8>,
}

impl Writer<File> {
    /// Creates a file that only its owner may read, and replaces none.
    ///
    /// # Errors
    /// One line with the path and the reason.
    pub fn create(path: &Path, limit: u64) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| cannot_write(path, &error))?;
        Ok(Self::new(file, path, limit))
    }

    /// Creates one in a folder, named by this time, in nanoseconds since 1970.
    ///
    /// # Errors
    /// Those of [`create`](Self::create).
    pub fn create_in(folder: &Path, wall_ns: u64, limit: u64) -> io::Result<Self> {
        let time = jiff::Timestamp::from_nanosecond(i128::from(wall_ns)).unwrap_or_default();
        let time = time.strftime("%Y%m%dT%H%M%SZ");
        let mut nth = 1;
        loop {
            let more = if nth > 1 { format!("-{nth}") } else { String::new() };
            let path = folder.join(format!("watch-{time}{more}.ndjson"));
            match Self::create(&path, limit) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && nth < MOST_NAMES => {
                    nth += 1;
                }
                made => return made,
            }
        }
    }

    /// Waits until the disk has what was written.
    ///
    /// # Errors
    /// One line with the path and the reason: also if something could not be written before.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Some(why) = self.ended.as_ref().filter(|_| self.failed) {
            return Err(io::Error::other(why.clone()));
        }
        self.out.sync_all().map_err(|error| cannot_write(&self.path, &error))
    }
}

impl<W: Write> Writer<W> {
    /// Writes to `out`, which is called `path`.
    pub fn new(out: W, path: &Path, limit: u64) -> Self {
        Self {
            out,
            path: path.into(),
            limit,
            names: false,
            bytes: 0,
            ended: None,
            failed: false,
            lines: Vec::new(),
        }
    }

    /// Sets whether the names of tasks of other users are written.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// Where it is written to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Why nothing more is written, if so, in one line.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Whether that is an error, rather than the limit.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Writes events, each as a line. At the limit, the last line is a note that says so; after an
    /// error, nothing more is written, and the lines before it can be read.
    pub fn write<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        if self.ended.is_some() {
            return;
        }
        self.lines.clear();
        for event in events {
            let whole = self.lines.len();
            self.line(event);
            if self.bytes + self.lines.len() as u64 + LAST_LINE > self.limit {
                self.lines.truncate(whole);
                let limit = self.limit;
                let text = format!("the limit of {limit} bytes (--record-limit) is reached");
                let note = Note { id: "record-limit".into(), text, ..Note::default() };
                let at_ns = event.at_ns();
                self.ended = Some(note.text.clone());
                self.line(&Event::Note(NoteAt { at_ns, note }));
                break;
            }
        }
        match self.out.write_all(&self.lines).and_then(|()| self.out.flush()) {
            Ok(()) => self.bytes += self.lines.len() as u64,
            Err(error) => {
                self.failed = true;
                self.ended = Some(cannot_write(&self.path, &error).to_string());
            }
        }
    }

    fn line(&mut self, event: &Event) {
        let withheld = (!self.names).then(|| withheld(event)).flatten();
        // A vector takes every byte, and the keys of an event are strings.
        let _ = serde_json::to_writer(&mut self.lines, withheld.as_ref().unwrap_or(event));
        self.lines.push(b'\n');
    }
}

/// The event without the names of tasks of other users; `None` if there are none in it.
fn withheld(event: &Event) -> Option<Event> {
    let culprits = match event {
        Event::Late(late) => &late.wake.culprits,
        Event::Why(why) => &why.why.culprits,
        _ => return None,
    };
    if !culprits.iter().any(|culprit| culprit.other_user) {
        return None;
    }
    let mut event = event.clone();
    match &mut event {
        Event::Late(late) => late.wake.withhold_names(),
        Event::Why(why) => why.why.withhold_names(),
        _ => {}
    }
    Some(event)
}

fn cannot_write(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}
