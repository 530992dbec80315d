//! Two commands that take turns: words as a shell would split them, but without a shell.

use super::Args;
use super::metric::Metric;
use crate::cli;
use crate::commands::COMMANDS;
use crate::context::{Context, Stop, Usage};
use crate::input;
use crate::progress::Progress;
use crate::task::Task;
use chronoscope_diagnose::compare::runs::{LEAST_PAIRS, MOST_PAIRS, Runs, pairs};
use chronoscope_measure::engine::children::{self, INTERRUPTED, Output, shown};
use chronoscope_measure::taken::Sampler;
use chronoscope_model::Report;
use chronoscope_model::compare::{Compared, Key, Quantity, Section};
use chronoscope_probes::time::{Instant, sleep};
use chronoscope_report::json::{self, LARGEST};
use chronoscope_survey::{Hardware, Progress as State, Survey};
use clap::Command as Definition;
use std::cell::Cell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// How often the progress is shown while a command runs.
const SHOWN: Duration = Duration::from_secs(1);

/// Longer than two ticks of a kernel are apart: many stamp a file with the time of the last one, so
/// what two runs wrote could not be told apart.
const STAMPS: Duration = Duration::from_millis(20);

/// How many pairs of reports are made, unless the user says so.
const PAIRS: u32 = 8;
/// Of other commands, so many are made as take this long; at least [`PAIRS`].
const TIME_OF_PAIRS: Duration = Duration::from_secs(10);

pub fn task(args: Args) -> anyhow::Result<Task> {
    let [a, b] = &args.run[..] else {
        refuse!("--run needs two commands: give it twice, once for A and once for B");
    };
    if !args.pairs.is_none_or(|pairs| (LEAST_PAIRS..=MOST_PAIRS).contains(&pairs)) {
        refuse!(
            "--pairs must be from {LEAST_PAIRS} to {MOST_PAIRS}: fewer could not tell a change \
             from chance"
        );
    }
    let children = [Child::from_words(a)?, Child::from_words(b)?];
    Ok(Task::Later(Box::new(move |stop, context| {
        let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
        let turns = Turns {
            children,
            pairs: Cell::new(args.pairs.unwrap_or(PAIRS)),
            given: args.pairs.is_some(),
            metric: args.metric.clone(),
            file: args.metric_file.clone(),
            // They run on any CPU.
            machine: Report { ruler: None, ..Survey::new(Hardware).run()? },
            timeout: args.timeout,
            stop,
            context,
            progress: Progress::new(context.options.output.quiet),
            began: Instant::now(),
            complete: Cell::new(0),
        };
        // Their reports are not kept.
        super::shown(judged(turns.measured(seed)?, seed)?, Vec::new(), &args, context)
    })))
}

/// What changed from A to B.
///
/// # Errors
/// They have no figure in common.
fn judged([a, b]: [Runs; 2], seed: u64) -> anyhow::Result<Compared> {
    let compared = pairs(&a, &b, seed);
    if compared.change.as_ref().is_some_and(|change| !change.rows.is_empty()) {
        return Ok(compared);
    }
    refuse!(
        "the two have no figure in common: use one command of this tool in both, or a --metric \
         that both print"
    )
}

/// What a command wrote, and the share that was taken of its time, if that can be seen.
type Run = (Output, Option<f64>);

/// What a run of a command gave.
enum Found {
    Report(Box<Report>),
    Figures(Vec<(Key, f64)>, Option<f64>),
}

/// What runs are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Report,
    Metric,
    Time,
}

/// Runs that are made, one at a time.
struct Turns<'a> {
    children: [Child; 2],
    pairs: Cell<u32>,
    /// Whether the user gave the number of pairs.
    given: bool,
    metric: Option<Metric>,
    /// The file that a metric is in, unless it is printed.
    file: Option<PathBuf>,
    /// The machine, for commands that print no report.
    machine: Report,
    timeout: Duration,
    stop: &'a Stop,
    context: &'a Context,
    progress: Progress,
    began: Instant,
    /// How many runs are complete.
    complete: Cell<u32>,
}

impl Turns<'_> {
    /// Makes all pairs, or as many as are complete when a run fails or the user asks to stop.
    ///
    /// # Errors
    /// The commands do not work, or too few pairs are complete.
    fn measured(&self, seed: u64) -> anyhow::Result<[Runs; 2]> {
        // Whether both work is known before the first pair, and their files are in memory.
        let (wanted, tried) = self.tried().map_err(Usage)?;
        let mut runs = self.none();
        self.add(&mut runs, tried);
        judged(runs, seed)?;
        let mut order = fastrand::Rng::with_seed(seed);
        let mut runs = self.none();
        let pairs = self.pairs.get();
        for complete in 0..pairs {
            let what = format!("pair {} of {pairs}", complete + 1);
            match self.pair(&what, wanted, order.bool()) {
                Ok(pair) => self.add(&mut runs, pair),
                Err(why) => {
                    let told = format!("{why}; {complete} of {pairs} pairs are complete");
                    if complete < LEAST_PAIRS {
                        refuse!("{told}, and {LEAST_PAIRS} are needed");
                    }
                    self.progress.suspend(|| self.context.warn(&told));
                    break;
                }
            }
        }
        Ok(runs)
    }

    fn none(&self) -> [Runs; 2] {
        self.children.each_ref().map(|child| Runs::of_command(&child.text))
    }

    fn add(&self, runs: &mut [Runs; 2], pair: [Found; 2]) {
        for (runs, found) in runs.iter_mut().zip(pair) {
            match found {
                Found::Report(report) => runs.add(&report),
                Found::Figures(figures, taken) => {
                    runs.add_figures(&self.machine, figures, taken);
                }
            }
        }
    }

    /// Runs both once, and finds out what to compare: their reports if one of them prints any, or
    /// else how long they take.
    fn tried(&self) -> Result<(Wanted, [Found; 2]), String> {
        const WHAT: &str = "trying both";
        let [a, b] = [self.run(&self.children[0], WHAT)?, self.run(&self.children[1], WHAT)?];
        let prints =
            |child: &Child, (output, _): &Run| child.is_tool || json::read(&output.output).is_ok();
        let wanted = match self.metric {
            Some(_) => Wanted::Metric,
            None if prints(&self.children[0], &a) || prints(&self.children[1], &b) => {
                Wanted::Report
            }
            None => Wanted::Time,
        };
        if wanted != Wanted::Report && !self.given {
            let both = (a.0.took + b.0.took).as_secs_f64();
            let pairs = TIME_OF_PAIRS.as_secs_f64() / both;
            self.pairs.set((pairs as u32).clamp(PAIRS, MOST_PAIRS));
        }
        Ok((wanted, [self.found(0, &a, wanted)?, self.found(1, &b, wanted)?]))
    }

    /// Runs both, B first if they are `swapped`.
    fn pair(&self, what: &str, wanted: Wanted, swapped: bool) -> Result<[Found; 2], String> {
        let run = |at: usize| self.found(at, &self.run(&self.children[at], what)?, wanted);
        if swapped {
            let b = run(1)?;
            return Ok([run(0)?, b]);
        }
        Ok([run(0)?, run(1)?])
    }

    /// What is wanted of a run.
    fn found(&self, at: usize, (output, taken): &Run, wanted: Wanted) -> Result<Found, String> {
        let wrong = |why: String| format!("--run `{}`: {why}", self.children[at].text);
        let figures = match (wanted, &self.metric) {
            (Wanted::Report, _) => {
                return report(output).map(|it| Found::Report(it.into())).map_err(wrong);
            }
            (Wanted::Metric, Some(metric)) => {
                let written = self.file.as_ref().map(|file| written(file)).transpose();
                let text = written.map_err(wrong)?;
                metric.figures(text.as_deref().unwrap_or(&output.output)).map_err(wrong)?
            }
            _ => {
                let (section, quantity) = (Section::Commands, Quantity::Time);
                let key = Key { section, id: "wall-time".into(), quantity, ..Key::default() };
                vec![(key, output.took.as_nanos() as f64)]
            }
        };
        Ok(Found::Figures(figures, *taken))
    }

    fn run(&self, child: &Child, what: &str) -> Result<Run, String> {
        let began = Instant::now();
        let shown = Cell::new(None::<Instant>);
        let stop = || {
            if shown.get().is_none_or(|at| at.elapsed() > SHOWN) {
                shown.set(Some(Instant::now()));
                self.show(what, began);
            }
            self.stop.interrupt.is_set()
        };
        stop();
        if self.file.is_some() {
            sleep(STAMPS);
        }
        let before = self.file.as_deref().and_then(changed);
        let mut sampler = Sampler::new(false);
        let run = child.run(self.timeout, &stop, &mut |process| sampler.look(process));
        let run = run.and_then(|output| match &self.file {
            Some(file) if changed(file) == before => {
                Err(format!("it did not write {}", file.display()))
            }
            _ => Ok(output),
        });
        let output = run.map_err(|why| match why.as_str() {
            INTERRUPTED => why,
            _ => format!("--run `{}`: {why}", child.text),
        })?;
        self.complete.set(self.complete.get() + 1);
        Ok((output, sampler.share()))
    }

    /// Shows the share of the runs that is done: all take about as long as those before.
    fn show(&self, what: &str, began: Instant) {
        let complete = f64::from(self.complete.get());
        let each = (began - self.began).as_secs_f64() / complete;
        let part = (began.elapsed().as_secs_f64() / each).min(1.0);
        let done = if complete > 0.0 { complete + part } else { 0.0 };
        self.progress.show(State::Phase(what, done / f64::from(2 + 2 * self.pairs.get())));
    }
}

/// This tool, as a word of a command.
const OWN: &str = "chronoscope";

/// The commands of this tool whose settings may stand alone, the first that knows all of them; and
/// the time that each gets if none is given.
const BUDGETS: [(&str, &str); 4] =
    [("clocks", "2s"), ("waits", "5s"), ("runtimes", "4s"), ("", "2s")];

/// The options of this tool that state how long it measures.
const LENGTHS: [&str; 4] = ["--budget", "--duration", "--count", "--calls"];

/// A command that prints a report.
struct Child {
    /// As the user wrote it.
    text: String,
    environment: Vec<(String, String)>,
    words: Vec<String>,
    /// Whether it is this tool, which prints reports.
    is_tool: bool,
}

impl Child {
    /// The command that a text stands for: words that set the environment, and then a program, a
    /// command of this tool or settings of it. This tool prints JSON without being asked, for as
    /// short a time as is useful, and `chronoscope` alone is the one that runs.
    ///
    /// # Errors
    /// It is no command, or this tool does not accept its words.
    fn from_words(text: &str) -> anyhow::Result<Self> {
        let wrong = |why: &str| Usage(format!("--run `{text}`: {why}"));
        let split = shell_words::split(text).map_err(|_| wrong("a quote is not closed"))?;
        let (mut environment, mut words) = (Vec::new(), Vec::new());
        for word in split {
            match word.split_once('=').filter(|(name, _)| words.is_empty() && is_name(name)) {
                Some((name, value)) => environment.push((name.to_owned(), value.to_owned())),
                None => words.push(word),
            }
        }
        let first = words.first().ok_or_else(|| wrong("it names no command"))?;
        if first.starts_with('-') {
            let command = fitting(&words, &cli::command_line());
            words.splice(0..0, [OWN.to_owned(), command.to_owned()]);
        } else if is_command(first) {
            words.insert(0, OWN.to_owned());
        }
        let tool = words.iter().position(|word| is_tool(word));
        if let Some(at) = tool {
            complete(&mut words, at + 1);
            if words[at] == OWN {
                let given = words[at..].iter().map(Into::into).collect();
                let refused = |error: anyhow::Error| match error.downcast_ref::<clap::Error>() {
                    Some(_) => wrong("it prints no report"),
                    None => wrong(&error.to_string()),
                };
                cli::parsed(given).map_err(refused)?;
                let own = std::env::current_exe()?;
                words[at] = own.into_os_string().into_string().map_err(|_| {
                    wrong("the path of this tool is not UTF-8, so it cannot be one of the words")
                })?;
            }
        }
        Ok(Self { text: text.into(), environment, words, is_tool: tool.is_some() })
    }

    /// Runs the command.
    ///
    /// # Errors
    /// Why it did not succeed.
    fn run(
        &self,
        patience: Duration,
        stop: children::Stop,
        look: &mut dyn FnMut(u32),
    ) -> Result<Output, String> {
        let [program, words @ ..] = &self.words[..] else {
            return Err("it names no command".into());
        };
        let mut command = Command::new(program);
        command.args(words).envs(self.environment.iter().map(|(name, value)| (name, value)));
        let ended = children::output(&mut command, LARGEST as u64, patience, stop, look)?;
        let errors = String::from_utf8_lossy(&ended.errors);
        let said = errors.lines().map(|line| shown(line, 160)).find(|line| !line.is_empty());
        if !ended.status.success() {
            let said = said.map_or(String::new(), |line| format!(": {line}"));
            return Err(format!("{}{said}", ended.outcome()));
        }
        Ok(ended)
    }
}

/// The report that a command printed.
fn report(output: &Output) -> Result<Report, String> {
    if output.output.is_empty() {
        return Err("it printed nothing, but a report is needed: chronoscope has --json".into());
    }
    json::read(&output.output).map_err(|error| format!("it printed no report: {error}"))
}

/// What a command wrote to a file.
fn written(file: &Path) -> Result<Vec<u8>, String> {
    let cannot = |why: String| format!("cannot read {}: {why}", file.display());
    let mut bytes = Vec::new();
    let opened = input::open(file).map_err(|why| why.to_string())?;
    let read = opened.take(LARGEST as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() > LARGEST {
        return Err(cannot(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

/// When a file was last written, and its length.
fn changed(file: &Path) -> Option<(SystemTime, u64)> {
    let about = fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Whether this can be the name of a variable of the environment.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_command(word: &str) -> bool {
    COMMANDS.iter().any(|(name, ..)| *name == word)
}

/// Whether this word is the tool: its name alone, or a file with this name.
fn is_tool(word: &str) -> bool {
    let path = Path::new(word);
    word == OWN || (path.file_stem().is_some_and(|name| name == OWN) && path.is_file())
}

/// The command that knows all options of these words.
fn fitting(words: &[String], whole: &Definition) -> &'static str {
    let options = words.iter().filter_map(|word| word.strip_prefix("--")?.split('=').next());
    let knows = |command: &&str| {
        let definition = whole.find_subcommand(command);
        options.clone().all(|option| {
            let mut known = definition.into_iter().flat_map(Definition::get_arguments);
            known.any(|argument| argument.get_long() == Some(option))
        })
    };
    BUDGETS.iter().map(|(command, _)| *command).find(knows).unwrap_or(BUDGETS[0].0)
}

/// Adds what this tool needs to print a report soon, unless the settings from `at` on have it.
fn complete(words: &mut Vec<String>, at: usize) {
    let settings = &words[at..];
    let has = |option: &str| {
        let with_value = format!("{option}=");
        settings.iter().any(|word| word == option || word.starts_with(&with_value))
    };
    let command = settings.iter().find(|word| is_command(word)).map_or("", String::as_str);
    let mut missing = Vec::new();
    if !has("--json") {
        missing.push("--json");
    }
    if !has("--quiet") && !has("-q") {
        missing.push("-q");
    }
    let budget = BUDGETS.iter().find(|(name, _)| *name == command);
    if let Some((_, budget)) = budget.filter(|_| !LENGTHS.iter().any(|option| has(option))) {
        missing.extend(["--budget", budget]);
    }
    words.extend(missing.into_iter().map(String::from));
}
