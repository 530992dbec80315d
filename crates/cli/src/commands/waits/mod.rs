//! How precisely can I wait here?

pub mod checkpoint;
mod line;

use super::{Examples, Run};
use crate::context::Context;
use crate::finish::{finish, with_section};
use crate::uses::{Makes, Uses};
use chronoscope_model::waits::{Load, StoppedBy};
use chronoscope_model::{Report, Wait, units};
use chronoscope_report::section;
use chronoscope_report::text;
use chronoscope_survey::{PRESETS, Preset, Progress, Slack, Survey, Waits};
use clap::builder::ArgPredicate;
use line::Line;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub const EXAMPLES: Examples = [
    ("chronoscope waits linux/nanosleep --wait 1ms --count 500", "How late 500 waits of 1 ms end."),
    (
        "chronoscope waits --load normal --slice default,100us",
        "What a short scheduler slice changes under load.",
    ),
    (
        "chronoscope waits --duration 2h --checkpoint run.json",
        "Hours of every method; --resume run.json continues.",
    ),
];

/// How precisely can I wait here?
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of wait methods. Default: a few, for an overview in 20 s; all if any
    /// option below says what to measure, or for how long.
    ids: Vec<String>,
    /// Measure every method, from 1 us to 100 ms, for a minute, and show the whole table.
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// A known set of waits (seed003), drawn as its own table. Other options change parts of it.
    #[arg(long, value_name = "NAME", value_parser = preset, conflicts_with_all = ["ids", "all"])]
    preset: Option<&'static Preset>,
    /// Durations to wait for, such as 100us,10ms.
    #[arg(long, value_name = "DURATION", value_delimiter = ',')]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    wait: Vec<Duration>,
    /// Waits of each method and duration, such as 500 or 1e6.
    #[arg(long, value_name = "N", value_parser = units::parse_count, allow_hyphen_values = true)]
    count: Option<u64>,
    /// Wait for the deadlines of a fixed grid with this period instead.
    #[arg(long, value_name = "DURATION", conflicts_with = "wait")]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    period: Option<Duration>,
    /// Time for each load, such as 10m or 2h.
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    duration: Option<Duration>,
    /// What runs alongside: none, low, low-nice, normal, high, io, memory, timers. Default: none;
    /// in an overview, none and normal.
    #[arg(long, value_name = "LOAD", value_delimiter = ',')]
    load: Vec<Load>,
    /// Processes of a load. Default: one per CPU.
    #[arg(long, value_name = "N", value_parser = units::parse_count, allow_hyphen_values = true)]
    load_processes: Option<u64>,
    /// Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value.
    #[arg(long, value_name = "PRIORITY", value_parser = units::parse_whole::<u32>)]
    #[arg(allow_hyphen_values = true)]
    load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[arg(long, value_name = "SLACK", value_delimiter = ',', default_value = "default,1ns")]
    #[arg(default_value_if("preset", ArgPredicate::IsPresent, "default"))]
    #[arg(value_parser = slack, allow_hyphen_values = true)]
    slack: Vec<Slack>,
    /// Slices that the waiting thread asks the scheduler for (Linux 6.12): 'default' or a duration
    /// from 100us to 100ms.
    #[arg(long, value_name = "SLICE", value_delimiter = ',', default_value = "default")]
    #[arg(value_parser = slice, allow_hyphen_values = true)]
    slice: Vec<Slice>,
    /// Run a waiting thread on each CPU.
    #[arg(long, conflicts_with = "cpu")]
    all_cpus: bool,
    /// Run the waiting threads with SCHED_FIFO at this priority (1 to 49).
    #[arg(long, value_name = "PRIORITY", value_parser = units::parse_whole::<u32>)]
    #[arg(allow_hyphen_values = true)]
    priority: Option<u32>,
    /// Keep the CPUs out of deep idle states (/dev/cpu_dma_latency).
    #[arg(long)]
    keep_awake: bool,
    /// Stop at the first overshoot above this, and show what is known of that moment.
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    stop_above: Option<Duration>,
    /// Split each late wake-up into its causes, and show the twenty worst.
    #[arg(long)]
    why: bool,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    /// It must not exist yet.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Resume from this checkpoint with its original options, and keep it up to date.
    #[arg(long, value_name = "FILE", conflicts_with_all = checkpoint::NOT_WITH_RESUME)]
    resume: Option<PathBuf>,
    /// How the table is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
    #[arg(default_value_if("preset", ArgPredicate::IsPresent, "ticks"))]
    style: Style,
}

/// How the table is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Style {
    /// Overshoot with its percentiles.
    #[default]
    Table,
    /// MIN, AVG, MAX and MAX OVER in ticks of the reference.
    #[value(alias = "seed")]
    Ticks,
}

/// What was asked for, or if that is nothing, the other.
fn or<T>(asked: Vec<T>, other: Vec<T>) -> Vec<T> {
    if asked.is_empty() { other } else { asked }
}

/// A number of processes. What does not fit is above every limit.
fn processes(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn preset(name: &str) -> Result<&'static Preset, String> {
    Preset::find(name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        format!("there is no such preset: use {}", names.join(", "))
    })
}

/// A slice in nanoseconds, or the default.
type Slice = Option<u64>;

fn slice(text: &str) -> Result<Slice, String> {
    Ok(match slack(text)? {
        Slack::Default => None,
        Slack::Ns(ns) => Some(ns),
    })
}

fn slack(text: &str) -> Result<Slack, String> {
    if text == "default" {
        return Ok(Slack::Default);
    }
    let slack = units::parse_duration(text).map_err(|error| format!("{error}, or 'default'"))?;
    u64::try_from(slack.as_nanos()).map(Slack::Ns).map_err(|_| "it is too long".into())
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses {
            makes: Makes::Distributions,
            verbose: self.style == Style::Table,
            ..Uses::measuring("waits")
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let style = self.style;
        let file = self.checkpoint_file(context);
        if let Some(path) = &self.checkpoint {
            checkpoint::fresh(path, "resume its run with `chronoscope waits --resume {}`")?;
        }
        let survey = match &self.resume {
            Some(path) => {
                let report = checkpoint::resumable(path)?;
                checkpoint::usable(path)?;
                context.survey(Survey::resume(report))
            }
            None => context.survey(Survey::waits(self.asked())?),
        };
        let report = measure(survey, context, file.as_deref())?;
        let limit = |wait: &Wait| wait.stopped_by == StoppedBy::Limit;
        let above = report.waits.iter().any(limit);
        let code = match style {
            Style::Table => with_section(context, report, &section::waits::SECTION),
            Style::Ticks => {
                // Its table has no room for notes.
                report.notes.iter().for_each(|note| context.note(note));
                finish(context, report, |report| {
                    text::blocks(section::waits::ticks(report), &context.style)
                })
            }
        }?;
        let stopped = above && code == ExitCode::SUCCESS;
        Ok(if stopped { ExitCode::from(1) } else { code })
    }
}

impl Args {
    fn asked(self) -> Waits {
        let preset = self.preset.map(Preset::waits).unwrap_or_default();
        let timed = self.count.is_some() || self.duration.is_some();
        Waits {
            all: self.all,
            ids: or(self.ids, preset.ids),
            durations: match self.period {
                Some(_) => Vec::new(),
                None => or(self.wait, preset.durations),
            },
            period: self.period,
            count: self.count.or(preset.count.filter(|_| !timed)),
            time: self.duration,
            loads: or(self.load, preset.loads),
            load_processes: self.load_processes.map(processes),
            load_priority: self.load_priority,
            slacks: self.slack,
            slices: self.slice,
            all_cpus: self.all_cpus,
            priority: self.priority,
            keep_awake: self.keep_awake,
            stop_above: self.stop_above,
            why: self.why,
        }
    }

    /// Where the checkpoint goes: to the file asked for, to the checkpoint that is resumed, or to
    /// the file that a long run exports its report to.
    fn checkpoint_file(&self, context: &Context) -> Option<PathBuf> {
        let export = || {
            let mut exports = context.global.export.iter();
            exports.find(|e| e.format.id == "json")?.path.clone()
        };
        let asked = self.checkpoint.clone().or_else(|| self.resume.clone());
        asked.or_else(|| self.duration.and_then(|_| export()))
    }
}

fn measure(survey: Survey, context: &Context, file: Option<&Path>) -> anyhow::Result<Report> {
    let line = Line::new(context);
    let keeper = checkpoint::Keeper::default();
    let keep = |report: &Report| keeper.keep(file, report, |what| line.say(what));
    let survey = survey.interrupt(&context.stop.interrupt).checkpoint(keep);
    let survey = survey.progress(|state| {
        if let Progress::Waits(progress) = state {
            line.show(progress);
        }
    });
    Ok(survey.run()?)
}
