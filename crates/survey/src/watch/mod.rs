//! Waits that go on until they are stopped, seen as they happen: what `chronoscope watch` shows,
//! records and keeps.

use crate::Error;
use chronoscope_model::recording::Event;
use chronoscope_model::waits::Load;
use std::time::Duration;

/// What to watch.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Ids, prefixes or globs of wait methods; empty: `rust/thread-sleep` and `chronoscope/wait`.
    pub ids: Vec<String>,
    /// The period of the grid whose deadlines are waited for.
    pub period: Duration,
    /// What runs alongside at first.
    pub load: Load,
    /// The CPU of the waiting threads; by default the last one that the process may use.
    pub cpu: Option<usize>,
    /// The id of a clock whose deltas are watched.
    pub clock: Option<String>,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            period: Duration::from_millis(1),
            load: Load::None,
            cpu: None,
            clock: None,
        }
    }
}

/// Waits in progress. They end, with their load, when this is dropped.
pub struct Live {}

impl Live {
    /// Starts to wait, on threads of its own, and returns when they do, after some 0.1 s.
    ///
    /// # Errors
    /// An id does not exist, or what was asked for is impossible here.
    pub fn start(_watch: &Watch) -> Result<Self, Error> {
        Err(Error::Nothing("not available here".into()))
    }

    /// Returns what has happened since the last call, and never blocks. The first event of all is
    /// [`Event::Start`]. Call it some ten times a second: a ring holds 65,536 waits.
    pub fn drain(&mut self) -> Vec<Event> {
        Vec::new()
    }

    /// The CPU of the waiting threads. The caller belongs on another one, if there is one.
    pub fn cpu(&self) -> Option<usize> {
        None
    }

    /// Changes the load soon: [`Event::Load`] says when, or a note why not.
    pub fn set_load(&mut self, _load: Load) {}

    /// Changes the clock whose deltas are watched.
    ///
    /// # Errors
    /// There is no such clock.
    pub fn set_clock(&mut self, _clock: Option<&str>) -> Result<(), Error> {
        Ok(())
    }

    /// Ends waits and load until [`resume`](Self::resume).
    pub fn pause(&mut self) {}

    /// Goes on after a pause; [`Event::Pause`] says how long that was.
    pub fn resume(&mut self) {}

    /// Whether the waits are paused.
    pub fn is_paused(&self) -> bool {
        false
    }

    /// Ends waits and load, and returns the last events.
    pub fn stop(self) -> Vec<Event> {
        Vec::new()
    }
}
