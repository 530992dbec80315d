//! How exactly can I wait here?

mod args;
mod line;

use crate::context::{Context, NothingToMeasure};
use crate::finish::finish;
use crate::input;
use crate::select::Usage;
use args::{Style, asked, plan};
use chronoscope_measure::session::distrust;
use chronoscope_measure::waits::{self, Found, Hooks, Plan, Progress, checkpoint};
use chronoscope_model::waits::StoppedBy;
use chronoscope_model::{Report, Ruler, Wait};
use chronoscope_probes::waits::os;
use chronoscope_report::text;
use line::Line;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use args::Args;

/// To be called before any thread is started: each inherits what this sets, without which a stop
/// of the process (SIGSTOP) cannot be told from a wait that was very late.
pub fn before_threads() {
    os::hold_signals();
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
        input::regular(&path)?;
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
        context.warn(note);
    }
    report.ruler = Some(ruler(&found, &plan));
    report.waits = found.rows;
    if let Some(path) = &file {
        let mut whole = report.clone();
        context.close(&mut whole);
        if let Err(error) = checkpoint::write(path, &whole) {
            context.warn(&format!("cannot write {}: {error}", path.display()));
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
        id: match chronoscope::counter::name() {
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
