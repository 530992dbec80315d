//! Did it change, by how much, and what do the changes share? And which clocks work on every one of
//! several machines?

pub mod baseline;
mod children;
mod each;
mod history;
mod many;
mod run;
mod sets;
mod stored;

use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::options::Baselines;
use crate::task::{Document, Examples, Other, Run, Task};
use chronoscope_model::Report;
use chronoscope_model::compare::{Compared, Row, Verdict};
use chronoscope_model::units::{parse_duration, parse_whole, percent};
use chronoscope_report::page::{self, Input};
use chronoscope_report::{compare, documents, text};
use std::path::PathBuf;
use std::time::Duration;

pub const EXAMPLES: Examples = [
    ("chronoscope compare before.json after.json", "What changed, and by how much."),
    (
        "chronoscope compare --run clocks --run 'clocks --cpu 1'",
        "Two commands take turns; this shows small changes.",
    ),
    ("chronoscope compare before/ after/", "Two sets of runs: their spread decides."),
];

/// Show what changed between reports, and by how much.
///
/// The first report is what the others are compared with. Reports of different machines also show
/// which clocks work on all of them.
#[derive(clap::Args)]
pub struct Args {
    /// The reports or pages with reports, at least two reports; a report and a folder of reports;
    /// or two to four sets of runs, each a folder, a file of lines or a pattern such as
    /// 'before/*.json'. '-' is standard input.
    #[arg(value_name = "REPORT.json")]
    files: Vec<PathBuf>,
    /// A command that prints a report as JSON, a command of this tool such as 'waits rust', or
    /// settings of it such as '--slack 1ns'. Give two: they take turns. Words before the command
    /// may set variables: 'LD_PRELOAD=./x.so chronoscope'. There is no shell.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["files", "baseline", "save_baseline"])]
    run: Vec<String>,
    /// How many pairs of runs are made, 6 to 100.
    #[arg(long, value_name = "N", default_value_t = 8, requires = "run")]
    #[arg(value_parser = parse_whole::<u32>, allow_hyphen_values = true)]
    pairs: u32,
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
        if let Some(folder) = &self.history {
            return history::task(&self, folder, context);
        }
        let Baselines { baseline, save_baseline, force } = &context.options.baselines;
        let mut reports = Vec::new();
        if let Some(name) = baseline {
            reports.push((name.clone(), baseline::report(name)?));
        }
        if let Some(name) = save_baseline {
            let [file] = &self.files[..] else {
                return Err(Usage("--save-baseline takes one report".into()).into());
            };
            let report = input::report(file)?;
            let path = baseline::save(name, *force, &report)?;
            if reports.is_empty() {
                return baseline::saved(name, &path, report);
            }
            reports.push((file.display().to_string(), report));
            return stored::task(reports, &self, context);
        }
        // A page may hold several.
        let too_few = || Usage("compare needs two reports or more: name another file".into());
        if reports.len() + self.files.len() < 1 {
            return Err(too_few().into());
        }
        if reports.is_empty()
            && self.files.len() > 1
            && self.files.iter().all(|it| each::holds_several(it))
        {
            return sets::task(&self.files, &self, context);
        }
        let several = self.files.iter().any(|file| each::holds_several(file));
        for (at, file) in self.files.iter().enumerate() {
            if let (true, [first]) = (several, &reports[..]) {
                return many::task(first, &self.files[at..], &self, context);
            }
            reports.extend(input::reports(file)?);
        }
        if reports.len() < 2 {
            return Err(too_few().into());
        }
        stored::task(reports, &self, context)
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
    let json = documents::comparison(&compared)?;
    let mut others: Vec<Other> = Vec::new();
    for (id, bytes) in compare::formats(&compared)? {
        others.push((id, Box::new(move || Ok(bytes.clone()))));
    }
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
    match stored::compared(&reports) {
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
    let (id, by, most) = (&worst.key.id, percent(worst.change), percent(most));
    Some(format!("{id} is worse by {by}, more than {most} (--threshold){more}"))
}
