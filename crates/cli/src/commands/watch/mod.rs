//! How late do waits end right now, and why?

mod live;
mod replay;

use crate::context::Context;
use crate::error::Usage;
use crate::options::parse_size;
use crate::stop::Stop;
use crate::task::{Examples, Run, Task};
use anyhow::Context as _;
use chronoscope_model::units::{parse_duration, parse_whole};
use chronoscope_model::waits::Load;
use chronoscope_probes::memory;
use chronoscope_report::recording::{Keep, Keeper};
use chronoscope_report::text::Style;
use chronoscope_survey::may_measure;
use chronoscope_survey::watch::{Live, Watch};
use chronoscope_watch::{Ended, SPEEDS, View};
use clap::ValueHint;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub const EXAMPLES: Examples = [
    ("chronoscope watch", "How late two kinds of waits end, second by second."),
    ("chronoscope watch linux --period 10ms --load normal", "Those of Linux, next to other work."),
    ("chronoscope watch --stop-above 1ms", "Keep the last minute, and write it when one is late."),
];

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
    #[arg(conflicts_with_all = NOT_REPLAYED)]
    replay: Option<PathBuf>,
    /// Replay this many times as fast as it happened, from 0.125 to 1024.
    #[arg(long, value_name = "N", requires = "replay", value_parser = speed)]
    speed: Option<f64>,
    /// Draw with ASCII only, for terminals that cannot show UTF-8.
    #[arg(long)]
    ascii: bool,
}

/// What a replay does not do.
const NOT_REPLAYED: [&str; 12] = [
    "ids",
    "period",
    "load",
    "clock",
    "cpu",
    "hindsight",
    "stop_above",
    "go_on",
    "record",
    "record_limit",
    "names",
    "no_names",
];

fn speed(text: &str) -> Result<f64, &'static str> {
    let speed: f64 = text.parse().map_err(|_| "write a number, such as 10")?;
    if SPEEDS.contains(&speed) { Ok(speed) } else { Err("it must be 0.125 to 1024") }
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let terminal = io::stdout().is_terminal();
        let keeps = self.record.is_some() || self.hindsight.is_some() || self.stop_above.is_some();
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
                let asked = Asked { args: self, view, terminal };
                return Ok(Task::Lasting(Box::new(|context| asked.run(context))));
            }
        };
        Err(Usage(line.into()).into())
    }
}

/// What to watch, and how.
struct Asked {
    args: Args,
    view: View,
    /// Whether there is one to draw on.
    terminal: bool,
}

impl Asked {
    /// Watches until that ends, and returns the exit code.
    ///
    /// # Errors
    /// One clear line; the type of the error decides the exit code.
    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let Self { args, view, terminal } = self;
        if let Some(path) = &args.replay {
            let stop = Stop::on_signals()?;
            let ended = replay::run(path, view, &stop)?;
            return Ok(ExitCode::from(code(ended, &stop, false)));
        }
        may_measure()?;
        let watch = Watch {
            ids: args.ids,
            period: args.period,
            load: args.load,
            cpu: args.cpu,
            clock: args.clock,
            no_names: args.no_names,
        };
        let keep = Keep {
            hindsight: args.hindsight.unwrap_or(Keep::default().hindsight),
            stop_above: args.stop_above,
            go_on: args.go_on,
            record: args.record,
            limit: args.record_limit,
            names: args.names,
        };
        memory::keep_little();
        let stop = Stop::on_signals()?;
        let live = Live::start(&watch)?;
        // A file that is made only now is not left behind if that failed.
        let keeper = Keeper::new(keep).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::AlreadyExists => {
                Usage(error.to_string()).into()
            }
            _ => anyhow::Error::from(error),
        })?;
        if !terminal {
            let code = crate::service::run(live, keeper, &stop, &mut |line| context.warn(line))?;
            return Ok(ExitCode::from(code));
        }
        let mut watched = live::Watched::new(live, keeper, &stop);
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
