//! Reads a recording event by event. The file is untrusted.

use crate::clean::clean;
use chronoscope_model::recording::{Event, SCHEMA, Start};
use std::io::{self, BufRead};

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
