//! Problems and facts worth knowing, and how they are known.
//!
//! What was looked for on a machine, and what came of it.

/// How serious a finding is.
#[record(Names, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    #[default]
    Info,
    /// It costs time or precision.
    Warning,
    /// Times measured here may be wrong.
    Error,
}

/// How a finding is known.
#[record(Names)]
pub enum Certainty {
    /// It was seen to happen.
    Measured,
    /// A flag, a file or the kernel reports it.
    #[default]
    Evidence,
    /// It could not be determined.
    Unknown,
}

/// What a finding is about.
#[record]
pub enum About {
    /// The machine: it holds for the next run too, or it happened to every program.
    #[default]
    Machine,
    /// This run: what else ran, or which settings changed, while the tool measured.
    Run,
}

/// One finding.
#[record(Eq)]
pub struct Finding {
    /// A stable name, as `--allow` takes it.
    pub id: String,
    /// How serious it is.
    pub level: Level,
    /// How it is known.
    pub certainty: Certainty,
    /// Whether it is about the machine or only about this run.
    #[absent]
    pub about: About,
    /// Whether it makes every figure of the run doubtful. Screens then show it above the figures.
    pub affects_all: bool,
    /// One line that describes it.
    pub title: String,
    /// Figures, or files with their content, verbatim.
    #[always]
    pub evidence: Vec<String>,
    /// What to do about it.
    pub fix: String,
    /// Where to read more.
    #[absent]
    pub reference: String,
}

impl Finding {
    /// Whether there is evidence of it, rather than of why it could not be examined.
    pub fn is_found(&self) -> bool {
        self.certainty != Certainty::Unknown
    }
}

/// One fault that was looked for.
#[record(Eq)]
pub struct Check {
    /// The fault's id; a finding of the same id has the evidence.
    pub id: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How the fault is known if it is found.
    pub certainty: Certainty,
    /// The evidence that was looked at.
    pub looks_at: String,
    /// Why it is not known, or does not apply.
    pub why: Option<String>,
}

/// What came of looking for a fault.
#[record(Names)]
pub enum Outcome {
    /// There is evidence of it.
    Found,
    /// What would show it was looked at, and did not.
    Clear,
    /// What would show it could not be looked at.
    #[default]
    Unknown,
    /// It exists only on other systems or processors.
    Elsewhere,
}
