//! The last minute of events, in memory.

use chronoscope_model::Note;
use chronoscope_model::recording::{Event, LoadSince, Start, Waits};
use std::collections::VecDeque;

/// The most memory for events, in bytes, by estimate.
const MOST: usize = 64 << 20;

/// The events of the last `window` nanoseconds.
pub(super) struct Past {
    window: u64,
    start: Option<Start>,
    /// The load at the beginning of the window, unless it changed within it.
    load: Option<LoadSince>,
    events: VecDeque<Event>,
    bytes: usize,
    newest: u64,
    /// Whether the memory was not enough for the window.
    short: bool,
}

impl Past {
    pub(super) fn new(window: u64) -> Self {
        Self {
            window,
            start: None,
            load: None,
            events: VecDeque::new(),
            bytes: 0,
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
        self.bytes += size(event);
        self.events.push_back(event.clone());
        while let Some(first) = self.events.front() {
            let full = self.bytes > MOST;
            if !full && first.until_ns() >= self.oldest() {
                break;
            }
            self.short |= full;
            self.bytes -= size(first);
            if let Some(Event::Load(load)) = self.events.pop_front() {
                self.load = Some(load);
            }
        }
    }

    /// The time from which on events are kept.
    fn oldest(&self) -> u64 {
        self.newest.saturating_sub(self.window)
    }

    /// The events as a recording, which begins with the start.
    pub(super) fn recording(&self) -> Vec<Event> {
        let Some(mut start) = self.start.clone() else { return Vec::new() };
        if self.short {
            let text = "the past was too large for the memory that is kept for it, so the \
                        recording begins later than asked for";
            let note = Note { id: "hindsight-short".into(), text: text.into(), ..Note::default() };
            start.notes.push(note);
        }
        let first = [Event::Start(Box::new(start))].into_iter();
        let load = self.load.map(Event::Load);
        let oldest = self.oldest();
        first
            .chain(load)
            .chain(self.events.iter().filter_map(|event| since(event, oldest)))
            .collect()
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

/// The memory of an event, by estimate, in bytes.
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

    fn ends(recording: &[Event]) -> Vec<u64> {
        let waits = recording.iter().filter_map(|event| match event {
            Event::Waits(waits) => Some(waits.ends().map(|(end, _)| end).collect::<Vec<_>>()),
            _ => None,
        });
        waits.flatten().collect()
    }

    /// Ten waits a drain, one each 10, and the machine between.
    fn fill(past: &mut Past, drains: std::ops::Range<u64>) {
        for drain in drains {
            let after_ns = [0].into_iter().chain([10; 9]).collect();
            let waits = Waits { row: 0, at_ns: drain * 100, after_ns, late_ns: vec![5; 10] };
            past.push(&Event::Waits(waits));
            past.push(&Event::Machine(Machine { at_ns: drain * 100 + 95, ..Machine::default() }));
        }
    }

    #[test]
    fn exactly_the_window_is_kept_and_the_load_that_ran_in_it() {
        let mut past = Past::new(255);
        assert!(past.recording().is_empty());
        past.push(&Event::Start(Box::default()));
        let load = LoadSince { at_ns: 3, ..LoadSince::default() };
        past.push(&Event::Load(load));
        fill(&mut past, 0..10);
        // The newest event is that of the machine at 995.
        let recording = past.recording();
        assert_eq!(ends(&recording), (74..=99).map(|n| n * 10).collect::<Vec<u64>>());
        assert!(matches!(recording[0], Event::Start(_)));
        assert_eq!(recording[1], Event::Load(load));
        let machines = recording.iter().filter(|event| matches!(event, Event::Machine(_)));
        assert_eq!(machines.map(Event::at_ns).collect::<Vec<_>>(), [795, 895, 995]);
        assert!(past.events.len() <= 8, "{}", past.events.len());
        // A window that is longer than what there is begins with it.
        let mut long = Past::new(u64::MAX);
        long.push(&Event::Start(Box::default()));
        fill(&mut long, 0..3);
        assert_eq!(ends(&long.recording()).len(), 30);
    }

    #[test]
    fn memory_is_bounded_and_a_short_past_says_so() {
        let mut past = Past::new(u64::MAX);
        past.push(&Event::Start(Box::default()));
        let many =
            Waits { after_ns: vec![1; 1 << 20], late_ns: vec![1; 1 << 20], ..Waits::default() };
        let many = Event::Waits(many);
        (0..6).for_each(|_| past.push(&many));
        assert!(past.bytes <= MOST && past.events.len() == 3);
        let Event::Start(start) = &past.recording()[0] else { panic!("no start") };
        assert_eq!(start.notes[0].id, "hindsight-short");
    }
}
