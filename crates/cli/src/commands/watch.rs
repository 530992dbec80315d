//! How late do waits end right now, and why? In a terminal, in a recording, or as a service that
//! waits until a wait ends too late, the recording is full, or a signal arrives.

use crate::context::{Context, Stop, Usage};
use crate::options::parse_size;
use crate::output::check_links;
use crate::task::{Run, Task};
use anyhow::{Context as _, ensure};
use chronoscope_model::Note;
use chronoscope_model::recording::{Event, NoteAt};
use chronoscope_model::units::{count, parse_duration, parse_whole};
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks::{self, Entry, Opening};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_probes::memory;
use chronoscope_report::recording::{Keep, Keeper, Reader, Status, Writer};
use chronoscope_report::text::Style;
use chronoscope_survey::may_measure;
use chronoscope_survey::watch::{Live, Watch};
use chronoscope_watch::{Command, Ended, Replay, SPEEDS, Source, View};
use clap::ValueHint;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Watch how late waits end, and why: a live view in the terminal.
///
/// Keys: ? shows all. Without a terminal, --record or --hindsight keeps what happened, as in a
/// service.
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of wait methods. Default: rust/thread-sleep and chronoscope/wait.
    ids: Vec<String>,
    /// The period of the deadlines that are waited for.
    #[arg(long, value_name = "DURATION", default_value = "1ms")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    period: Duration,
    /// What runs alongside at first: none, low, low-nice, normal, high, io, memory, timers, print.
    #[arg(long, value_name = "LOAD", default_value = "none")]
    load: Load,
    /// Also show how far apart successive reads of this clock are.
    #[arg(long, value_name = "ID")]
    clock: Option<String>,
    /// Wait on this CPU instead of the last one.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, allow_hyphen_values = true)]
    cpu: Option<usize>,
    /// Keep this much of the past in memory, for --stop-above and the key s. Default: 60s.
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    hindsight: Option<Duration>,
    /// Stop at the first overshoot above this, and write the past to a file, in the current folder
    /// unless --record names another or the file.
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    stop_above: Option<Duration>,
    /// Go on after that, and write a file at each further one.
    #[arg(long, requires = "stop_above")]
    go_on: bool,
    /// Record everything to this new file, which report, compare and --replay read.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    record: Option<PathBuf>,
    /// Go on with this recording after a gap, with its waits, period, CPU, clock and latest load.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = NOT_RESUMED)]
    resume: Option<PathBuf>,
    /// The largest size of a recording, such as 100MB or 1GiB.
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    record_limit: u64,
    /// Also record the names of processes of other users that made waits late.
    #[arg(long)]
    names: bool,
    /// Neither show nor record names of processes.
    #[arg(long, conflicts_with = "names")]
    no_names: bool,
    /// Show a recording instead.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = NOT_RESUMED)]
    #[arg(conflicts_with_all = ["hindsight", "resume", "record_limit", "names", "no_names"])]
    replay: Option<PathBuf>,
    /// Replay this many times as fast as it happened, from 0.125 to 1024.
    #[arg(long, value_name = "N", requires = "replay", value_parser = speed)]
    speed: Option<f64>,
    /// Draw with ASCII only, for terminals that cannot show UTF-8.
    #[arg(long)]
    ascii: bool,
}

/// What a recording has, or is not for, whether it goes on or is replayed.
const NOT_RESUMED: [&str; 8] =
    ["ids", "period", "load", "clock", "cpu", "stop_above", "go_on", "record"];

fn speed(text: &str) -> Result<f64, &'static str> {
    let speed: f64 = text.parse().map_err(|_| "write a number, such as 10")?;
    if SPEEDS.contains(&speed) { Ok(speed) } else { Err("it must be 0.125 to 1024") }
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let terminal = io::stdout().is_terminal();
        let records = self.record.is_some() || self.resume.is_some();
        let keeps = records || self.hindsight.is_some() || self.stop_above.is_some();
        let line = match (&self.replay, terminal) {
            (Some(_), false) => {
                "--replay needs a terminal: `chronoscope report FILE` shows a recording elsewhere"
            }
            (None, false) if !keeps => {
                "watch needs a terminal: elsewhere use `chronoscope waits --duration 60s`, or keep \
                 what happens with --record FILE or --hindsight 60s"
            }
            _ => {
                let unicode = context.style.unicode && !self.ascii;
                let style = Style { unicode, ..context.style };
                let speed = self.replay.as_ref().map(|_| self.speed.unwrap_or(1.0));
                let view = View { style, speed, ..View::default() };
                let run = move |context: &Context| self.run(view, terminal, context);
                return Ok(Task::Lasting(Box::new(run)));
            }
        };
        Err(Usage(line.into()).into())
    }
}

impl Args {
    /// Watches until that ends, on a terminal if there is one, and returns the exit code.
    ///
    /// # Errors
    /// One clear line; the type of the error decides the exit code.
    fn run(self, view: View, terminal: bool, context: &Context) -> anyhow::Result<ExitCode> {
        if let Some(path) = &self.replay {
            let stop = Stop::on_signals()?;
            let ended = replay(path, view, &stop)?;
            return Ok(ExitCode::from(code(ended, &stop, false)));
        }
        may_measure()?;
        self.record.iter().chain(&self.resume).try_for_each(|path| check_links(path))?;
        let resume = |path| Writer::resume(path, self.record_limit);
        let resumed = self.resume.as_deref().map(resume).transpose();
        let resumed = resumed.map_err(|error| Usage(error.to_string()))?;
        let watch = match &resumed {
            Some((_, start, load)) => {
                Watch { no_names: self.no_names, ..Watch::again(start, *load)? }
            }
            None => Watch {
                ids: self.ids,
                period: self.period,
                load: self.load,
                cpu: self.cpu,
                clock: self.clock,
                no_names: self.no_names,
            },
        };
        let keep = Keep {
            hindsight: self.hindsight.unwrap_or(Keep::default().hindsight),
            stop_above: self.stop_above,
            go_on: self.go_on,
            record: self.record,
            limit: self.record_limit,
            names: self.names,
        };
        memory::keep_little();
        let stop = Stop::on_signals()?;
        let live = Live::start(&watch)?;
        // A file that is made only now is not left behind if that failed.
        let keeper = match resumed {
            Some((recording, ..)) => Ok(Keeper::resume(keep, recording)),
            None => Keeper::new(keep),
        };
        let keeper = keeper.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::AlreadyExists => {
                Usage(error.to_string()).into()
            }
            _ => anyhow::Error::from(error),
        })?;
        if !terminal {
            let code = keep_watch(live, keeper, &stop, &mut |line| context.warn(line))?;
            return Ok(ExitCode::from(code));
        }
        let mut watched = Watched::new(live, keeper, &stop);
        let ended = chronoscope_watch::run(&mut watched, view);
        let (lines, failed) = watched.finish();
        // Whoever writes to a terminal that takes nothing waits for it, and this must end.
        if !(chronoscope_watch::is_stuck() && io::stderr().is_terminal()) {
            lines.iter().for_each(|line| context.warn(line));
        }
        // A terminal that is gone cannot be drawn on, and its signal says so better.
        let ended = match ended {
            Err(_) if stop.exit_code().is_some() => Ended::Quit,
            ended => ended.context("cannot draw on the terminal")?,
        };
        Ok(ExitCode::from(code(ended, &stop, failed)))
    }
}

/// 128 and the number of a signal; 1 if the run failed.
fn code(ended: Ended, stop: &Stop, failed: bool) -> u8 {
    /// That of a program of Rust that panics.
    const PANIC: u8 = 101;
    match (ended, stop.exit_code()) {
        (Ended::Panicked, _) => PANIC,
        (_, Some(code)) => code,
        (Ended::Interrupted, None) => 130,
        (Ended::Signal(number), None) => 128 + number,
        (Ended::Quit, None) => u8::from(failed),
    }
}

/// Waits that happen now.
struct Watched<'a> {
    live: Live,
    keeper: Keeper,
    stop: &'a Stop,
    /// Keeps the thread that draws on another CPU than the waits, if there is one.
    pinned: Option<PinGuard>,
    /// What there is to say of the wait above the limit that ended the waits.
    breach: Option<String>,
    /// Why the recording has ended, once that was shown.
    ended: Option<String>,
    /// The clock whose deltas are watched, by its place among those that `c` goes through.
    clock: usize,
}

impl<'a> Watched<'a> {
    fn new(live: Live, keeper: Keeper, stop: &'a Stop) -> Self {
        let pinned = pin_elsewhere(&live);
        let (breach, ended) = (None, None);
        Self { live, keeper, stop, pinned, breach, ended, clock: usize::MAX }
    }

    /// Ends the waits, and returns what there is to say, and whether that is a failure: a breach
    /// that ended the view, or a recording that could not be written.
    fn finish(mut self) -> (Vec<String>, bool) {
        let last = self.live.stop();
        let breach = self.keeper.take(&last);
        let breach = self.breach.take().or(breach.filter(|_| !self.keeper.goes_on()));
        let (is_breached, mut lines) = (breach.is_some(), Vec::from_iter(breach));
        let status = self.keeper.status();
        lines.extend(status.map(|status| recorded(status, &count(status.bytes))));
        (lines, is_breached || status.is_some_and(|status| status.failed))
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
                say("breach", breach);
            } else {
                self.breach.get_or_insert(breach);
            }
        }
        let ended = self.keeper.status().and_then(|status| status.ended.clone());
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
        self.pinned = pin_elsewhere(&self.live);
        message
    }

    fn over(&mut self) -> bool {
        self.stop.interrupt.is_set() || self.breach.is_some()
    }
}

/// Pins this thread to the first CPU that is not that of the waits.
fn pin_elsewhere(live: &Live) -> Option<PinGuard> {
    let of_waits = live.cpu()?;
    let other = affinity::allowed().into_iter().find(|cpu| *cpu != of_waits)?;
    affinity::pin(other).ok()
}

/// Plays a recording until it is left.
///
/// # Errors
/// It is none, it cannot be read, or there is no terminal.
fn replay(path: &Path, view: View, stop: &Stop) -> anyhow::Result<Ended> {
    let cannot = |error| Usage(format!("cannot replay {}: {error}", path.display()));
    let file = File::open(path).map_err(cannot)?;
    let mut reader = Reader::new(BufReader::new(file)).map_err(cannot)?;
    let mut first = Some(Event::Start(Box::new(reader.start.clone())));
    let next = || match first.take() {
        Some(start) => Ok(Some(start)),
        None => reader.next(),
    };
    let interrupt = stop.interrupt.clone();
    let speed = view.speed.unwrap_or(1.0);
    let mut replay = Replay::new(next, speed, move || interrupt.is_set());
    chronoscope_watch::run(&mut replay, view).map_err(|error| cannot(error).into())
}

/// What was recorded where, and why it ended if so.
fn recorded(status: &Status, bytes: &str) -> String {
    let ended = status.ended.as_ref().map_or(String::new(), |why| format!(": {why}"));
    format!("recorded {bytes} bytes to {}{ended}", status.path.display())
}

/// How often what happened is taken.
const TICK: Duration = Duration::from_millis(100);

/// Watches without a terminal, as a service, until something ends it, and returns the exit code: 1
/// after a breach that ended it, 128 and the number of the signal, or 0 if the recording is full.
/// `say` gets one line for each breach, and one for the recording.
///
/// # Errors
/// The recording cannot be written any more.
fn keep_watch(
    live: Live,
    mut keeper: Keeper,
    stop: &Stop,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<u8> {
    // What is done here does not disturb the waits, if there is another CPU.
    let _pin = pin_elsewhere(&live);
    let (mut live, mut is_breached) = (Some(live), false);
    while let Some(mut now) = live.take() {
        let full = keeper.status().is_some_and(|status| status.ended.is_some());
        let events = if stop.interrupt.is_set() || is_breached || full {
            now.stop()
        } else {
            chronoscope_probes::time::sleep(TICK);
            let events = now.drain();
            live = Some(now);
            events
        };
        if let Some(breach) = keeper.take(&events) {
            say(&breach);
            is_breached |= !keeper.goes_on();
        }
    }
    if let Some(status) = keeper.status() {
        ensure!(!status.failed, "{}", status.ended.as_deref().unwrap_or_default());
        say(&recorded(status, &status.bytes.to_string()));
    }
    Ok(stop.exit_code().unwrap_or(u8::from(is_breached)))
}
