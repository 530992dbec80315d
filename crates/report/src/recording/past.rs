//! The last minute of events, in memory.

use chronoscope_model::Note;
use chronoscope_model::recording::{Event, LoadSince, Start, Waits};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::collections::VecDeque;
use std::io::{Read, Write};

/// The most memory for compressed events, in bytes.
pub(super) const MOST: usize = 64 << 20;
/// Events of about so many bytes are compressed together, to a tenth of that.
const CHUNK: usize = 128 << 10;

/// The events of the last `window` nanoseconds.
pub(super) struct Past {
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
        // In one piece, which takes a fraction of the time. To write to memory cannot fail, and an
        // event can always be written.
        let mut lines = Vec::new();
        for event in events {
            let _ = serde_json::to_writer(&mut lines, event);
            lines.push(b'\n');
        }
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
    pub(super) fn new(window: u64, most: usize) -> Self {
        Self {
            window,
            most,
            start: None,
            load: None,
            chunks: VecDeque::new(),
            bytes: 0,
            latest: (Vec::new(), 0),
            newest: 0,
            short: false,
        }
    }

    pub(super) fn start(&self) -> Option<&Start> {
        self.start.as_ref()
    }

    /// Adds an event, and forgets what is too old.
    pub(super) fn push(&mut self, event: &Event) {
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
    pub(super) fn recording(&self) -> impl Iterator<Item = Vec<Event>> {
        self.start.iter().flat_map(move |start| {
            let mut start = start.clone();
            if self.short {
                let text = "the past was too large for the memory that is kept for it, so the \
                            recording begins later than asked for";
                let id = "hindsight-short".into();
                start.notes.push(Note { id, text: text.into(), ..Note::default() });
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
