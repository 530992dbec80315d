//! Recordings of `watch`: writing them, keeping the last minute of one, reading them, and making a
//! report of one.
//!
//! The file has one event a line, written by `watch` and read back as untrusted.

mod keep;
#[cfg(test)]
mod keep_tests;
#[cfg(test)]
#[path = "../../tests/samples/recording.rs"]
mod samples;
#[cfg(test)]
mod tests;

use crate::clean::clean;
use chronoscope_model::deltas::{Counts, Deltas};
use chronoscope_model::histogram::{Decoded, empty, missed};
use chronoscope_model::recording::{Event, Machine, NoteAt, Pause, Row, SCHEMA, Start, WhySince};
use chronoscope_model::units::{count, short_ns};
use chronoscope_model::waits::{Load, Overshoots, StoppedBy};
use chronoscope_model::why::Why;
use chronoscope_model::{Note, Report, Run, Wait};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub use keep::{Keep, Keeper};

/// The most rows of a report: each has a histogram of a quarter of a megabyte.
const MOST_ROWS: usize = 512;
/// The most rows of deltas.
const MOST_CLOCKS: usize = 64;
/// The most notes that are taken over.
const MOST_NOTES: usize = 100;

/// Makes a report of a recording: a row of waits for each of its rows and loads, and a row of
/// deltas for each of its clocks and loads.
///
/// # Errors
/// The recording cannot be read.
pub fn report<R: BufRead>(mut reader: Reader<R>) -> io::Result<Report> {
    let mut sum = Sum::default();
    while let Some(event) = reader.next()? {
        sum.add(&reader.start, event);
    }
    let (left_out, cut, start) = (reader.left_out, reader.cut, reader.start);
    if left_out > 0 {
        let lines = count(left_out);
        let text = format!("{lines} lines of the recording are damaged or unknown, and left out");
        sum.note("recording-damaged", text);
    }
    if cut {
        sum.note("recording-cut", "the last line of the recording is incomplete".into());
    }
    Ok(sum.report(start))
}

/// The sum of the events so far.
#[derive(Default)]
struct Sum {
    load: Load,
    rows: BTreeMap<(usize, Load), Waits>,
    /// The first and the last time, in nanoseconds.
    span: Option<(u64, u64)>,
    notes: Vec<Note>,
    steps: u64,
    gaps_ns: u64,
    deltas: BTreeMap<(Load, String), Differences>,
    left_out: u64,
}

/// The differences between successive reads of a clock under a load.
#[derive(Default)]
struct Differences {
    counts: Counts,
    backwards: u64,
    /// That of the last of them.
    ns_per_tick: f64,
}

/// The waits of a row under a load.
#[derive(Default)]
struct Waits {
    overshoots: Overshoots,
    /// The deadlines that were missed, with how late each was.
    missed: Option<Decoded>,
    /// The time that was waited, in nanoseconds.
    ns: u64,
    /// The shares of a CPU of each second, and how many there were.
    cpu: (f64, u64),
    dropped: u64,
    why: Why,
}

impl Waits {
    fn add(&mut self, late_ns: i64, row: &Row) {
        self.overshoots.add(late_ns, row.tolerance_ns, 1);
        let late = u64::try_from(late_ns).unwrap_or(0);
        let wide = &self.overshoots.histogram;
        let all = self.missed.get_or_insert_with(empty);
        let lowest = |ns| wide.lowest_equivalent(ns);
        missed(late, row.requested_ns, lowest, |ns, n| all.saturating_record_n(ns, n));
        self.ns = self.ns.saturating_add(row.requested_ns).saturating_add_signed(late_ns);
    }

    fn row(self, row: Row, load: Load) -> Wait {
        let samples = self.overshoots.spread.samples;
        let blank = Wait {
            id: row.id,
            requested_ns: Some(row.requested_ns),
            cpu: row.cpu,
            available: row.unavailable_reason.is_none(),
            unavailable_reason: row.unavailable_reason,
            load,
            stopped_by: StoppedBy::Interrupt,
            ..*row.wait
        };
        if samples == 0 {
            let reason = blank.unavailable_reason.or(Some("no wait of it was recorded".into()));
            return Wait { available: false, unavailable_reason: reason, ..blank };
        }
        let grid = blank.period_ns.map(|period_ns| {
            let mut corrected = self.overshoots.histogram.clone();
            // Of the same range, so it holds them.
            let _ = self.missed.iter().try_for_each(|missed| corrected.add(missed));
            self.overshoots.grid(&corrected, period_ns)
        });
        let mut notes = Vec::new();
        if self.dropped > 0 {
            let waits = count(self.dropped);
            notes.push(format!("{waits} more waits were measured and not recorded"));
        }
        let mut why = self.why;
        why.later.sort_by_key(|later| later.than_ns);
        Wait {
            available: true,
            unavailable_reason: None,
            cpu_share: (self.cpu.1 > 0).then(|| self.cpu.0 / self.cpu.1 as f64),
            grid,
            seconds: self.ns as f64 / 1e9,
            why: (why != Why::default()).then_some(why),
            notes,
            ..self.overshoots.fill(0, blank)
        }
    }
}

impl Sum {
    fn add(&mut self, start: &Start, event: Event) {
        let (from, to) = (event.at_ns(), event.until_ns());
        match event {
            // A load may have begun before the rest of a recording.
            Event::Load(since) => return self.load = since.load,
            Event::Waits(waits) => {
                let Some(row) = start.rows.get(waits.row) else { return };
                if let Some(sum) = self.of(waits.row) {
                    waits.late_ns.iter().for_each(|late_ns| sum.add(*late_ns, row));
                }
            }
            Event::Late(late) => {
                if let Some(sum) = self.of(late.row) {
                    sum.why.add_worst(&late.wake);
                }
            }
            Event::Why(WhySince { row, why, .. }) => {
                if let Some(sum) = self.of(row) {
                    sum.why.join(&why);
                }
            }
            Event::Machine(machine) => self.machine(&machine),
            Event::Deltas(seen) => {
                let key = (self.load, seen.clock.clone());
                if self.deltas.len() < MOST_CLOCKS || self.deltas.contains_key(&key) {
                    let sum = self.deltas.entry(key).or_default();
                    sum.ns_per_tick = seen.ns_per_tick;
                    sum.backwards = sum.backwards.saturating_add(seen.backwards);
                    for (ns, times) in seen.counts.iter().filter(|(_, times)| *times > 0) {
                        sum.counts.add(*ns, *times);
                    }
                } else {
                    self.left_out += 1;
                }
            }
            Event::Pause(pause) if pause.is_gap => {
                self.gaps_ns = self.gaps_ns.saturating_add(to - from);
            }
            Event::Dropped(dropped) => {
                if let Some(sum) = self.of(dropped.row) {
                    sum.dropped = sum.dropped.saturating_add(dropped.waits);
                }
            }
            Event::Note(at) if self.notes.len() < MOST_NOTES && !self.notes.contains(&at.note) => {
                self.notes.push(at.note);
            }
            Event::Start(_) | Event::Pause(_) | Event::Note(_) => {}
        }
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
    }

    /// The sum of a row under the current load; `None` if there are too many.
    fn of(&mut self, row: usize) -> Option<&mut Waits> {
        let key = (row, self.load);
        if self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key) {
            self.left_out += 1;
            return None;
        }
        Some(self.rows.entry(key).or_default())
    }

    fn machine(&mut self, machine: &Machine) {
        self.steps = self.steps.saturating_add(machine.steps);
        for (row, share) in machine.cpu.iter().enumerate() {
            if let (Some(share), Some(sum)) = (share, self.rows.get_mut(&(row, self.load))) {
                sum.cpu = (sum.cpu.0 + share, sum.cpu.1 + 1);
            }
        }
    }

    fn note(&mut self, id: &str, text: String) {
        self.notes.push(note(id, text));
    }

    /// Adds notes on what a report does not hold.
    fn notes(&mut self) {
        if self.steps > 0 {
            let steps = count(self.steps);
            self.note("wall-clock-stepped", format!("steps of the wall clock: {steps}"));
        }
        if self.gaps_ns > 0 {
            let time = short_ns(self.gaps_ns as f64);
            self.note(
                "gaps",
                format!("the process could not run for {time}; no wait includes that"),
            );
        }
        if self.left_out > 0 {
            let text =
                format!("the recording has more than {MOST_ROWS} rows or {MOST_CLOCKS} clocks");
            self.note("rows-left-out", text);
        }
    }

    fn report(mut self, start: Start) -> Report {
        self.notes();
        for row in 0..start.rows.len() {
            // A row without waits is there, with its reason.
            if !self.rows.keys().any(|(known, _)| *known == row) && self.rows.len() < MOST_ROWS {
                self.rows.insert((row, self.load), Waits::default());
            }
        }
        let deltas = self.deltas.into_iter().map(|((load, id), seen)| Deltas {
            id,
            load: (load != Load::None).then_some(load),
            ..seen.counts.deltas(seen.ns_per_tick, seen.backwards)
        });
        let deltas = deltas.collect();
        let rows = self.rows.into_iter().filter_map(|((row, load), sum)| {
            let row = start.rows.get(row)?.clone();
            Some((load, sum.row(row, load)))
        });
        let mut rows: Vec<(Load, Wait)> = rows.collect();
        rows.sort_by_key(|(load, _)| *load);
        let (first, last) = self.span.unwrap_or_default();
        Report {
            schema: chronoscope_model::SCHEMA.into(),
            run: Run {
                id: format!("{:016x}", start.wall_ns),
                started: time(start.wall_ns.saturating_add(first)),
                finished: time(start.wall_ns.saturating_add(last)),
                argv: start.argv,
                screen: Some("waits".into()),
                tool_version: start.tool_version,
                complete: true,
                seconds: (last - first) as f64 / 1e9,
                ..Run::default()
            },
            environment: start.environment,
            ruler: start.ruler,
            deltas,
            waits: rows.into_iter().map(|(_, wait)| wait).collect(),
            notes: start.notes.into_iter().chain(self.notes).collect(),
            ..Report::default()
        }
    }
}

fn note(id: &str, text: String) -> Note {
    Note { id: id.into(), text, ..Note::default() }
}
/// A time in UTC, from nanoseconds since 1970.
fn time(wall_ns: u64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(wall_ns)).unwrap_or_default().to_string()
}

/// The room that is kept for the last line of a recording that reaches its limit, in bytes.
const LAST_LINE: u64 = 512;
/// The most recordings that are named by the same second.
const MOST_NAMES: u32 = 1000;

/// What a recording in progress has come to.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Its file.
    pub path: PathBuf,
    /// The bytes written so far.
    pub bytes: u64,
    /// Why it has ended before the end, in one line: the limit, or an error of the system.
    pub ended: Option<String>,
    /// Whether that is an error of the system.
    pub failed: bool,
}

/// A recording in progress.
pub struct Writer<W> {
    out: W,
    limit: u64,
    names: bool,
    lines: Vec<u8>,
    status: Status,
    /// The wall clock at the start of a recording that is resumed, and when that ended, until the
    /// start of what follows.
    before: Option<(u64, u64)>,
    /// By how much what follows is later than it seems.
    shift_ns: u64,
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
        // Elsewhere nobody could read it then.
        if cfg!(unix) {
            let _ = file.try_lock();
        }
        Ok(Self::new(file, path, limit))
    }

    /// Opens a recording to go on with it. What is written next begins with [`Event::Start`], in
    /// whose place the file gets the gap until then. Also returns what was recorded, and the load
    /// at its end.
    ///
    /// # Errors
    /// It is no recording, cannot be written, or is being written: one line with the path.
    pub fn resume(path: &Path, limit: u64) -> io::Result<(Self, Start, Load)> {
        let read = || {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            if cfg!(unix) && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(io::Error::other("it is still being written"));
            }
            let mut reader = Reader::new(BufReader::new(&file))?;
            let (mut load, mut until_ns) = (Load::None, 0);
            while let Some(event) = reader.next()? {
                until_ns = until_ns.max(event.until_ns());
                if let Event::Load(since) = event {
                    load = since.load;
                }
            }
            // As after a crash.
            let cut = if reader.cut { reader.line.len() as i64 } else { 0 };
            let start = reader.start;
            let bytes = (&file).seek(SeekFrom::End(-cut))?;
            if bytes + LAST_LINE > limit {
                let why = format!("it has {bytes} bytes: --record-limit must be larger");
                return Err(io::Error::other(why));
            }
            file.set_len(bytes)?;
            let mut writer = Self::new(file, path, limit);
            (writer.status.bytes, writer.before) = (bytes, Some((start.wall_ns, until_ns)));
            Ok((writer, start, load))
        };
        read().map_err(|error: io::Error| {
            io::Error::new(error.kind(), format!("cannot resume {}: {error}", path.display()))
        })
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
        let Status { path, ended, failed, .. } = &self.status;
        if let Some(why) = ended.as_ref().filter(|_| *failed) {
            return Err(io::Error::other(why.clone()));
        }
        self.out.sync_all().map_err(|error| cannot_write(path, &error))
    }
}

impl<W: Write> Writer<W> {
    /// Writes to `out`, which is called `path`.
    pub fn new(out: W, path: &Path, limit: u64) -> Self {
        let status = Status { path: path.into(), ..Status::default() };
        let (names, lines, before, shift_ns) = (false, Vec::new(), None, 0);
        Self { out, limit, names, lines, status, before, shift_ns }
    }

    /// Sets whether the names of tasks of other users are written.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// Writes events, each as a line. At the limit, the last line is a note that says so; after an
    /// error, nothing more is written, and the lines before it can be read.
    pub fn write<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        if self.status.ended.is_some() {
            return;
        }
        self.lines.clear();
        for event in events {
            let whole = self.lines.len();
            self.line(event);
            if self.status.bytes + self.lines.len() as u64 + LAST_LINE > self.limit {
                self.lines.truncate(whole);
                let limit = self.limit;
                let text = format!("the limit of {limit} bytes (--record-limit) is reached");
                self.status.ended = Some(text.clone());
                let (at_ns, note) = (event.at_ns(), note("record-limit", text));
                self.line(&Event::Note(NoteAt { at_ns, note }));
                break;
            }
        }
        match self.out.write_all(&self.lines).and_then(|()| self.out.flush()) {
            Ok(()) => self.status.bytes += self.lines.len() as u64,
            Err(error) => {
                self.status.failed = true;
                self.status.ended = Some(cannot_write(&self.status.path, &error).to_string());
            }
        }
    }

    fn line(&mut self, event: &Event) {
        if let (Event::Start(start), Some((wall_ns, at_ns))) = (event, self.before.take()) {
            return self.gap(at_ns, start.wall_ns.saturating_sub(wall_ns).max(at_ns));
        }
        let withheld = (!self.names).then(|| withheld(event)).flatten();
        let mut changed = withheld.or_else(|| (self.shift_ns > 0).then(|| event.clone()));
        if let Some(event) = &mut changed {
            event.delay(self.shift_ns);
        }
        changed.as_ref().unwrap_or(event).write(&mut self.lines);
    }

    /// Writes the gap before what follows.
    fn gap(&mut self, at_ns: u64, until_ns: u64) {
        self.line(&Event::Pause(Pause { at_ns, until_ns, is_gap: false }));
        self.shift_ns = until_ns;
        let gap = short_ns((until_ns - at_ns) as f64);
        let text = format!("the recording was resumed {gap} after its end; no wait includes that");
        self.line(&Event::Note(NoteAt { at_ns: 0, note: note("resumed", text) }));
    }
}

/// The event without the names of tasks of other users; `None` if it is not about tasks.
fn withheld(event: &Event) -> Option<Event> {
    let mut event = match event {
        Event::Late(_) | Event::Why(_) => event.clone(),
        _ => return None,
    };
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
const MOST_READ_ROWS: usize = 4096;
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
        if start.rows.len() > MOST_READ_ROWS {
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
                Line::Cut => {
                    self.cut = true;
                    return Ok(None);
                }
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
