//! What a fault is, and the questions about a report that several faults share.

use crate::advise::system_clock;
use crate::reading::{System, cost, source};
use chronoscope_model::environment::Environment;
use chronoscope_model::finding::Outcome;
use chronoscope_model::packed::packed;
use chronoscope_model::page::pages;
use chronoscope_model::timekeeping::Adjtimex;
use chronoscope_model::{
    About, Certainty, Check, Finding, Level, Page, Report, Ruler, Trust, change,
};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The faults' pages, by id.
static PAGES: LazyLock<BTreeMap<&str, Page>> =
    LazyLock::new(|| pages(packed!("faults.md")).map(|page| (page.name(), page)).collect());

/// The page of the fault with this id.
pub(super) fn page(id: &str) -> &'static Page {
    PAGES.get(id).unwrap_or(&Page::EMPTY)
}

/// A problem that the tool can detect.
pub struct Fault {
    /// The fault's stable name, which `--allow` takes.
    pub id: &'static str,
    /// How certain a finding is: the best that the evidence allows.
    pub certainty: Certainty,
    /// Whether a finding is about the machine or about the run (docs/doctor.md has the rule).
    pub about: About,
    /// The machines that can have the fault.
    pub(super) only: &'static [Only],
    /// Whether a finding at the level of information matters only to someone who looks for faults.
    pub(super) minor: bool,
    /// Whether facts and a glance rule the fault out; if absent, they do if no evidence is
    /// measured.
    pub(super) by_glance: Option<bool>,
    /// Whether the fault makes every figure of the run doubtful.
    pub(super) affects_all: bool,
    /// Whether an emulator or a clock that was exchanged shows the same, and is then the cause.
    pub(super) yields: bool,
    /// Whether a clock of the C library that is not the kernel's shows the same.
    pub(super) by_library: bool,
    pub(super) look: fn(&Report) -> Looked,
}

/// The defaults of a fault.
pub(super) const FAULT: Fault = Fault {
    id: "",
    certainty: Certainty::Evidence,
    about: About::Machine,
    only: &[],
    minor: false,
    by_glance: None,
    affects_all: false,
    yields: false,
    by_library: false,
    look: |_| Ok(Clear),
};

/// Why a fault of the TSC is not ruled out where no fact says whether there is one.
pub(super) const UNKNOWN_CPU: &str = "nothing says which processor the machine has";

/// Why a quick run does not rule out what only a longer measurement shows.
const OVERLOOKED: &str = "not looked at by --quick";

/// What came of looking for a fault. An error is the reason why the evidence could not be examined.
pub(super) type Looked = Result<Look, String>;

/// What the evidence shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// There is evidence of the fault.
    Found(Evidence),
    /// The evidence was examined and does not show the fault.
    Clear,
}

pub(super) use Look::{Clear, Found};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) level: Level,
    /// How certain the finding is, if that differs from the fault's entry.
    pub(super) certainty: Option<Certainty>,
    pub(super) lines: Vec<String>,
    /// What to do about it here, if the report knows more than the fault's page.
    pub(super) fix: Option<String>,
}

impl Look {
    /// Changes what was found, if anything was.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Evidence)) -> Self {
        if let Found(evidence) = &mut self {
            change(evidence);
        }
        self
    }

    /// Adds lines to what was found, if anything was.
    pub(super) fn and(self, lines: impl IntoIterator<Item = String>) -> Self {
        self.with(|evidence| evidence.lines.extend(lines))
    }

    pub(super) fn certain(self, certainty: Option<Certainty>) -> Self {
        self.with(|evidence| evidence.certainty = certainty)
    }

    /// States what to do by the page of this fault or case.
    pub(super) fn act(self, id: &str) -> Self {
        self.fix(|| page(id).act.into())
    }

    /// States what to do here.
    pub(super) fn fix(self, fix: impl FnOnce() -> String) -> Self {
        self.with(|evidence| evidence.fix = Some(fix()))
    }
}

/// A kind of machine: how it is recognised, and why no other machine can have the fault.
pub(super) struct Only(fn(&Environment) -> bool, &'static str);

pub(super) const LINUX: Only = Only(|env| System::of(env) == System::Linux, "only Linux has it");
pub(super) const WINDOWS: Only =
    Only(|env| System::of(env) == System::Windows, "only Windows has it");
pub(super) const MAC: Only = Only(|env| System::of(env) == System::Mac, "only macOS has it");
pub(super) const TSC: Only =
    Only(|env| env.tsc.is_some() || unknown_cpu(env), "this processor has no time-stamp counter");
pub(super) const ARM: Only =
    Only(|env| matches!(env.arch.as_str(), "aarch64" | "arm" | ""), "only Arm processors have it");
pub(super) const VIRTUAL: Only =
    Only(|env| env.hypervisor.is_some(), "nothing shows that this is a virtual machine");
pub(super) const TIME64: Only = Only(
    |env| env.keeping.as_ref().is_some_and(|keeping| keeping.time64.is_some()),
    "only 32-bit programs have it",
);
pub(super) const BARE: Only =
    Only(|env| env.hypervisor.is_none(), "in a virtual machine it is the host's");
pub(super) const INTEL: Only = Only(
    |env| env.cpu.vendor.as_deref().is_none_or(|vendor| vendor == "GenuineIntel"),
    "only Intel's processors count them",
);
pub(super) const SEVERAL_CPUS: Only =
    Only(|env| env.cpu.logical != 1, "this machine has a single CPU");

/// What makes the counter and the clocks look broken without being a fault of theirs.
fn cause(report: &Report, fault: &Fault) -> Option<String> {
    let keeping = report.environment.keeping.as_ref();
    if fault.by_library && keeping.is_some_and(|it| it.library_clock.is_some()) {
        return Some("a library replaces the C library's clocks: see library-clock".into());
    }
    if !fault.yields {
        return None;
    }
    if let Some(what) = &report.environment.emulated {
        return Some(format!("the processor is emulated ({what}): see emulated-cpu"));
    }
    let mut changed = report.run.changed.iter();
    let changed = changed.any(|it| it.fact == change::CLOCK_SOURCE);
    changed.then(|| "the kernel changed its clock source meanwhile: see clocksource-changed".into())
}

/// Whether nothing says that the machine has a time-stamp counter, or that it has none: only its
/// log is there, or the processor's name without its flags.
fn unknown_cpu(env: &Environment) -> bool {
    let arm = matches!(env.arch.as_str(), "aarch64" | "arm");
    let unnamed = env.cpu.vendor.is_none() && env.cpu.model.is_none() && !arm;
    unnamed || env.unknown.iter().any(|unknown| unknown.subject == "TSC")
}

impl Fault {
    /// The fault's page; `how` is the evidence that decides.
    pub fn page(&self) -> &'static Page {
        page(self.id)
    }

    pub(super) fn check(&self, report: &Report) -> (Option<Finding>, Check) {
        let looked = match ((self.look)(report), cause(report, self)) {
            (Ok(Found(_)), Some(cause)) => Err(cause),
            (looked, _) => looked,
        };
        let certainty = match &looked {
            Ok(Found(evidence)) => evidence.certainty,
            _ => None,
        };
        let certainty = certainty.unwrap_or(self.certainty);
        let lacking = self.only.iter().find(|only| !only.0(&report.environment));
        let by_glance = self.by_glance.unwrap_or(self.certainty == Certainty::Evidence);
        let overlooked = report.run.quick && !by_glance;
        let (outcome, why) = match (&looked, lacking) {
            (Ok(Found(_)), _) if certainty == Certainty::Unknown => (Outcome::Unknown, None),
            (Ok(Found(_)), _) => (Outcome::Found, None),
            (_, Some(only)) => (Outcome::Elsewhere, Some(only.1.into())),
            (_, None) if overlooked => (Outcome::Unknown, Some(OVERLOOKED.into())),
            (Err(why), None) => (Outcome::Unknown, Some(why.clone())),
            (Ok(Clear), None) => (Outcome::Clear, None),
        };
        let page = self.page();
        let looks_at = page.how.into();
        let check = Check { id: self.id.into(), outcome, certainty, looks_at, why };
        let found = match looked {
            Ok(Found(evidence)) => Some(Finding {
                id: self.id.into(),
                level: evidence.level,
                certainty,
                about: self.about,
                affects_all: self.affects_all,
                title: page.title.into(),
                evidence: evidence.lines,
                fix: evidence.fix.unwrap_or_else(|| page.act.into()),
                reference: page.references.join("; "),
            }),
            _ => None,
        };
        (found, check)
    }
}

/// The fault is found if there is evidence.
pub(super) fn found(level: Level, evidence: impl IntoIterator<Item = String>) -> Look {
    let lines: Vec<String> = evidence.into_iter().collect();
    if lines.is_empty() {
        return Clear;
    }
    Found(Evidence { level, certainty: None, lines, fix: None })
}

/// For a fault that other evidence shows as well: it is ruled out only if this is known, too.
pub(super) fn clear_if<T>(known: Result<T, impl Into<String>>, looked: Look) -> Looked {
    match (looked, known) {
        (Clear, Err(why)) => Err(why.into()),
        (looked, _) => Ok(looked),
    }
}

/// Why a fact is not known, if the report says so.
pub(super) fn stated(report: &Report, subject: &str) -> Option<String> {
    let mut unknown = report.environment.unknown.iter();
    let found = unknown.find(|unknown| unknown.subject == subject)?;
    Some(format!("{subject}: {}", found.reason))
}

/// Why a fact is not known: the report's reason, or otherwise this one.
pub(super) fn why(report: &Report, subject: &str, otherwise: &str) -> String {
    stated(report, subject).unwrap_or(otherwise.into())
}

/// Whether the boot parameters are known, so that what is not among them is not set.
pub(super) fn parameters_known(report: &Report) -> bool {
    let env = &report.environment;
    !env.parameters.is_empty()
        || (env.kernel.is_some() && stated(report, "boot parameters").is_none())
}

/// Why what the TSC can do is not known.
pub(super) fn unknown_tsc(report: &Report) -> String {
    why(report, "TSC", UNKNOWN_CPU)
}

pub(super) fn clock_source(report: &Report) -> Result<&str, String> {
    let known = source(&report.environment);
    let otherwise = "the kernel's clock source is not known";
    known.ok_or_else(|| why(report, "clock source", otherwise))
}

pub(super) fn vdso(report: &Report) -> Result<bool, String> {
    let vdso = report.environment.vdso.as_ref();
    let otherwise = "the vDSO was not looked for";
    vdso.map(|vdso| vdso.present).ok_or_else(|| why(report, "vdso", otherwise))
}

/// What adjtimex(2) returned.
pub(super) fn adjtimex(report: &Report) -> Result<Adjtimex, String> {
    let answer = report.environment.keeping.as_ref().and_then(|keeping| keeping.adjtimex);
    let otherwise = "the kernel was not asked, or gave no answer";
    answer.ok_or_else(|| why(report, "discipline", otherwise))
}

/// Whether a process ran on the machine and looked: texts alone do not say what it would meet.
pub(super) fn asked(report: &Report) -> Result<(), String> {
    let env = &report.environment;
    let looked = env.vdso.is_some() || env.c_library.is_some() || !report.clocks.is_empty();
    looked.then_some(()).ok_or_else(|| why(report, "C library", "no process looked at it there"))
}

/// Whether something was measured, so that what is found before and after could differ.
pub(super) fn ran(report: &Report) -> Result<(), &'static str> {
    let run = &report.run;
    let ran = run.quick || run.moved.is_some() || !run.changed.is_empty();
    let measured = report.ruler.is_some() || !report.waits.is_empty() || report.trust.is_some();
    (ran || measured).then_some(()).ok_or("nothing was measured, so nothing was looked at twice")
}

pub(super) fn costs(report: &Report) -> Result<(), &'static str> {
    let timed = report.clocks.iter().any(|clock| clock.read_ns().is_some());
    timed.then_some(()).ok_or("no clock was measured")
}

pub(super) fn ruler(report: &Report) -> Result<&Ruler, &'static str> {
    report.ruler.as_ref().ok_or("nothing was measured")
}

pub(super) fn trust(report: &Report) -> Result<&Trust, &'static str> {
    report.trust.as_ref().ok_or("the clocks were not watched for a while")
}

/// Whether the system's clocks were compared before and after the run, or in between.
pub(super) fn moved(report: &Report) -> Result<(), &'static str> {
    let watched = report.trust.as_ref().is_some_and(|trust| trust.wall.is_some());
    let compared = watched || report.run.moved.is_some();
    compared.then_some(()).ok_or("the system's clocks were not compared before and after")
}

/// Whether the causes of late waits are known.
pub(super) fn reasons(report: &Report) -> Result<(), &'static str> {
    let known = report.waits.iter().any(|wait| wait.why.is_some());
    known.then_some(()).ok_or("no waits were measured with --why")
}

/// The same, if these sources were there: without one, the report says which setting hides it.
pub(super) fn reasons_from(report: &Report, sources: &[&str]) -> Result<(), String> {
    reasons(report)?;
    let notes = report.notes.iter().map(|note| (&note.id, &note.text));
    let unknown = report.environment.unknown.iter();
    let mut told = notes.chain(unknown.map(|unknown| (&unknown.subject, &unknown.reason)));
    let missing = |id: &str| id.strip_prefix("why-").is_some_and(|id| sources.contains(&id));
    told.find(|(id, _)| missing(id)).map_or(Ok(()), |(_, why)| Err(why.clone()))
}

/// `posix/monotonic costs 790 ns per read`
pub(super) fn cost_of_system_clock(report: &Report) -> Option<String> {
    let clock = system_clock(report)?;
    Some(format!("{} costs {} per read", clock.id, cost(clock)?))
}
