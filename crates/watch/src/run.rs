//! The view on a terminal, ten times a second, until it ends; and a recording as its source, played
//! at any speed.

use crate::draw::draw;
use crate::state::{Command, State, View};
use crate::terminal::{self, Guard, Stopping};
use chronoscope_model::recording::Event;
use crossterm::event;
use std::io;
use std::time::{Duration, Instant};

/// The time between two looks at the source.
const TICK: Duration = Duration::from_millis(100);

/// A look that is this late comes after the process was stopped, or on a machine so busy that
/// drawing all of the screen changes nothing.
const GAP: Duration = Duration::from_millis(250);

/// What is shown: waits that happen now, or a recording of some.
pub trait Source {
    /// What happened since the last call.
    ///
    /// # Errors
    /// The view cannot go on.
    fn events(&mut self) -> io::Result<Vec<Event>>;

    /// Does what a key asks for, except what concerns the view alone. Returns what to say about it,
    /// in one line.
    fn command(&mut self, command: Command) -> Option<String>;

    /// What has ended the view, if anything has: it is asked after each tick.
    fn over(&mut self) -> bool;

    /// Whether all was shown that there is.
    fn ended(&self) -> bool {
        false
    }
}

/// How a view ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By the key for it, or because its source was over.
    Quit,
    /// By Ctrl-C.
    Interrupted,
    /// By the signal of this number, which would otherwise have ended the process at once.
    Signal(u8),
    /// By a panic in some thread, whose message was printed.
    Panicked,
}

/// Shows the source until a key, the source or a panic ends that. The terminal is then as it was
/// before.
///
/// # Errors
/// There is no terminal, it is gone, or the source cannot go on.
pub fn run(source: &mut dyn Source, view: View) -> io::Result<Ended> {
    let stopping = Stopping::new()?;
    let _restored = Guard;
    terminal::take()?;
    let mut shown = Shown { state: State::default(), view, changed: true, all: true };
    let ended = shown.until_end(source, &stopping);
    match ended {
        _ if terminal::panicked() => Ok(Ended::Panicked),
        ended => ended,
    }
}

struct Shown {
    state: State,
    view: View,
    /// Whether the picture may differ from what is on the screen.
    changed: bool,
    /// Whether something else may be on the screen.
    all: bool,
}

impl Shown {
    fn until_end(&mut self, source: &mut dyn Source, stopping: &Stopping) -> io::Result<Ended> {
        loop {
            self.take_in(source)?;
            if self.changed {
                // One row or column is the least that there can be.
                let (width, height) = crossterm::terminal::size()?;
                let size = [width, height].map(|cells| usize::from(cells.max(1)));
                let picture = draw(&self.state, &self.view, size[0], size[1]);
                terminal::show(picture, self.all)?;
                (self.changed, self.all) = (false, false);
            }
            if terminal::panicked() {
                return Ok(Ended::Panicked);
            }
            if source.over() {
                return Ok(Ended::Quit);
            }
            if let Some(signal) = stopping.ended() {
                return Ok(Ended::Signal(signal));
            }
            let next = Instant::now() + TICK;
            // The keys that were pressed by then, with what they change drawn at once.
            while terminal::input(next.saturating_duration_since(Instant::now()))? {
                self.changed = true;
                let key = match event::read()? {
                    event::Event::Key(key) => key,
                    event::Event::Resize(..) => {
                        self.all = true;
                        break;
                    }
                    _ => break,
                };
                match self.view.key(key, &self.state) {
                    Some(Command::Quit) => return Ok(Ended::Quit),
                    Some(Command::Interrupt) => return Ok(Ended::Interrupted),
                    Some(Command::Suspend) => self.suspend(source, stopping)?,
                    Some(command) => self.obey(command, source),
                    None => {}
                }
                if !terminal::input(Duration::ZERO)? {
                    break;
                }
            }
            if stopping.asked() {
                self.suspend(source, stopping)?;
            }
            // Whoever stopped the process may have left the terminal in another state.
            if Instant::now().saturating_duration_since(next) > GAP {
                self.again()?;
            }
        }
    }

    fn take_in(&mut self, source: &mut dyn Source) -> io::Result<()> {
        for event in source.events()? {
            self.state.apply(event);
            self.changed = true;
        }
        if self.view.ended != source.ended() {
            self.view.ended = source.ended();
            self.changed = true;
        }
        Ok(())
    }

    fn obey(&mut self, command: Command, source: &mut dyn Source) {
        match command {
            Command::Reset => {
                self.state.reset();
                self.view.marked = None;
                self.view.open = false;
                return;
            }
            Command::Pause => self.view.paused = true,
            Command::Resume => self.view.paused = false,
            Command::Speed(speed) => self.view.speed = Some(speed),
            _ => {}
        }
        self.view.message = source.command(command);
    }

    /// Gives the terminal to the shell, and takes it again when the process goes on. Nothing is
    /// measured meanwhile.
    fn suspend(&mut self, source: &mut dyn Source, stopping: &Stopping) -> io::Result<()> {
        let pauses = !self.view.paused;
        if pauses {
            source.command(Command::Pause);
        }
        terminal::restore();
        stopping.stop();
        self.again()?;
        if pauses {
            source.command(Command::Resume);
        }
        Ok(())
    }

    /// Takes the terminal after the process was stopped, and draws all of it.
    fn again(&mut self) -> io::Result<()> {
        (self.changed, self.all) = (true, true);
        terminal::enter()
    }
}

// A recording, played at any speed.

/// What a step plays, in nanoseconds.
const STEP_NS: u64 = 1_000_000_000;

/// A recording that is being played. What is shown at a time of the recording depends on nothing
/// but the recording.
pub struct Replay<E> {
    next: E,
    /// The event that comes next; none at the end.
    waiting: Option<Event>,
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
            if self.waiting.is_none() {
                self.waiting = (self.next)()?;
                self.ended = self.waiting.is_none();
            }
            match self.waiting.take_if(|next| next.until_ns() <= at_ns) {
                Some(event) => events.push(event),
                None => break,
            }
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
        let events = self.until(self.at_ns as u64);
        // Nothing happens in a pause, which may be a night.
        if let Some(Event::Pause(pause)) = &self.waiting
            && pause.at_ns as f64 <= self.at_ns
        {
            self.at_ns = pause.until_ns as f64;
        }
        events
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
