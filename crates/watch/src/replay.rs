//! A recording, played at any speed.

use crate::run::Source;
use crate::view::Command;
use chronoscope_model::recording::Event;
use std::io;
use std::time::Instant;

/// What a step plays, in nanoseconds.
const STEP_NS: u64 = 1_000_000_000;

/// A recording that is being played. What is shown at a time of the recording depends on nothing
/// but the recording.
pub struct Replay<E> {
    next: E,
    /// The event that comes next, with its time; none at the end.
    waiting: Option<(u64, Event)>,
    /// The time of the recording until which it was played, in nanoseconds.
    at_ns: f64,
    speed: f64,
    paused: bool,
    last: Instant,
    over: Box<dyn FnMut() -> bool>,
    ended: bool,
}

impl<E: FnMut() -> io::Result<Option<Event>>> Replay<E> {
    /// Plays the events that `next` returns, this many times as fast as they happened, until
    /// `over`.
    pub fn new(next: E, speed: f64, over: impl FnMut() -> bool + 'static) -> Self {
        Self {
            next,
            waiting: None,
            at_ns: 0.0,
            speed,
            paused: false,
            last: Instant::now(),
            over: Box::new(over),
            ended: false,
        }
    }

    /// The events until a time of the recording, in nanoseconds.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn until(&mut self, at_ns: u64) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        while !self.ended {
            let next = match self.waiting.take() {
                Some(next) => next,
                None => match (self.next)()? {
                    Some(event) => (event.until_ns(), event),
                    None => {
                        self.ended = true;
                        break;
                    }
                },
            };
            if next.0 > at_ns {
                self.waiting = Some(next);
                break;
            }
            events.push(next.1);
        }
        Ok(events)
    }
}

impl<E: FnMut() -> io::Result<Option<Event>>> Source for Replay<E> {
    fn events(&mut self) -> io::Result<Vec<Event>> {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        if !self.paused {
            self.at_ns += passed.as_nanos() as f64 * self.speed;
        }
        self.until(self.at_ns as u64)
    }

    fn command(&mut self, command: Command) -> Option<String> {
        match command {
            Command::Pause => self.paused = true,
            Command::Resume => {
                self.paused = false;
                // A process that was stopped did not play meanwhile.
                self.last = Instant::now();
            }
            Command::Step => self.at_ns += STEP_NS as f64,
            Command::Speed(speed) => self.speed = speed,
            _ => {}
        }
        None
    }

    fn over(&mut self) -> bool {
        (self.over)()
    }

    fn ended(&self) -> bool {
        self.ended
    }
}
