//! What a command asks for: what to survey, and how to show it. One runner carries out all of them.

use crate::context::{Context, Stop};
use crate::screen::{Code, Screen};
use chronoscope_model::{Report, schema};
use chronoscope_survey::{Error, Spec, Survey};
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
