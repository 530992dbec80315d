//! Two commands that take turns: words as a shell would split them, but without a shell.

use super::Args;
use crate::cli;
use crate::commands::COMMANDS;
use crate::context::{Context, Stop, Usage};
use crate::progress::Progress;
use crate::task::Task;
use chronoscope_diagnose::compare::runs::{LEAST_PAIRS, MOST_PAIRS, Runs, pairs};
use chronoscope_measure::engine::child::{self, INTERRUPTED, shown};
use chronoscope_model::Report;
use chronoscope_model::compare::Compared;
use chronoscope_probes::time::Instant;
use chronoscope_report::json::{self, LARGEST};
use chronoscope_survey::Progress as State;
use clap::Command as Definition;
use std::cell::Cell;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How often the progress is shown while a command runs.
const SHOWN: Duration = Duration::from_secs(1);

pub fn task(args: Args) -> anyhow::Result<Task> {
    let [a, b] = &args.run[..] else {
        let line = "--run needs two commands: give it twice, once for A and once for B";
        return Err(Usage(line.into()).into());
    };
    if !(LEAST_PAIRS..=MOST_PAIRS).contains(&args.pairs) {
        let line = format!(
            "--pairs must be from {LEAST_PAIRS} to {MOST_PAIRS}: fewer could not tell a change \
             from chance"
        );
        return Err(Usage(line).into());
    }
    let children = [Child::from_words(a)?, Child::from_words(b)?];
    Ok(Task::Later(Box::new(move |stop, context| {
        let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
        let turns = Turns {
            children,
            pairs: args.pairs,
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
    let compared = pairs(&a, b, seed);
    if compared.change.as_ref().is_some_and(|change| !change.rows.is_empty()) {
        return Ok(compared);
    }
    let line = "the two have no figure in common: use one command of this tool in both";
    Err(Usage(line.into()).into())
}

fn add(runs: &mut [Runs; 2], pair: [Report; 2]) {
    runs.iter_mut().zip(&pair).for_each(|(runs, report)| runs.add(report));
}

/// Runs that are made, one at a time.
struct Turns<'a> {
    children: [Child; 2],
    pairs: u32,
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
        let tried = self.pair("trying both", false).map_err(Usage)?;
        let mut runs = self.none();
        add(&mut runs, tried);
        judged(runs, seed)?;
        let mut order = fastrand::Rng::with_seed(seed);
        let mut runs = self.none();
        for complete in 0..self.pairs {
            let what = format!("pair {} of {}", complete + 1, self.pairs);
            match self.pair(&what, order.bool()) {
                Ok(pair) => add(&mut runs, pair),
                Err(why) => {
                    let told = format!("{why}; {complete} of {} pairs are complete", self.pairs);
                    if complete < LEAST_PAIRS {
                        return Err(Usage(format!("{told}, and {LEAST_PAIRS} are needed")).into());
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

    /// Runs both, B first if they are `swapped`.
    fn pair(&self, what: &str, swapped: bool) -> Result<[Report; 2], String> {
        let [a, b] = self.children.each_ref().map(|child| || self.run(child, what));
        if swapped {
            let b = b()?;
            return Ok([a()?, b]);
        }
        Ok([a()?, b()?])
    }

    fn run(&self, child: &Child, what: &str) -> Result<Report, String> {
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
        let report = child.report(self.timeout, &stop).map_err(|why| match why.as_str() {
            INTERRUPTED => why,
            _ => format!("--run `{}`: {why}", child.text),
        })?;
        self.complete.set(self.complete.get() + 1);
        Ok(report)
    }

    /// Shows the share of the runs that is done: all take about as long as those before.
    fn show(&self, what: &str, began: Instant) {
        let complete = f64::from(self.complete.get());
        let each = (began - self.began).as_secs_f64() / complete;
        let part = (began.elapsed().as_secs_f64() / each).min(1.0);
        let done = if complete > 0.0 { complete + part } else { 0.0 };
        self.progress.show(State::Phase(what, done / f64::from(2 + 2 * self.pairs)));
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
        if let Some(at) = words.iter().position(|word| is_tool(word)) {
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
        Ok(Self { text: text.into(), environment, words })
    }

    /// Runs the command, and returns the report that it prints.
    ///
    /// # Errors
    /// Why there is none.
    fn report(&self, patience: Duration, stop: child::Stop) -> Result<Report, String> {
        let [program, words @ ..] = &self.words[..] else {
            return Err("it names no command".into());
        };
        let mut command = Command::new(program);
        command.args(words).envs(self.environment.iter().map(|(name, value)| (name, value)));
        let ended = child::output(&mut command, LARGEST as u64, patience, stop)?;
        let errors = String::from_utf8_lossy(&ended.errors);
        let said = errors.lines().map(|line| shown(line, 160)).find(|line| !line.is_empty());
        if !ended.status.success() {
            let said = said.map_or(String::new(), |line| format!(": {line}"));
            return Err(format!("{}{said}", ended.outcome()));
        }
        if ended.output.is_empty() {
            return Err("it printed nothing, but a report is needed: chronoscope has --json".into());
        }
        json::read(&ended.output).map_err(|error| format!("it printed no report: {error}"))
    }
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
