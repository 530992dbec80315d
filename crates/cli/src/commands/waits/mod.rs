//! How precisely can I wait here?

mod line;

use super::Run;
use crate::context::Context;
use crate::error::Usage;
use crate::finish::{finish, with_section};
use crate::options::whole;
use crate::uses::{Makes, Uses};
use crate::{input, output};
use chronoscope_model::waits::Load;
use chronoscope_model::{Report, units};
use chronoscope_report::section;
use chronoscope_report::text;
use chronoscope_survey::{Progress, Slack, Survey, Waits};
use line::Line;
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How precisely can I wait here?
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of wait methods. Default: all.
    ids: Vec<String>,
    /// Durations to wait for, such as 100us,10ms.
    #[arg(long, value_name = "DURATION", value_delimiter = ',')]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    wait: Vec<Duration>,
    /// Waits of each method and duration.
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
    /// What runs alongside: none, low, normal, high, io, memory, timers.
    #[arg(long, value_name = "LOAD", value_delimiter = ',', default_value = "none")]
    load: Vec<Load>,
    /// Processes of a load. Default: one per CPU.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_hyphen_values = true)]
    load_processes: Option<usize>,
    /// Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value.
    #[arg(long, value_name = "PRIORITY", value_parser = whole::<u32>)]
    #[arg(allow_hyphen_values = true)]
    load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[arg(long, value_name = "SLACK", value_delimiter = ',', default_value = "default,1ns")]
    #[arg(value_parser = slack, allow_hyphen_values = true)]
    slack: Vec<Slack>,
    /// Run a waiting thread on each CPU.
    #[arg(long, conflicts_with = "cpu")]
    all_cpus: bool,
    /// Run the waiting threads with SCHED_FIFO at this priority (1 to 49).
    #[arg(long, value_name = "PRIORITY", value_parser = whole::<u32>)]
    #[arg(allow_hyphen_values = true)]
    priority: Option<u32>,
    /// Keep the CPUs out of deep idle states (/dev/cpu_dma_latency).
    #[arg(long)]
    keep_awake: bool,
    /// Stop at the first overshoot above this, and show what is known of that moment.
    #[arg(long, value_name = "DURATION")]
    #[arg(value_parser = units::parse_duration, allow_hyphen_values = true)]
    stop_above: Option<Duration>,
    /// Write the report to this file once per second, so that it survives whatever ends the run.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Resume from this checkpoint with its original options.
    #[arg(long, value_name = "FILE", exclusive = true)]
    resume: Option<PathBuf>,
    /// How the table is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
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

fn slack(text: &str) -> Result<Slack, String> {
    if text == "default" {
        return Ok(Slack::Default);
    }
    let slack = units::parse_duration(text).map_err(|error| format!("{error}, or 'default'"))?;
    u64::try_from(slack.as_nanos())
        .map(Slack::Ns)
        .map_err(|_| "it is too long".into())
}

impl Run for Args {
    fn uses(&self) -> Uses {
        Uses {
            makes: Makes::Distributions,
            ..Uses::measuring("waits")
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let style = self.style;
        let file = self.checkpoint_file(context);
        let survey = match &self.resume {
            Some(path) => Survey::resume(resumable(path)?),
            None => context.survey(Survey::waits(self.asked())?),
        };
        let report = measure(survey, context, file.as_deref())?;
        match style {
            Style::Table => with_section(context, report, &section::waits::SECTION),
            Style::Ticks => {
                // Its table has no room for notes.
                report.notes.iter().for_each(|note| context.note(note));
                finish(context, report, |report| {
                    text::blocks(section::waits::ticks(report), &context.style)
                })
            }
        }
    }
}

impl Args {
    fn asked(self) -> Waits {
        Waits {
            ids: self.ids,
            durations: self.wait,
            period: self.period,
            count: self.count,
            time: self.duration,
            loads: self.load,
            load_processes: self.load_processes,
            load_priority: self.load_priority,
            slacks: self.slack,
            all_cpus: self.all_cpus,
            priority: self.priority,
            keep_awake: self.keep_awake,
            stop_above: self.stop_above,
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

/// The report of a checkpoint.
fn resumable(path: &Path) -> Result<Report, Usage> {
    let report = input::report(path)?;
    match report.waits_plan {
        Some(_) => Ok(report),
        None => Err(Usage(format!(
            "{}: it contains no plan of waits, so it cannot be resumed: it was written by an older \
             version, or is not the checkpoint of a run of waits",
            path.display()
        ))),
    }
}

fn measure(survey: Survey, context: &Context, file: Option<&Path>) -> anyhow::Result<Report> {
    let line = Line::new(context);
    let failing = Cell::new(false);
    let keep = |report: &Report| {
        let Some(path) = file else { return };
        match write(path, report) {
            Ok(()) => failing.set(false),
            // Reported once and tried again every second, because the disk may have room again.
            Err(error) if !failing.replace(true) => {
                line.say(&format!("{error:#}; the run continues"));
            }
            Err(_) => {}
        }
    };
    let survey = survey.interrupt(&context.interrupt).checkpoint(keep);
    let survey = survey.progress(|state| {
        if let Progress::Waits(progress) = state {
            line.show(progress);
        }
    });
    Ok(survey.run()?)
}

/// Writes a checkpoint, in compact form because it must be quick while waits are measured.
fn write(path: &Path, report: &Report) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        anyhow::bail!("cannot write {}: it is not a regular file", path.display());
    }
    output::write_whole(path, &serde_json::to_vec(report)?)
}
