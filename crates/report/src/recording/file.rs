//! The file of a recording: one event a line, written by `watch` and read back as untrusted.

use crate::clean::clean;
use chronoscope_model::Note;
use chronoscope_model::recording::{Event, NoteAt, SCHEMA, Start};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
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

// Reads a recording event by event. The file is untrusted.

/// What every recording begins with.
pub const FIRST: &[u8] = br#"{"event":"start""#;
/// A longer line is left out, in bytes. A full ring of waits makes a line of 2 MB.
const LONGEST: usize = 16 << 20;
/// The most rows; `waits` has no more either.
const MOST_ROWS: usize = 4096;
/// Nothing is recorded for longer, in nanoseconds: a century.
const LATEST: u64 = 100 * 366 * 86_400 * 1_000_000_000;

/// Whether a file that begins with these bytes may be a recording.
pub fn is_recording(first: &[u8]) -> bool {
    first.starts_with(FIRST)
}

/// The events of a recording after its start, in the order of the file. Lines that are no event, or
/// name a row that does not exist or a time that cannot be, are left out and counted.
pub struct Reader<R> {
    /// What was recorded, and where.
    pub start: Start,
    /// The lines that were left out so far.
    pub left_out: u64,
    /// Whether the last line is incomplete, as after a crash; known at the end.
    pub cut: bool,
    from: R,
    line: Vec<u8>,
}

/// What a line was.
enum Line {
    Whole,
    /// Without its end, because the file ends.
    Cut,
    TooLong,
    None,
}

impl<R: BufRead> Reader<R> {
    /// Reads the start of a recording.
    ///
    /// # Errors
    /// It cannot be read, or is not a recording of this version.
    pub fn new(mut from: R) -> io::Result<Self> {
        let mut line = Vec::new();
        let read = next_line(&mut from, &mut line)?;
        let refused = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        if !is_recording(&line) {
            return Err(refused("it is not a recording of `chronoscope watch`"));
        }
        let event = Event::read(&line);
        let (Line::Whole, Ok(Event::Start(start))) = (read, event) else {
            return Err(refused(&version(&line).unwrap_or("its first line is damaged".into())));
        };
        if start.schema != SCHEMA {
            return Err(refused(&version(&line).unwrap_or_default()));
        }
        if start.rows.len() > MOST_ROWS {
            return Err(refused("it has too many rows"));
        }
        Ok(Self { start: *start, left_out: 0, cut: false, from, line })
    }

    /// Reads the next event; `None` at the end.
    ///
    /// # Errors
    /// It cannot be read.
    // It can fail, so it is no iterator.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            match next_line(&mut self.from, &mut self.line)? {
                Line::None => return Ok(None),
                Line::Cut => self.cut = true,
                Line::TooLong => self.left_out += 1,
                Line::Whole => match self.event() {
                    Some(event) => return Ok(Some(event)),
                    None => self.left_out += 1,
                },
            }
        }
    }

    /// The event of the current line, if it is one that can have happened.
    fn event(&self) -> Option<Event> {
        let mut event = Event::read(&self.line).ok()?;
        let rows = self.start.rows.len();
        match &mut event {
            Event::Start(_) => return None,
            Event::Waits(waits) if waits.after_ns.len() != waits.late_ns.len() => return None,
            Event::Machine(machine) => machine.cpu.resize(rows, None),
            Event::Deltas(deltas) => deltas.counts.sort_unstable(),
            Event::Pause(pause) if pause.until_ns < pause.at_ns => return None,
            _ => {}
        }
        let possible = event.row().is_none_or(|row| row < rows)
            && event.at_ns() <= LATEST
            && event.until_ns() <= LATEST;
        possible.then_some(event)
    }
}

/// What a first line of another version says of its schema.
fn version(line: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    let schema = value.get("schema")?.as_str()?;
    let shown: String = clean(schema).chars().take(60).collect();
    (schema != SCHEMA).then(|| {
        format!("its schema {shown} is not {SCHEMA}: use the chronoscope that recorded it")
    })
}

/// Reads a line, without its end.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let (mut any, mut long) = (false, false);
    loop {
        let bytes = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok(if any { Line::Cut } else { Line::None });
        }
        any = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        long |= line.len() + part.len() > LONGEST;
        if !long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            return Ok(if long { Line::TooLong } else { Line::Whole });
        }
    }
}
