//! Did it change, by how much, and what do the changes share? And which clocks work on every one of
//! several machines?

pub mod baseline;
mod metric;
mod run;

use crate::context::{Context, Usage};
use crate::input::{self, each_report, holds_several};
use crate::options::Baselines;
use crate::task::{Document, Other, Run, Task};
use chronoscope_diagnose::compare::history::Past;
use chronoscope_diagnose::compare::runs::{Runs, sets};
use chronoscope_diagnose::compare::{COLUMNS, brief, many, one_machine};
use chronoscope_model::Report;
use chronoscope_model::compare::{Compared, Row, Unread, Verdict};
use chronoscope_model::units::{parse_duration, parse_whole, percent};
use chronoscope_report::page::{self, Input};
use chronoscope_report::{compare, json, section, text};
use metric::Metric;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// The most files that are named if they cannot be read.
const NAMED: usize = 3;

/// Show what changed between reports, and by how much.
///
/// The first report is what the others are compared with. Reports of different machines also show
/// which clocks work on all of them.
#[derive(clap::Args)]
pub struct Args {
    /// At least two reports, or pages that hold reports; a report and a folder of reports; or two
    /// to four sets of runs, each a folder, a file of lines or a pattern such as 'before/*.json'.
    /// '-' is standard input.
    #[arg(value_name = "REPORT.json")]
    files: Vec<PathBuf>,
    /// A command: this tool's such as 'waits rust', settings of it such as '--slack 1ns', or any
    /// other. Give two: they take turns, and their reports are compared, or else the time that they
    /// take. Words before the command may set variables: 'LD_PRELOAD=./x.so chronoscope'. There is
    /// no shell.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["files", "baseline", "save_baseline"])]
    run: Vec<String>,
    /// How many pairs of runs are made, 6 to 100. Default: 8; for commands that print no report, as
    /// many as take 10 s, at least 8.
    #[arg(long, value_name = "N", requires = "run")]
    #[arg(value_parser = parse_whole::<u32>, allow_hyphen_values = true)]
    pairs: Option<u32>,
    /// Compare figures that the commands print: those of criterion, go, google-benchmark,
    /// hyperfine, jmh or pytest-benchmark; a path of JSON such as '$.results[0].median'; or what
    /// the first group of a regular expression matches, such as 'took (.*)'. A group 'name' names
    /// the figure.
    #[arg(long, value_name = "HARNESS|PATH|REGEX", requires = "run", value_parser = Metric::parse)]
    metric: Option<Metric>,
    /// Read the figures of --metric from this file, which both commands write.
    #[arg(long, value_name = "FILE", requires = "metric")]
    metric_file: Option<PathBuf>,
    /// End a run that takes longer than this.
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "run")]
    #[arg(value_parser = parse_duration, allow_hyphen_values = true)]
    timeout: Duration,
    /// Seed for the random order of the runs, or for the test of sets. Default: a random one.
    #[arg(long, value_name = "N", conflicts_with_all = ["history", "baseline", "save_baseline"])]
    #[arg(value_parser = parse_whole::<u64>, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Compare with the earlier reports of this folder, of the same machine and configuration;
    /// without a report, show when each figure changed there.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["run", "baseline", "save_baseline"])]
    history: Option<PathBuf>,
    /// Exit with 1 if a row is worse by more than this, such as 5%.
    #[arg(long, value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    threshold: Option<f64>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        if !self.run.is_empty() {
            return run::task(self);
        }
        let Baselines { baseline, save_baseline, force } = &context.options.baselines;
        if let (None, Some(name)) = (baseline, save_baseline) {
            let (path, report) = self.save(name, *force)?;
            return baseline::saved(name, &path, report);
        }
        let (compared, reports) = self.compared(context)?;
        shown(compared, reports, &self, context)
    }
}

/// What was compared, and the reports that a page of it holds.
type Found = (Compared, Vec<(String, Report)>);

impl Args {
    /// Saves the one report under a name, and returns where it is.
    fn save(&self, name: &str, force: bool) -> anyhow::Result<(PathBuf, Report)> {
        let [file] = &self.files[..] else {
            refuse!("--save-baseline takes one report");
        };
        let report = input::report(file)?;
        Ok((baseline::save(name, force, &report)?, report))
    }

    /// Compares what the files and the options name.
    fn compared(&self, context: &Context) -> anyhow::Result<Found> {
        if let Some(folder) = &self.history {
            let (compared, newest) = with_history(&self.files, folder, context)?;
            return Ok((compared, vec![newest]));
        }
        let Baselines { baseline, save_baseline, force } = &context.options.baselines;
        let mut reports = Vec::new();
        if let Some(name) = baseline {
            reports.push((name.clone(), baseline::report(name)?));
        }
        if let Some(name) = save_baseline {
            let (_, report) = self.save(name, *force)?;
            reports.push((self.files[0].display().to_string(), report));
            return Ok((compared(&reports)?, reports));
        }
        if reports.is_empty()
            && self.files.len() > 1
            && self.files.iter().all(|it| holds_several(it))
        {
            let seed = self.seed.unwrap_or_else(|| fastrand::u64(..));
            return Ok((of_sets(&self.files, seed, context)?, Vec::new()));
        }
        let several = self.files.iter().any(|file| holds_several(file));
        for (at, file) in self.files.iter().enumerate() {
            if let (true, [(name, first)]) = (several, &reports[..]) {
                let mut others = Vec::new();
                for path in &self.files[at..] {
                    each_report(path, &mut |file, report| {
                        let report = report.as_ref().map_err(Clone::clone);
                        others.push(brief((name, first), &file, report));
                    })?;
                }
                return Ok((many((name, first), others), reports));
            }
            reports.extend(input::reports(file)?);
        }
        // A page may hold several.
        if reports.len() < 2 {
            refuse!("compare needs two reports or more: name another file");
        }
        Ok((compared(&reports)?, reports))
    }
}

/// Parses a share, which has to be written in percent: 5 could be meant as either.
fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(|number| number.trim_end().parse::<f64>());
    match number {
        Some(Ok(number)) if number.is_finite() && number >= 0.0 => Ok(number / 100.0),
        _ => Err("it must be a percentage, 0% or above, such as 5%".into()),
    }
}

/// A comparison on the screen and in every format, of which a page holds these reports. It fails if
/// a row is worse by more than the threshold.
fn shown(
    mut compared: Compared,
    reports: Vec<(String, Report)>,
    args: &Args,
    context: &Context,
) -> anyhow::Result<Task> {
    compared.threshold = args.threshold;
    let worst = args.threshold.and_then(|most| beyond(&compared, most));
    compared.exceeded = worst.is_some();
    let view = compare::view(&compared, context.detail());
    let text = text::detailed(view, context.detail(), &context.style);
    let json = json::comparison(&compared)?;
    let compared = Rc::new(compared);
    let of = |(id, written): (_, compare::Format)| -> Other {
        let compared = Rc::clone(&compared);
        (id, Box::new(move || Ok(written(&compared)?)))
    };
    let mut others: Vec<Other> = compare::FORMATS.into_iter().map(of).collect();
    others.push((
        "html",
        Box::new(move || {
            let (names, mut bytes) = (input::names(&reports), Vec::new());
            let inputs = names.iter().zip(&reports);
            let inputs: Vec<_> = inputs.map(|(name, (_, report))| Input { name, report }).collect();
            page::comparison(&compared, &inputs, &mut bytes)?;
            Ok(bytes)
        }),
    ));
    Ok(Task::Document(Document { text, json, others, failed: worst }))
}

/// What changed from a baseline to a report that was just measured.
pub fn screen(before: (String, Report), report: &Report, context: &Context) -> String {
    let reports = [before, ("this run".into(), report.clone())];
    match compared(&reports) {
        Ok(compared) => {
            let view = compare::view(&compared, context.detail());
            text::detailed(view, context.detail(), &context.style)
        }
        Err(why) => format!("{why}\n"),
    }
}

/// The rows that are worse by more than this share, in words: the worst of them, and how many more.
fn beyond(compared: &Compared, most: f64) -> Option<String> {
    let rows = compared.change.iter().chain(&compared.more).flat_map(|it| &it.rows);
    let rows = rows.chain(compared.others.iter().filter_map(|it| it.most.as_ref()));
    let beyond = |row: &&Row| row.verdict == Verdict::Worse && row.change > most;
    let rows: Vec<&Row> = rows.filter(beyond).collect();
    let worst = rows.iter().max_by(|a, b| a.change.total_cmp(&b.change))?;
    let more = match rows.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more are worse by more than that"),
    };
    let (id, by, most) = (compare::title(worst), percent(worst.change), percent(most));
    Some(format!("{id} is worse by {by}, more than {most} (--threshold){more}"))
}

/// What changed, if there is anything to compare.
///
/// # Errors
/// There is nothing.
fn compared(reports: &[(String, Report)]) -> Result<Compared, Usage> {
    let compared = chronoscope_diagnose::compare(reports);
    match nothing(reports, &compared) {
        Some(why) => Err(Usage(why)),
        None => Ok(compared),
    }
}

/// Why there is nothing to show.
fn nothing(reports: &[(String, Report)], compared: &Compared) -> Option<String> {
    if compared.change.is_none() {
        let one = reports.windows(2).all(|pair| one_machine(&pair[0].1, &pair[1].1));
        let none = compared.clocks.is_empty() && compared.overhead.is_empty();
        let lacking = reports.iter().filter(|(_, report)| report.clocks.is_empty());
        let lacking: Vec<&str> = lacking.map(|(name, _)| name.as_str()).collect();
        return (one || none).then(|| match &lacking[..] {
            _ if one => format!(
                "{} reports of one machine: name at most {COLUMNS}, or one report and a folder \
                 with the others",
                reports.len()
            ),
            [] => {
                "no clock is in all of them: of several machines, only clocks are compared".into()
            }
            _ => format!(
                "no clocks in {}: of several machines, only clocks are compared",
                lacking.join(", ")
            ),
        });
    }
    let held = |(name, report): &(String, Report)| {
        let held: Vec<&str> = section::measured(report).iter().map(|it| it.id).collect();
        (name.clone(), held)
    };
    let (a, first) = held(reports.first()?);
    reports.iter().map(held).find_map(|(b, other)| {
        let apart = !first.iter().any(|id| other.contains(id)) && first != other;
        let list = |ids: &[&str]| if ids.is_empty() { "nothing".into() } else { ids.join(", ") };
        let (first, other) = (list(&first), list(&other));
        apart.then(|| format!("{a} has {first}, {b} has {other}: name reports of one kind"))
    })
}

/// What changed from the first set to each of the others, by the spread of the runs of each.
fn of_sets(files: &[PathBuf], seed: u64, context: &Context) -> Result<Compared, Usage> {
    if files.len() > COLUMNS {
        refuse!("{} sets: name at most {COLUMNS}", files.len());
    }
    let mut all = Vec::new();
    for path in files {
        let mut set = Runs::of_set(&path.display().to_string());
        each_report(path, &mut |file, report| match report {
            Ok(report) => set.add(&report),
            Err(why) => context.warn(&format!("left out: {file}: {why}")),
        })?;
        all.push(set);
    }
    sets(all, seed).map_err(Usage)
}

/// A report next to the earlier ones of a folder; without a report, when each figure changed there.
fn with_history(
    files: &[PathBuf],
    folder: &Path,
    context: &Context,
) -> anyhow::Result<(Compared, (String, Report))> {
    if !folder.exists() {
        refuse!("{}: there is no such folder", folder.display());
    }
    let (file, newest) = match files {
        [] => newest(folder)?,
        [one] => (one.display().to_string(), input::report(one)?),
        _ => refuse!("--history takes one report at most, the new one"),
    };
    let mut unread = Vec::new();
    let mut past = Past::new(&file, &newest);
    each_report(folder, &mut |file, report| match report {
        Ok(report) => past.add(&file, &report),
        Err(why) => unread.push(Unread { file, why }),
    })?;
    for Unread { file, why } in unread.iter().take(NAMED) {
        context.warn(&format!("left out: {file}: {why}"));
    }
    if let more @ 1.. = unread.len().saturating_sub(NAMED) {
        context.warn(&format!("left out: {more} more, which cannot be read either"));
    }
    let shown_folder = folder.display().to_string();
    let compared = past.compared(&shown_folder, files.is_empty());
    let mut compared = compared.map_err(|why| Usage(format!("{shown_folder}: {why}")))?;
    if let Some(history) = &mut compared.history {
        history.unread = unread;
    }
    Ok((compared, (file, newest)))
}

/// The newest report of a folder that has costs.
fn newest(folder: &Path) -> Result<(String, Report), Usage> {
    let mut newest: Option<(String, Report)> = None;
    each_report(folder, &mut |file, report| {
        let Ok(report) = report else { return };
        let has = !report.clocks.is_empty() || !report.runtimes.is_empty();
        let newer = |(_, known): &(String, Report)| known.run.started < report.run.started;
        if has && newest.as_ref().is_none_or(newer) {
            newest = Some((file, report));
        }
    })?;
    newest.ok_or_else(|| Usage(format!("{}: no report in it has clocks", folder.display())))
}
