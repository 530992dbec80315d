//! How exactly can I wait here?

use crate::args::Cli;
use crate::context::{Context, NothingToMeasure};
use crate::finish::finish;
use crate::select::{self, Usage};
use chronoscope_measure::session::distrust;
use chronoscope_measure::waits::{self, Found, Hooks, Plan, Progress, Slack, checkpoint};
use chronoscope_model::waits::{Load, StoppedBy};
use chronoscope_model::{Report, Ruler, Wait, units};
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::{ALL, os};
use chronoscope_report::text;
use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope waits`
#[derive(clap::Args)]
pub struct Args {
    /// Ids of wait methods, whole, by prefix or by glob; all if absent.
    ids: Vec<String>,
    /// Durations to wait for, such as 100us,10ms.
    #[arg(long, value_name = "DURATION", value_delimiter = ',', value_parser = units::parse_duration)]
    wait: Vec<Duration>,
    /// Waits of each method and duration.
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    count: Option<u64>,
    /// Wait for the deadlines of a fixed grid of this period instead.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration, conflicts_with = "wait")]
    period: Option<Duration>,
    /// Time for each load, such as 10m or 2h.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration)]
    duration: Option<Duration>,
    /// What runs beside: none, low, normal, high, io, memory, timers.
    #[arg(
        long,
        value_name = "LOAD",
        value_delimiter = ',',
        default_value = "none"
    )]
    load: Vec<Load>,
    /// Processes of a load; one for each CPU if absent.
    #[arg(long, value_name = "N")]
    load_processes: Option<usize>,
    /// Let the high load run by SCHED_FIFO at this priority (1 to 49), and not by its nice value.
    #[arg(long, value_name = "PRIORITY")]
    load_priority: Option<u32>,
    /// Timer slacks of the waiting thread (Linux): 'default' or a duration.
    #[arg(long, value_name = "SLACK", value_delimiter = ',', default_value = "default,1ns", value_parser = slack)]
    slack: Vec<Slack>,
    /// One waiting thread on each CPU.
    #[arg(long, conflicts_with = "cpu")]
    all_cpus: bool,
    /// Let the waiting threads run by SCHED_FIFO at this priority (1 to 49).
    #[arg(long, value_name = "PRIORITY")]
    priority: Option<u32>,
    /// Keep the CPUs from deep idle states by /dev/cpu_dma_latency.
    #[arg(long)]
    keep_awake: bool,
    /// End at the first overshoot above this, and tell what is known of that moment.
    #[arg(long, value_name = "DURATION", value_parser = units::parse_duration)]
    stop_above: Option<Duration>,
    /// Write the report into this file once a second, so that it outlives whatever ends the run.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on with the run whose checkpoint this is, as it was asked for then.
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
    Seed,
}

/// The durations that are waited for where none are given.
const DURATIONS: [Duration; 6] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
];
/// Waits of each where durations are given and no count.
const COUNT: u64 = 50;
/// Time for a load where nothing is given.
const BUDGET: Duration = Duration::from_secs(60);

fn slack(text: &str) -> Result<Slack, String> {
    if text == "default" {
        return Ok(Slack::Default);
    }
    let slack = units::parse_duration(text).map_err(|error| format!("{error}, or 'default'"))?;
    u64::try_from(slack.as_nanos())
        .map(Slack::Ns)
        .map_err(|_| "it is too long".into())
}

/// To be called before any thread is started: each inherits what this sets, without which a stop
/// of the process (SIGSTOP) cannot be told from a wait that was very late.
pub fn before_threads() {
    os::hold_continue();
}

/// Measures waits.
///
/// # Errors
/// A plan that cannot be carried out (usage); no method that can be used here.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let mut report = context.report();
    let mut args = args;
    let mut earlier = Vec::new();
    let mut cpu = context.global.cpu;
    let mut budget = context.global.budget;
    if let Some(path) = args.resume.take() {
        let before = checkpoint::read(&path).map_err(Usage)?;
        let (then, global) = asked(&before).map_err(Usage)?;
        args = then;
        args.checkpoint = Some(path);
        (cpu, budget) = (global.cpu, global.budget);
        report.run.argv = before.run.argv;
        report.run.order_seed = before.run.order_seed;
        earlier = before.waits;
    }
    let mut plan = plan(&args, cpu, budget)?;
    plan.seed = report.run.order_seed;
    plan.earlier = earlier;
    plan.check().map_err(|error| Usage(error.0))?;

    let why = distrust(&report.environment);
    let file = checkpoint_file(&args, context);
    let found = measure(&plan, why, context, &report, file.as_deref())?;
    if found.rows.iter().all(|row| row.samples == 0) && !context.interrupted() {
        return Err(nothing(&found).into());
    }
    for note in &found.notes {
        warn(context, note);
    }
    report.ruler = Some(ruler(&found, &plan));
    report.waits = found.rows;
    if let Some(path) = &file {
        let mut whole = report.clone();
        context.close(&mut whole);
        if let Err(error) = checkpoint::write(path, &whole) {
            warn(
                context,
                &format!("cannot write {}: {error}", path.display()),
            );
        }
    }
    finish(
        context,
        report,
        match args.style {
            Style::Table => text::waits::render,
            Style::Seed => text::waits_seed::render,
        },
    )
}

/// What the run of a report was asked for.
fn asked(report: &Report) -> Result<(Args, crate::args::Global), String> {
    let cli = Cli::try_parse_from(&report.run.argv).map_err(|error| {
        let text = error.to_string();
        format!(
            "its command line cannot be read: {}",
            text.lines().next().unwrap_or_default()
        )
    })?;
    match cli.command {
        Some(super::Command::Waits(args)) if args.resume.is_none() => Ok((*args, cli.global)),
        _ => Err("it is not the checkpoint of a run of waits".into()),
    }
}

fn plan(args: &Args, cpu: Option<usize>, budget: Option<Duration>) -> anyhow::Result<Plan> {
    let methods = select::select("wait", ALL, |entry| entry.id, &args.ids)?;
    let allowed = affinity::allowed();
    let cpus = if args.all_cpus {
        let mut cpus = allowed.clone();
        if args.priority.is_some() && cpus.len() > 1 {
            // Real-time threads leave one processor to everybody else.
            cpus.pop();
        }
        cpus
    } else {
        // The last one allowed: the first takes most interrupts on most machines.
        cpu.or(allowed.last().copied()).into_iter().collect()
    };
    let mut durations = args.wait.clone();
    durations.sort_unstable();
    durations.dedup();
    let given = !durations.is_empty() || args.period.is_some();
    if durations.is_empty() {
        durations = DURATIONS.to_vec();
    }
    let time = args.duration.or(budget);
    let count = args.count.or((given && time.is_none()).then_some(COUNT));
    let time = time.or(count.is_none().then_some(BUDGET));
    let mut loads = args.load.clone();
    loads.dedup();
    let mut slacks = args.slack.clone();
    slacks.dedup();
    Ok(Plan {
        methods,
        slacks,
        durations,
        period: args.period,
        count,
        time,
        loads,
        load_processes: args.load_processes,
        load_fifo: args.load_priority,
        cpus,
        fifo: args.priority,
        keep_awake: args.keep_awake,
        stop_above: args.stop_above,
        ..Plan::default()
    })
}

/// Where the checkpoint goes: where it was asked for, or where the report of a long run will go.
fn checkpoint_file(args: &Args, context: &Context) -> Option<PathBuf> {
    let export = || {
        let mut exports = context.global.export.iter();
        exports.find(|e| e.format.id == "json")?.path.clone()
    };
    args.checkpoint
        .clone()
        .or_else(|| args.duration.and_then(|_| export()))
}

fn measure(
    plan: &Plan,
    distrust: Option<String>,
    context: &Context,
    report: &Report,
    file: Option<&Path>,
) -> anyhow::Result<Found> {
    let line = Line::new(context);
    let mut progress = |progress: &Progress| line.show(progress);
    let mut failing = false;
    let mut unfinished = report.clone();
    let mut keep = |rows: &[Wait]| {
        let Some(path) = file else { return };
        unfinished.waits = rows.to_vec();
        context.close(&mut unfinished);
        unfinished.run.complete = false;
        match checkpoint::write(path, &unfinished) {
            Ok(()) => failing = false,
            // Said once, and tried again each second: a disk may find room.
            Err(error) if !failing => {
                failing = true;
                line.say(&format!(
                    "cannot write {}: {error}; the run goes on",
                    path.display()
                ));
            }
            Err(_) => {}
        }
    };
    let mut hooks = Hooks {
        interrupt: context.interrupt(),
        progress: &mut progress,
        checkpoint: file.is_some().then_some(&mut keep),
    };
    Ok(waits::run(plan, distrust, &mut hooks).map_err(|error| Usage(error.0))?)
}

fn nothing(found: &Found) -> NothingToMeasure {
    let mut reasons: Vec<String> = Vec::new();
    for row in &found.rows {
        let reason = row
            .unavailable_reason
            .as_deref()
            .unwrap_or("no time for a single wait");
        let reason = format!("{} ({reason})", row.id);
        if !reasons.contains(&reason) && reasons.len() < 3 {
            reasons.push(reason);
        }
    }
    NothingToMeasure(format!("no wait could be measured: {}", reasons.join(", ")))
}

fn ruler(found: &Found, plan: &Plan) -> Ruler {
    let ruler = &found.ruler;
    let mut notes = ruler.notes.clone();
    if found
        .rows
        .iter()
        .any(|row| row.stopped_by == StoppedBy::Time)
    {
        notes.push("the time was over before the count; rows have as many waits as fitted".into());
    }
    Ruler {
        // The ends of a wait are read with fewer fences than those of a batch of reads.
        id: match chronoscope::counter::NAME {
            "rdtsc" if ruler.id() != "rust/instant" => "rdtsc/lfence-rdtsc".into(),
            _ => ruler.id(),
        },
        hz: ruler.hz(),
        hz_error_ppm: ruler.error_ppm(),
        reference: ruler.reference().into(),
        tick_ns: ruler.tick() * 1e9 / ruler.hz(),
        cpu: match plan.cpus.as_slice() {
            [only] => Some(*only),
            _ => None,
        },
        notes,
        ..Ruler::default()
    }
}

/// One line on standard error, unless the user wants quiet.
fn warn(context: &Context, what: &str) {
    if !context.global.quiet {
        // Standard error may be closed; there is nobody left to tell then.
        let _ = writeln!(std::io::stderr(), "chronoscope: {what}");
    }
}

/// The live line: where the run stands, drawn by the thread that watches and not by one that waits.
struct Line {
    bar: ProgressBar,
    quiet: bool,
}

impl Line {
    fn new(context: &Context) -> Self {
        let quiet = context.global.quiet;
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(2)
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, quiet }
    }

    fn show(&self, progress: &Progress) {
        let time = |ns: u64| units::human_ns(ns as f64);
        let mut text = format!("load {}: {} waits", progress.load.name(), progress.samples);
        if let Some(wanted) = progress.wanted {
            text += &format!(" of {wanted}");
        }
        if let Some(now) = progress.now_ns {
            text += &format!(", now {}", units::human_ns(now as f64));
        }
        if let (Some(p50), Some(p99)) = (progress.p50_ns, progress.p99_ns) {
            text += &format!(", p50 {}, p99 {}", time(p50), time(p99));
        }
        text += &format!(", max {}", units::human_ns(progress.max_ns as f64));
        if progress.missed > 0 {
            text += &format!(", missed {}", progress.missed);
        }
        self.bar.set_message(text);
    }

    fn say(&self, what: &str) {
        if !self.quiet {
            self.bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "chronoscope: {what}");
            });
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
