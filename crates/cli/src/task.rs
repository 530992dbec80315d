//! What a command asks for: what to survey, and how to show it. One runner carries out all of them.
//!
//! Also the screens that show a report, whether it was just measured or stored, and the language
//! that advice shows code in.

use crate::context::{Context, Stop, Usage};
use chronoscope_diagnose::advise::LANGUAGES;
use chronoscope_diagnose::{faults, stability};
use chronoscope_model::advice::WaitChoice;
use chronoscope_model::{Advice, Note, Report, schema};
use chronoscope_report::section::{self, Section};
use chronoscope_report::text;
use chronoscope_survey::select::{language, shown};
use chronoscope_survey::{Error, Spec, Survey};
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of a command. Their description is that of the command.
pub trait Run {
    /// The task that the arguments ask for.
    ///
    /// # Errors
    /// One clear line; the type of the error decides the exit code.
    fn task(self, context: &Context) -> anyhow::Result<Task>;
}

pub enum Task {
    /// A report, on a screen and in files.
    Report(Box<Job>),
    /// A document that is not a report.
    Document(Document),
    /// Several reports, which only a page shows.
    Several(Several),
    /// A task that is known only once something was measured.
    Later(Box<Later>),
    /// A live view or answers to Prometheus, until a key or a signal.
    #[cfg(any(feature = "serve", feature = "watch"))]
    Lasting(Box<Lasting>),
    /// Files for other programs.
    Generate(Files),
}

/// A document as it is shown, and in each format that it can be exported in.
pub struct Document {
    pub text: String,
    pub json: Vec<u8>,
    /// The formats other than JSON, by id.
    pub others: Vec<Other>,
    /// Why the command fails although the document was made, in one line: exit code 1.
    pub failed: Option<String>,
}

/// A format by id, and what writes the document in it.
pub type Other = (&'static str, Box<dyn Fn() -> anyhow::Result<Vec<u8>>>);

pub struct Several {
    /// Each with its name, which no other has.
    pub reports: Vec<(String, Report)>,
    /// The format that standard output gets all of them in, if any.
    pub to_stdout: Option<&'static str>,
}

/// Runs until that ends, and returns the exit code.
#[cfg(any(feature = "serve", feature = "watch"))]
pub type Lasting = dyn FnOnce(&Context) -> anyhow::Result<ExitCode>;

/// Measures until it is asked to stop.
pub type Later = dyn FnOnce(&Stop, &Context) -> anyhow::Result<Task>;

/// Files that the tool holds, or makes from the definitions that it uses itself.
#[derive(clap::Subcommand)]
pub enum Files {
    /// Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it
    /// does not exist.
    #[cfg(feature = "serve")]
    Fleet {
        /// The folder.
        folder: PathBuf,
        /// Overwrite files that differ.
        #[arg(long)]
        force: bool,
    },
    /// Completions for a shell, to standard output.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Man pages of all commands, into an existing folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// The JSON Schema of a document, to standard output.
    Schema {
        /// The document.
        #[arg(default_value = schema::ALL[0].0, value_parser = schema::ALL.map(|(name, _)| name))]
        document: String,
    },
}

pub struct Job {
    pub source: Source,
    pub screen: Screen,
    /// What is shown instead of the screen.
    pub text: Option<String>,
    /// Whether the screen goes to standard error, because a command has written to standard output.
    pub aside: bool,
    /// The languages of code on the screen.
    pub code: Code,
    /// Whether the report may have distributions of waits.
    pub distributions: bool,
    /// The file that the report is written to every second.
    pub checkpoint: Option<PathBuf>,
    /// What is done with the report before anyone sees it.
    pub amend: Option<Box<Amend>>,
    /// The result of a run that was not stopped, from what was measured.
    pub outcome: fn(&Report) -> Result<ExitCode, Error>,
}

pub enum Source {
    Survey(Box<Survey<'static>>),
    Stored(Box<Report>),
}

/// Changes a report, for which it may carry out another survey.
pub type Amend = dyn FnOnce(&mut Report, &Measure) -> anyhow::Result<()>;

pub type Measure<'a> = dyn Fn(Survey<'static>) -> anyhow::Result<Report> + 'a;

impl Job {
    pub fn survey(survey: Survey<'static>, screen: Screen) -> Self {
        Self::new(Source::Survey(Box::new(survey)), screen)
    }

    pub fn stored(report: Report, screen: Screen) -> Self {
        Self::new(Source::Stored(Box::new(report)), screen)
    }

    fn new(source: Source, screen: Screen) -> Self {
        Self {
            source,
            screen,
            text: None,
            aside: false,
            code: Code::All,
            distributions: false,
            checkpoint: None,
            amend: None,
            outcome: |_| Ok(ExitCode::SUCCESS),
        }
    }
}

impl Task {
    /// Measures, and shows the report on a screen.
    pub fn measure(spec: Spec, screen: Screen) -> anyhow::Result<Self> {
        Ok(Job::survey(Survey::of(spec)?, screen).into())
    }

    /// Shows a document that has no format but JSON.
    pub fn document(json: Vec<u8>, text: String) -> Self {
        Self::Document(Document { text, json, others: Vec::new(), failed: None })
    }
}

impl From<Job> for Task {
    fn from(job: Job) -> Self {
        Self::Report(Box::new(job))
    }
}

/// A screen. `report --as` and the key `screen` of a run have the name of the variant, which for
/// most is that of the command that shows it.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Screen {
    /// The machine at a glance.
    Summary,
    /// Two lines to paste into a bug report.
    Brief,
    /// What each clock costs, its resolution, and its verdict.
    Clocks,
    /// How late waits ended.
    Waits,
    /// The waits in ticks of 100 ns, those of QPC.
    Ticks,
    /// The waits in bins of 1 us, as cyclictest -h counts them.
    Bins,
    /// The differences between successive reads.
    Deltas,
    /// The mean of a million calls, of ten, and a single call.
    Calls,
    /// What timing adds to a loop.
    Overhead,
    /// The clocks of language runtimes.
    Runtimes,
    /// Whether clocks go back, agree between CPUs, and keep their rate.
    Trust,
    /// How far the clocks are from others.
    Against,
    /// How far the wall clock is from UTC, next to the limits of RTS 25 and FINRA.
    Traceability,
    /// Allan deviation, time deviation and MTIE of the clocks that were watched.
    Stability,
    /// How far repeated work varies, and why.
    Noise,
    /// The timer hardware and the kernel's clock source.
    Hardware,
    /// The clocks under every clock source of the kernel.
    Sweep,
    /// What was found, or that nothing was.
    Findings,
    /// The result of looking for each fault.
    Doctor,
    /// Which clock or wait to use, and the code.
    Advise,
}

impl Screen {
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().into()).unwrap_or_default()
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::from_str(name, true).ok()
    }

    /// The screen that the report was made for. If the report names none that this version has,
    /// what was measured decides.
    pub fn of_run(report: &Report) -> Self {
        let named = report.run.screen.as_deref().and_then(Self::find);
        named.filter(|screen| screen.is_in(report)).unwrap_or_else(|| {
            match section::measured(report).as_slice() {
                [] => Self::Hardware,
                [one] => {
                    let mut all = Self::value_variants().iter().copied();
                    let shows = |screen: &Self| screen.section().is_some_and(|it| it.id == one.id);
                    all.find(shows).unwrap_or(Self::Summary)
                }
                _ => Self::Summary,
            }
        })
    }

    /// The section that the screen is about, if it is one.
    fn section(self) -> Option<&'static Section> {
        section::of_screen(&self.name())
    }

    /// Whether the screen shows more if everything is asked for.
    pub fn has_more(self) -> bool {
        !matches!(
            self,
            Self::Brief | Self::Bins | Self::Findings | Self::Traceability | Self::Stability
        )
    }

    /// Whether the report holds what the screen is about.
    fn is_in(self, report: &Report) -> bool {
        match self {
            Self::Summary | Self::Brief => !report.clocks.is_empty(),
            Self::Ticks | Self::Bins => !report.waits.is_empty(),
            Self::Doctor => !report.checks.is_empty(),
            Self::Traceability => report.against.is_some(),
            Self::Stability => report.trust.is_some(),
            other => other.section().is_none_or(|section| section.is_in(report)),
        }
    }

    /// The screen as this terminal shows it, with code in these languages.
    pub fn draw(self, report: &Report, code: Code, context: &Context) -> String {
        let (style, detail) = (&context.style, context.detail());
        match self {
            Self::Summary if context.options.verbose => text::everything(report, style),
            Self::Brief => text::brief(report, style),
            Self::Ticks => {
                text::above(section::waits::ticks(report, detail), report, detail, style)
            }
            Self::Bins => text::above(section::waits::bins(report), report, detail, style),
            Self::Traceability => {
                text::around(section::trust::traceability::page(report), report, style)
            }
            Self::Stability => {
                let series = report.trust.as_ref().and_then(|trust| trust.series.as_ref());
                let steady = series.map(stability::of).unwrap_or_default();
                let page = section::trust::stability::page(series, &steady);
                text::around(page, report, style)
            }
            Self::Findings => text::blocks(section::findings::page(report), style),
            Self::Doctor => {
                let verdict = faults::verdict(report);
                let found = section::findings::diagnosis(report, &verdict, detail);
                text::around(found, report, style)
            }
            Self::Advise => {
                text::section(&section::advice::SECTION, &code.shown_of(report), detail, style)
            }
            other => match other.section() {
                Some(section) => text::section(section, report, detail, style),
                None => text::summary(report, style),
            },
        }
    }
}

/// The variable that names the language, for users who always want the same one.
const VARIABLE: &str = "CHRONOSCOPE_LANGUAGE";
/// The language if the environment names none: the one whose calls the others make.
const DEFAULT: &str = "C";
const ALL: &str = "all";

/// The languages that code is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    All,
    In(&'static str),
}

impl Code {
    /// The language with this name or nickname, or all of them.
    ///
    /// # Errors
    /// There is no such language; the line names those that exist.
    pub fn named(wanted: &str) -> Result<Self, Usage> {
        if wanted.eq_ignore_ascii_case(ALL) {
            return Ok(Self::All);
        }
        language(wanted).map(Self::In).ok_or_else(|| {
            let (wanted, known) = (shown(wanted), LANGUAGES.join(", "));
            Usage(format!("there is no language '{wanted}': use one of {known}, or {ALL}"))
        })
    }

    /// The language that the environment names, or the default. If everything is asked for, every
    /// language.
    ///
    /// # Errors
    /// The environment names a language that does not exist.
    pub fn usual(verbose: bool) -> Result<Self, Usage> {
        match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(value) => Self::named(&value.to_string_lossy())
                .map_err(|Usage(why)| Usage(format!("{VARIABLE}: {why}"))),
            None if verbose => Ok(Self::All),
            None => Ok(Self::In(DEFAULT)),
        }
    }

    /// Keeps only the code in this language, and of several answers to a question that for this
    /// one. Advice keeps all its code if no answer has code in it. Returns whether any was removed.
    pub fn retain(self, report: &mut Report) -> bool {
        let Self::In(language) = self else {
            return false;
        };
        // Code without figures is for every duration and goal.
        let same = |a: &Advice, b: &Advice| {
            let of = |of: &WaitChoice| (of.requested_ns, of.goal);
            let pair = a.wait.as_ref().map(of).zip(b.wait.as_ref().map(of));
            a.purpose == b.purpose && pair.is_none_or(|(a, b)| a == b)
        };
        let has = |advice: &&Advice| advice.code.contains_key(language);
        let own: Vec<Advice> = report.advice.iter().filter(has).cloned().collect();
        let all = report.advice.len();
        report.advice.retain(|it| has(&it) || !own.iter().any(|own| same(own, it)));
        let mut less = report.advice.len() < all;
        for advice in &mut report.advice {
            if advice.code.len() > 1 && advice.code.contains_key(language) {
                advice.code.retain(|known, _| known == language);
                less = true;
            }
        }
        less
    }

    /// The report as a screen shows it, which says what it leaves out.
    pub fn shown_of(self, report: &Report) -> Report {
        let mut shown = report.clone();
        if let (true, Self::In(language)) = (self.retain(&mut shown), self) {
            shown.notes.push(Note {
                id: "one-language".into(),
                about: None,
                text: format!("code is shown in {language} only"),
                fix: format!("chronoscope advise --language {ALL}, or set {VARIABLE}"),
            });
        }
        shown
    }
}
