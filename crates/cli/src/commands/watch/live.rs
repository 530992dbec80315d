//! Waits that happen now, as the view and the keeper of their past get them.

use crate::stop::Stop;
use chronoscope_model::Note;
use chronoscope_model::recording::{Event, NoteAt};
use chronoscope_model::units::count;
use chronoscope_probes::clocks::{self, Entry, Opening};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_report::recording::{Breach, Keeper};
use chronoscope_survey::watch::Live;
use chronoscope_watch::{Command, Source};
use std::io;

/// Waits that happen now.
pub struct Watched<'a> {
    live: Live,
    keeper: Keeper,
    stop: &'a Stop,
    /// Keeps the thread that draws on another CPU than the waits, if there is one.
    pinned: Option<PinGuard>,
    breach: Option<Breach>,
    /// Why the recording has ended, once that was shown.
    ended: Option<String>,
    /// The clock whose deltas are watched, by its place among those that `c` goes through.
    clock: usize,
}

impl<'a> Watched<'a> {
    pub fn new(live: Live, keeper: Keeper, stop: &'a Stop) -> Self {
        let pinned = elsewhere(&live);
        let (breach, ended) = (None, None);
        Self { live, keeper, stop, pinned, breach, ended, clock: usize::MAX }
    }

    /// Ends the waits, and returns what there is to say, and whether that is a failure: a breach
    /// that ended the view, or a recording that could not be written.
    pub fn finish(mut self) -> (Vec<String>, bool) {
        let last = self.live.stop();
        let breach = self.keeper.take(&last);
        let breach = self.breach.take().or(breach.filter(|_| !self.keeper.goes_on()));
        let mut lines: Vec<String> = breach.iter().map(ToString::to_string).collect();
        let status = self.keeper.status();
        if let Some(path) = status.path {
            let ended = status.ended.map_or(String::new(), |why| format!(": {why}"));
            let bytes = count(status.bytes);
            lines.push(format!("recorded {bytes} bytes to {}{ended}", path.display()));
        }
        (lines, breach.is_some() || status.failed)
    }

    /// Watches the deltas of the next of the clocks that programs commonly read.
    fn next_clock(&mut self) -> String {
        let opens = |entry: &&'static Entry| entry.open(Opening::Checked).is_ok();
        let all = clocks::every().filter(|entry| entry.common).filter(opens);
        let all: Vec<_> = all.collect();
        for _ in 0..all.len() {
            self.clock = self.clock.wrapping_add(1) % all.len();
            let id = all[self.clock].id;
            if self.live.set_clock(Some(id)).is_ok() {
                return format!("the next deltas are those of {id}");
            }
        }
        "no clock can be watched here".into()
    }
}

impl Source for Watched<'_> {
    fn events(&mut self) -> io::Result<Vec<Event>> {
        let mut events = self.live.drain();
        let at_ns = events.last().map_or(0, Event::until_ns);
        let breach = self.keeper.take(&events);
        let mut say = |id: &str, text: String| {
            let note = Note { id: id.into(), text, ..Note::default() };
            events.push(Event::Note(NoteAt { at_ns, note }));
        };
        if let Some(breach) = breach {
            if self.keeper.goes_on() {
                say("breach", breach.to_string());
            } else {
                self.breach.get_or_insert(breach);
            }
        }
        let ended = self.keeper.status().ended;
        if ended != self.ended {
            if let Some(why) = &ended {
                say("recording-ended", format!("the recording has ended: {why}"));
            }
            self.ended = ended;
        }
        Ok(events)
    }

    fn command(&mut self, command: Command) -> Option<String> {
        // What starts now would inherit the CPU of this thread.
        self.pinned = None;
        let mut message = None;
        match command {
            Command::Load(load) => self.live.set_load(load),
            Command::Clock => message = Some(self.next_clock()),
            Command::Pause => self.live.pause(),
            Command::Resume => self.live.resume(),
            Command::Save => {
                message = Some(match self.keeper.save() {
                    Ok(path) => format!("wrote {}", path.display()),
                    Err(error) => error.to_string(),
                });
            }
            _ => {}
        }
        self.pinned = elsewhere(&self.live);
        message
    }

    fn over(&mut self) -> bool {
        self.stop.interrupt.is_set() || self.breach.is_some()
    }
}

/// Pins this thread to the first CPU that is not that of the waits.
fn elsewhere(live: &Live) -> Option<PinGuard> {
    let of_waits = live.cpu()?;
    let other = affinity::allowed().into_iter().find(|cpu| *cpu != of_waits)?;
    affinity::pin(other).ok()
}
