//! Carries out what a command asks for: surveys, shows and exports the result, and chooses the exit
//! code.

use crate::commands::compare::{self, baseline};
use crate::context::{Context, Stop, Usage, tell};
use crate::generate;
use crate::options::{Baselines, Export, Options, Output, Shape};
use crate::output::{self, Checkpoints, drawn, print, write_whole};
use crate::progress::{Progress, whole_time};
use crate::task::{Document, Job, Later, Screen, Several, Source, Task};
use anyhow::bail;
use chronoscope_model::{Finding, Report};
use chronoscope_report::format::Format;
use chronoscope_report::page::{self, Input};
use chronoscope_report::{csv, json, section};
use chronoscope_survey::{Progress as State, Survey, may_measure};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Carries out a task.
///
/// # Errors
/// One clear line. If an output could not be written, all others that can be written are.
pub fn run(task: Task, context: &Context) -> anyhow::Result<ExitCode> {
    match task {
        Task::Report(job) => return reported(*job, context),
        Task::Several(several) => return joined(several, context),
        Task::Later(measure) => return later(measure, context),
        #[cfg(any(feature = "serve", feature = "watch"))]
        Task::Lasting(run) => return run(context),
        Task::Document(document) => shown(document, &context.options.output)?,
        Task::Generate(files) => generate::write(files, context)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures something that is not a report, and carries out what follows from it.
fn later(measure: Box<Later>, context: &Context) -> anyhow::Result<ExitCode> {
    check(&context.options.output)?;
    let stop = Stop::on_signals()?;
    let done = measure(&stop, context).and_then(|task| run(task, context));
    let Some(code) = stop.exit_code() else {
        return done;
    };
    if let Err(error) = done {
        tell(&format!("{error:#}"));
    }
    Ok(ExitCode::from(code))
}

/// Shows and exports a document that is not a report, and then fails if the document says so.
fn shown(document: Document, output: &Output) -> anyhow::Result<()> {
    let Document { text, json, others, failed } = document;
    let mut exports = Vec::new();
    for export in &output.export {
        let id = export.shape.id();
        let bytes = match others.iter().find(|(known, _)| *known == id) {
            Some((_, write)) => write()?,
            None if id == "json" => json.clone(),
            None => {
                let known = std::iter::once("json").chain(others.iter().map(|(id, _)| *id));
                let known = known.collect::<Vec<_>>().join(", ");
                refuse!("this can be exported as {known} only, not as {id}");
            }
        };
        exports.push((export.path.as_deref(), Content::Document(bytes)));
    }
    check(output)?;
    deliver(exports, output.json.then_some(json), || text, false, |_| {})?;
    failed.map_or(Ok(()), |why| bail!("exit 1: {why}"))
}

/// Shows and exports several reports, on a page, as one table and in pictures.
fn joined(several: Several, context: &Context) -> anyhow::Result<ExitCode> {
    let (options, output) = (&context.options, &context.options.output);
    let Several { mut reports, to_stdout } = several;
    check(output)?;
    for (_, report) in &mut reports {
        report.findings.retain(|finding| !options.findings.allows(finding));
        *report = options.naming.filed(report).into_owned();
    }
    let inputs = reports.iter().map(|(name, report)| Input { name, report });
    let inputs: Vec<Input> = inputs.collect();
    let document = |format: &str| -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match format {
            "csv" => csv::write_all(inputs.iter().map(|it| (it.name, it.report)), &mut bytes)?,
            _ => page::write(&inputs, &mut bytes)?,
        }
        Ok(bytes)
    };
    let (exports, undrawn) = exported(output, &inputs, |format| document(format.id))?;
    let whole = to_stdout.map(document).transpose()?;
    deliver(exports, whole, String::new, false, |line| context.warn(line))?;
    undrawn?;
    failing(reports.iter().flat_map(|(_, report)| &report.findings), options)?;
    Ok(ExitCode::SUCCESS)
}

/// Contents, each with where it goes.
type Exports<'a> = Vec<(Option<&'a Path>, Content)>;

/// What the exports of these reports hold, of which `write` makes a document; and why there are no
/// pictures if they cannot be drawn.
fn exported<'a>(
    output: &'a Output,
    inputs: &[Input<'_>],
    write: impl Fn(&Format) -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<(Exports<'a>, anyhow::Result<()>)> {
    let (mut exports, mut undrawn) = (Vec::new(), Ok(()));
    for Export { shape, path } in &output.export {
        let content = match shape {
            Shape::Format(format) => Ok(Content::Document(write(format)?)),
            Shape::Pictures => drawn(inputs).map(Content::Pictures),
        };
        match content {
            Ok(content) => exports.push((path.as_deref(), content)),
            Err(why) => undrawn = undrawn.and(Err(why)),
        }
    }
    Ok((exports, undrawn))
}

/// Fails if there is a finding that --fail-on names.
fn failing<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    options: &Options,
) -> anyhow::Result<()> {
    let mut failed = findings.filter_map(|it| Some((it, options.findings.fails_on(it)?)));
    let Some((worst, named)) = failed.next() else {
        return Ok(());
    };
    let more = match failed.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    bail!("exit 1: {} {}{more} (--fail-on {named})", worst.level.name(), worst.id)
}

/// Makes a report, shows it and exports it.
fn reported(job: Job, context: &Context) -> anyhow::Result<ExitCode> {
    let (options, output) = (&context.options, &context.options.output);
    let Job { source, screen, text, aside, code, checkpoint, amend, outcome, .. } = job;
    if options.verbose && (text.is_some() || !screen.has_more()) {
        return Err(Usage::nothing_more().into());
    }
    let measures = matches!(source, Source::Survey(_));
    let only = output.export.iter().find(|export| export.shape.distributions_only());
    if let Some(export) = only.filter(|_| measures && !job.distributions) {
        let id = export.shape.id();
        refuse!("{id} holds distributions of waits only, and this command measures none");
    }
    check(output)?;
    let Baselines { baseline, save_baseline, force } = &options.baselines;
    let before = baseline.as_deref().map(baseline::report).transpose()?;
    if let Some(name) = save_baseline {
        baseline::check(name, *force)?;
    }
    let mut stop = Stop::default();
    if measures {
        may_measure()?;
        // Whatever does not measure has nothing to lose, and a signal ends it at once.
        stop = Stop::on_signals()?;
    }
    let unkept = Cell::new(false);
    let unseen = output.json || output.export.iter().any(|export| export.path.is_none());
    // What standard output has of the screen, whose tables are shown as they are done.
    let printed = RefCell::new(String::new());
    let as_done = screen == Screen::Ticks && !unseen && baseline.is_none();
    let done = |report: &Report, complete: bool| {
        let mut printed = printed.borrow_mut();
        let text = screen.draw(report, code, context);
        if !complete {
            if as_done && !output.quiet {
                context.warn("this is what was measured so far");
                // If standard error is closed, nobody reads it.
                let _ = io::stderr().write_all(text.as_bytes());
            }
            return;
        }
        if let Some(more) = text.strip_prefix(&*printed).filter(|_| as_done) {
            // An error is noticed at the end, when the rest is printed.
            let _ = print(more.as_bytes());
            *printed = text;
        }
    };
    let survey = |survey: Survey<'static>| {
        let survey = survey.screen(screen.name());
        let (report, failed) = measured(survey, checkpoint.as_deref(), &stop, &done, context)?;
        unkept.set(failed);
        Ok(report)
    };
    let mut report = match source {
        Source::Survey(asked) => survey(*asked)?,
        Source::Stored(report) => *report,
    };
    let outcome = outcome(&report);
    if let Some(amend) = amend {
        amend(&mut report, &survey)?;
    }
    report.findings.retain(|finding| !options.findings.allows(finding));
    let filed = options.naming.filed(&report);
    let write = |format: &Format| {
        if format.distributions_only && section::waits::waits_of(&report).next().is_none() {
            let id = format.id;
            context.warn(&format!("{id} holds distributions only, and this report has none"));
        }
        let mut bytes = Vec::new();
        (format.write)(&filed, &mut bytes)?;
        Ok(bytes)
    };
    let (exports, undrawn) = exported(output, &[Input { name: "", report: &filed }], write)?;
    let mut whole = None;
    if output.json {
        json::write(&filed, whole.insert(Vec::new()))?;
    }
    let mut saved = Ok(());
    match save_baseline {
        Some(name) if report.run.complete => {
            saved = baseline::save(name, *force, &filed).map(|path| {
                context.warn(&format!("saved as {name}: {}", path.display()));
            });
        }
        Some(name) => context.warn(&format!("not saved as {name}: the run is not complete")),
        None => {}
    }
    if unseen {
        report.notes.iter().for_each(|note| context.warn(&note.text));
    }
    // The screen of a run that was stopped says so.
    let told = !unseen && text.is_none() && io::stdout().is_terminal();
    let draw = || match baseline.clone().zip(before) {
        Some(before) => compare::screen(before, &report, context),
        None => text.unwrap_or_else(|| {
            let text = screen.draw(&report, code, context);
            text.strip_prefix(&*printed.borrow()).map(str::to_owned).unwrap_or(text)
        }),
    };
    let draw = || {
        let text = draw();
        if !aside {
            return text;
        }
        // If standard error is closed, nobody reads it.
        let _ = io::stderr().write_all(text.as_bytes());
        String::new()
    };
    deliver(exports, whole, draw, stop.hung_up(), |line| context.warn(line))?;
    saved?;
    if let Some(code) = stop.exit_code() {
        if !told {
            context.warn("interrupted: this is what was measured until then");
        }
        return Ok(ExitCode::from(code));
    }
    let code = outcome?;
    undrawn?;
    if unkept.get() {
        bail!("exit 1: the checkpoint could not be written");
    }
    failing(report.findings.iter(), options)?;
    Ok(code)
}

/// A run that takes longer than this states so before it begins, on a terminal or not.
const LONG: Duration = Duration::from_mins(1);

/// Carries out a survey, with its progress on the terminal and its state in the checkpoint. Also
/// says whether the last checkpoint could not be written.
fn measured(
    survey: Survey,
    checkpoint: Option<&Path>,
    stop: &Stop,
    done: &dyn Fn(&Report, bool),
    context: &Context,
) -> anyhow::Result<(Report, bool)> {
    let (progress, keeper) = (Progress::new(context.options.output.quiet), Checkpoints::default());
    let keep = |report: &Report| {
        let filed = context.options.naming.filed(report);
        keeper.keep(checkpoint, &filed, |what| progress.suspend(|| context.warn(what)));
        !keeper.has_failed()
    };
    let options = &context.options.measuring;
    let survey = survey.cpu(options.cpu).budget(options.budget).seed(options.seed);
    let mut survey = survey.interrupt(&stop.interrupt).progress(|state| match state {
        State::Expected(time, what) if time > LONG => {
            let time = whole_time(time.as_secs_f64());
            context.warn(&format!(
                "this will take about {time}: {what}; Ctrl-C ends it early and keeps what was \
                 measured"
            ));
        }
        State::Done(report) => progress.suspend(|| done(report, true)),
        State::SoFar(report) => progress.suspend(|| done(report, false)),
        state => progress.show(state),
    });
    if checkpoint.is_some() {
        survey = survey.checkpoint(keep);
    }
    let mut report = survey.run()?;
    report.notes.extend(keeper.notes());
    Ok((report, keeper.has_failed()))
}

/// Checks that standard output gets one document, and that all exports could be written.
///
/// # Errors
/// Two outputs contradict each other (usage), or a file could not be written.
fn check(output: &Output) -> anyhow::Result<()> {
    let to_stdout = output.export.iter().filter(|export| export.path.is_none()).count();
    if to_stdout + usize::from(output.json) > 1 {
        refuse!(
            "standard output can hold one document: use --json or one --export FORMAT=-, \
                    and write the others to files"
        );
    }
    let mut paths = BTreeSet::new();
    for Export { shape, path } in &output.export {
        let Some(path) = path else { continue };
        if !paths.insert(path) {
            refuse!("two exports to {}: use a file for each", path.display());
        }
        match shape {
            Shape::Pictures => output::check_folder(path)?,
            Shape::Format(_) => output::check(path)?,
        }
    }
    Ok(())
}

/// What an export is.
enum Content {
    Document(Vec<u8>),
    /// The name and the content of each file of a folder.
    Pictures(Vec<(String, Vec<u8>)>),
}

/// Writes the exports, and says how many pictures there are. Standard output gets the export
/// without a path, the JSON if there is some, or otherwise the screen; an error is ignored if the
/// terminal is `gone`.
fn deliver(
    exports: Vec<(Option<&Path>, Content)>,
    json: Option<Vec<u8>>,
    screen: impl FnOnce() -> String,
    gone: bool,
    say: impl Fn(&str),
) -> anyhow::Result<()> {
    // Files first, so that what was measured is safe before a closed pipe can end the program.
    let mut written = Ok(());
    let mut shown = json;
    for (path, content) in exports {
        match (path, content) {
            (Some(path), Content::Document(bytes)) => {
                written = written.and(write_whole(path, &bytes));
            }
            (None, Content::Document(bytes)) => shown = Some(bytes),
            (path, Content::Pictures(files)) => {
                let folder = path.unwrap_or(Path::new("."));
                let mut each = files.iter();
                let all = each.try_for_each(|(name, it)| write_whole(&folder.join(name), it));
                if all.is_ok() {
                    let number = files.len();
                    let pictures = if number == 1 { "picture" } else { "pictures" };
                    say(&format!("wrote {number} {pictures} to {}", folder.display()));
                }
                written = written.and(all);
            }
        }
    }
    let printed = print(&shown.unwrap_or_else(|| screen().into_bytes()));
    if gone { written } else { printed.and(written) }
}
