//! What is kept of the events of `watch`, as it was asked for, and the last minute of them in
//! memory.

use super::{Status, Writer, note};
use chronoscope_model::recording::{Event, LoadSince, Start, Waits};
use chronoscope_model::units::human_ns;
use chronoscope_model::waits::Moment;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The least limit of a file, in bytes, so that it can hold its start.
const LEAST_LIMIT: u64 = 1 << 20;

/// What to keep: the options of `watch` of these names.
#[derive(Clone, Debug)]
pub struct Keep {
    /// `--hindsight`: how much of the past is kept in memory.
    pub hindsight: Duration,
    /// `--stop-above`: the overshoot at which the past is written to a file.
    pub stop_above: Option<Duration>,
    /// `--go-on`: whether to go on after that, and write a file at each further one.
    pub go_on: bool,
    /// `--record`: a new file for everything that happens, or, with `stop_above`, for the past. In
    /// a folder, the file is named by the time. With `stop_above` the default is the current
    /// folder; otherwise nothing is recorded by default.
    pub record: Option<PathBuf>,
    /// `--record-limit`: the most bytes of a file.
    pub limit: u64,
    /// `--names`: whether files hold the names of processes of other users.
    pub names: bool,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            hindsight: Duration::from_mins(1),
            stop_above: None,
            go_on: false,
            record: None,
            limit: 1 << 30,
            names: false,
        }
    }
}

impl Keep {
    /// How much of the past is kept, in nanoseconds.
    fn window(&self) -> u64 {
        u64::try_from(self.hindsight.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The folder of files that are named by the time.
    fn folder(&self) -> &Path {
        self.record.as_deref().filter(|path| path.is_dir()).unwrap_or(Path::new("."))
    }

    /// Creates a file that is named by the time.
    fn create_named(&self) -> io::Result<Writer<File>> {
        let file = Writer::create_in(self.folder(), wall_ns(), self.limit)?;
        Ok(file.names(self.names))
    }

    /// Creates the file that was asked for, named by the time if that is a folder.
    fn create(&self) -> io::Result<Writer<File>> {
        match &self.record {
            Some(path) if !path.is_dir() => Ok(Writer::create(path, self.limit)?.names(self.names)),
            _ => self.create_named(),
        }
    }
}

fn wall_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Keeps events. If a wait was above `stop_above` and the past is not written when this is dropped,
/// it is written then.
pub struct Keeper {
    keep: Keep,
    writer: Option<Writer<File>>,
    past: Past,
    /// The row and the moment of an overshoot above the limit whose explanation has not come yet.
    found: Option<(usize, Moment)>,
    /// When the last one was, in nanoseconds since the start.
    last: Option<u64>,
}

impl Keeper {
    /// Begins to keep. Creates the file, if everything is recorded, and otherwise makes sure that
    /// one could be created.
    ///
    /// # Errors
    /// It exists, cannot be created, or would be too small: one line with the reason.
    pub fn new(keep: Keep) -> io::Result<Self> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
        if keep.limit < LEAST_LIMIT {
            return Err(invalid("--record-limit must be at least 1MiB"));
        }
        let folder = keep.record.as_deref().is_none_or(Path::is_dir);
        if keep.go_on && !folder {
            return Err(invalid("--go-on writes several files: --record must name a folder"));
        }
        let all = keep.record.is_some() && keep.stop_above.is_none();
        if keep.stop_above.is_some() {
            let tried = keep.create()?;
            fs::remove_file(&tried.status.path)?;
        }
        let writer = if all { Some(keep.create()?) } else { None };
        Ok(Self::with(keep, writer))
    }
    /// Begins to keep, with everything in a recording that goes on.
    pub fn resume(keep: Keep, recording: Writer<File>) -> Self {
        let recording = recording.names(keep.names);
        Self::with(keep, Some(recording))
    }
    fn with(keep: Keep, writer: Option<Writer<File>>) -> Self {
        let past = Past::new(keep.window(), MOST);
        Self { keep, writer, past, found: None, last: None }
    }

    /// Takes the events of one drain. Returns a line about the first wait above the limit among
    /// them, or among those before, once its past is written, which waits for the reasons of the
    /// lateness. A wait within `hindsight` after another one belongs to that one. What goes wrong
    /// with the file of everything is in [`status`](Self::status).
    pub fn take(&mut self, events: &[Event]) -> Option<String> {
        if let Some(writer) = &mut self.writer {
            writer.write(events);
        }
        events.iter().for_each(|event| self.past.push(event));
        if let Some(found) = self.found.take() {
            return Some(self.written(&found));
        }
        let (at_ns, row, moment) = self.above(events)?;
        self.last = Some(at_ns);
        let ns = moment.overshoot_ns;
        let explains =
            |it: &Event| matches!(it, Event::Late(it) if it.row == row && it.wake.late_ns == ns);
        self.found = Some((row, moment));
        let found = self.found.take_if(|_| events.iter().any(explains))?;
        Some(self.written(&found))
    }

    /// When the first wait among these events ended above the limit that does not belong to the one
    /// before, with its row.
    fn above(&self, events: &[Event]) -> Option<(u64, usize, Moment)> {
        let limit = self.keep.stop_above?;
        let from = self.last.map_or(0, |last| last.saturating_add(self.keep.window()));
        let waits = events.iter().filter_map(|event| match event {
            Event::Waits(waits) => Some(waits),
            _ => None,
        });
        let late = waits.flat_map(|waits| {
            waits.ends().filter(|(at_ns, _)| *at_ns >= from).filter_map(|(at_ns, late_ns)| {
                let moment = Moment::above(limit, late_ns, at_ns as f64 / 1e9)?;
                Some((at_ns, waits.row, moment))
            })
        });
        late.min_by_key(|late| late.0)
    }

    /// Writes the past of a wait above the limit, and says so.
    fn written(&self, (row, moment): &(usize, Moment)) -> String {
        let rows = self.past.start.as_ref().map_or(&[][..], |start| &start.rows);
        let id = rows.get(*row).map_or("", |row| &row.id);
        let late = human_ns(moment.overshoot_ns as f64);
        match self.keep.create().and_then(|file| self.write(file)) {
            Ok(path) => {
                format!("{id} ended {late} late: the time before it is in {}", path.display())
            }
            Err(error) => format!("{id} ended {late} late: {error}"),
        }
    }

    fn write(&self, mut file: Writer<File>) -> io::Result<PathBuf> {
        self.past.recording().for_each(|events| file.write(&events));
        file.finish()?;
        Ok(file.status.path)
    }

    /// Writes the past to a new file that is named by the time, in the folder of `record`, or in
    /// the current one.
    ///
    /// # Errors
    /// The file cannot be written: one line with the path and the reason.
    pub fn save(&self) -> io::Result<PathBuf> {
        self.write(self.keep.create_named()?)
    }

    /// Whether a wait above the limit does not end the waits.
    pub fn goes_on(&self) -> bool {
        self.keep.go_on
    }

    /// What the recording of everything has come to, if everything is recorded.
    pub fn status(&self) -> Option<&Status> {
        self.writer.as_ref().map(|writer| &writer.status)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(found) = self.found.take() {
            // Nobody is left to read the line.
            let _ = self.written(&found);
        }
    }
}

// The last minute of events, in memory.

/// The most memory for compressed events, in bytes.
const MOST: usize = 64 << 20;
/// Events of about so many bytes are compressed together, to a tenth of that.
const CHUNK: usize = 128 << 10;

/// The events of the last `window` nanoseconds.
#[derive(Default)]
struct Past {
    window: u64,
    most: usize,
    start: Option<Start>,
    /// The load before the first chunk, if it is known.
    load: Option<LoadSince>,
    chunks: VecDeque<Chunk>,
    /// Their bytes.
    bytes: usize,
    /// The events after the last chunk, and their bytes, by estimate.
    latest: (Vec<Event>, usize),
    newest: u64,
    /// Whether the memory was not enough for the window.
    short: bool,
}

/// Events that follow each other, in JSON, compressed.
struct Chunk {
    until_ns: u64,
    /// The last load among them.
    load: Option<LoadSince>,
    deflated: Box<[u8]>,
}

impl Chunk {
    fn of(events: &[Event]) -> Self {
        // In one piece, which takes a fraction of the time. To write to memory cannot fail.
        let mut lines = Vec::new();
        events.iter().for_each(|event| event.write(&mut lines));
        let mut to = DeflateEncoder::new(Vec::new(), Compression::fast());
        let _ = to.write_all(&lines);
        let load = |event: &Event| match event {
            Event::Load(load) => Some(*load),
            _ => None,
        };
        Self {
            until_ns: events.iter().map(Event::until_ns).max().unwrap_or(0),
            load: events.iter().rev().find_map(load),
            deflated: to.finish().unwrap_or_default().into(),
        }
    }

    fn events(&self) -> Vec<Event> {
        let mut lines = Vec::new();
        let _ = DeflateDecoder::new(&self.deflated[..]).read_to_end(&mut lines);
        lines.split(|byte| *byte == b'\n').filter_map(|line| Event::read(line).ok()).collect()
    }
}

impl Past {
    /// Keeps what compresses to at most `most` bytes.
    fn new(window: u64, most: usize) -> Self {
        Self { window, most, ..Self::default() }
    }

    /// Adds an event, and forgets what is too old.
    fn push(&mut self, event: &Event) {
        if let Event::Start(start) = event {
            self.start = Some((**start).clone());
            return;
        }
        self.newest = self.newest.max(event.until_ns());
        let (latest, bytes) = &mut self.latest;
        *bytes += size(event);
        latest.push(event.clone());
        if *bytes >= CHUNK {
            let chunk = Chunk::of(latest);
            (*latest, *bytes) = (Vec::new(), 0);
            self.bytes += chunk.deflated.len();
            self.chunks.push_back(chunk);
        }
        while let Some(first) = self.chunks.front() {
            let full = self.bytes > self.most;
            if !full && first.until_ns >= self.oldest() {
                break;
            }
            self.short |= full;
            self.bytes -= first.deflated.len();
            self.load = first.load.or(self.load);
            self.chunks.pop_front();
        }
    }

    /// The time from which on events are kept.
    fn oldest(&self) -> u64 {
        self.newest.saturating_sub(self.window)
    }

    /// The events as a recording, which begins with the start, some at a time.
    fn recording(&self) -> impl Iterator<Item = Vec<Event>> {
        self.start.iter().flat_map(move |start| {
            let mut start = start.clone();
            if self.short {
                let text = "the past was too large for the memory that is kept for it, so the \
                            recording begins later than asked for";
                start.notes.push(note("hindsight-short", text.into()));
            }
            let load = self.load.map(Event::Load);
            let first = [Event::Start(Box::new(start))].into_iter().chain(load).collect();
            let oldest = self.oldest();
            let kept =
                move |all: Vec<Event>| all.iter().filter_map(|it| since(it, oldest)).collect();
            let chunks = self.chunks.iter().map(move |chunk| kept(chunk.events()));
            let latest = std::iter::once_with(move || kept(self.latest.0.clone()));
            std::iter::once(first).chain(chunks).chain(latest)
        })
    }
}

/// The part of an event that is not older.
fn since(event: &Event, oldest: u64) -> Option<Event> {
    match event {
        Event::Waits(waits) if waits.at_ns < oldest => {
            let old = waits.ends().take_while(|(end, _)| *end < oldest).count();
            let (at_ns, _) = waits.ends().nth(old)?;
            let mut after_ns = waits.after_ns[old..].to_vec();
            after_ns[0] = 0;
            let late_ns = waits.late_ns[old..].to_vec();
            Some(Event::Waits(Waits { row: waits.row, at_ns, after_ns, late_ns }))
        }
        // It says which load ran since.
        Event::Load(_) => Some(event.clone()),
        event => (event.until_ns() >= oldest).then(|| event.clone()),
    }
}

/// The bytes of an event, by estimate.
fn size(event: &Event) -> usize {
    size_of::<Event>()
        + match event {
            Event::Waits(waits) => 16 * waits.late_ns.len(),
            Event::Deltas(deltas) => 16 * deltas.counts.len(),
            Event::Machine(machine) => 16 * machine.cpu.len(),
            Event::Late(late) => 64 + 16 * late.wake.parts.len() + 128 * late.wake.culprits.len(),
            Event::Why(why) => 256 * (why.why.later.len() + why.why.culprits.len()),
            _ => 256,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::recording::Machine;

    fn all(past: &Past) -> Vec<Event> {
        past.recording().flatten().collect()
    }

    fn ends(recording: &[Event]) -> Vec<u64> {
        let waits = recording.iter().filter_map(|event| match event {
            Event::Waits(waits) => Some(waits.ends().map(|(end, _)| end).collect::<Vec<_>>()),
            _ => None,
        });
        waits.flatten().collect()
    }

    /// 95 us of waits in each drain of 100 us, and the machine after them.
    fn fill(past: &mut Past, drains: std::ops::Range<u64>) {
        for drain in drains {
            let after_ns = [0].into_iter().chain([100; 949]).collect();
            let late_ns = (0..950).map(|n| n * 2_654_435_761 % 1_000_003).collect();
            let waits = Waits { row: 0, at_ns: drain * 100_000, after_ns, late_ns };
            past.push(&Event::Waits(waits));
            let at_ns = drain * 100_000 + 95_000;
            past.push(&Event::Machine(Machine { at_ns, ..Machine::default() }));
        }
    }

    #[test]
    fn exactly_the_window_is_kept_and_the_load_that_ran_in_it() {
        let mut past = Past::new(1_055_000, MOST);
        assert!(all(&past).is_empty());
        past.push(&Event::Start(Box::default()));
        let load = LoadSince { at_ns: 3, ..LoadSince::default() };
        past.push(&Event::Load(load));
        fill(&mut past, 0..40);
        // The newest event is that of the machine at 3,995 us.
        let recording = all(&past);
        let waits = (0..40).flat_map(|drain| (0..950).map(move |n| drain * 100_000 + n * 100));
        let kept = waits.filter(|end| *end >= 2_940_000);
        assert_eq!(ends(&recording), kept.collect::<Vec<u64>>());
        assert!(matches!(recording[0], Event::Start(_)));
        assert_eq!(recording[1], Event::Load(load));
        let machines = recording.iter().filter(|event| matches!(event, Event::Machine(_)));
        let times = (29..40).map(|drain| drain * 100_000 + 95_000).collect::<Vec<u64>>();
        assert_eq!(machines.map(Event::at_ns).collect::<Vec<_>>(), times);
        assert!((1..=2).contains(&past.chunks.len()), "{}", past.chunks.len());
        // A window that is longer than what there is begins with it.
        let mut long = Past::new(u64::MAX, MOST);
        long.push(&Event::Start(Box::default()));
        fill(&mut long, 0..20);
        assert_eq!(ends(&all(&long)).len(), 20 * 950);
    }

    #[test]
    fn memory_is_bounded_and_a_short_past_says_so() {
        let mut past = Past::new(u64::MAX, CHUNK);
        past.push(&Event::Start(Box::default()));
        fill(&mut past, 0..100);
        assert!(past.bytes <= CHUNK && past.latest.1 < CHUNK && past.chunks.len() > 1);
        let Event::Start(start) = &all(&past)[0] else { panic!("no start") };
        assert_eq!(start.notes[0].id, "hindsight-short");
    }
}
