//! Which clock or wait should I use, and what is the code?

use crate::code::Code;
use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::options::Export;
use crate::screen::Screen;
use crate::task::{Examples, Job, Measure, Run, Task};
use chronoscope_diagnose::advise::{self, Basis, PURPOSES, Purpose};
use chronoscope_diagnose::in_language;
use chronoscope_model::advice::{Goal, WaitChoice};
use chronoscope_model::runtimes::Runtime;
use chronoscope_model::units::{parse_duration, short_ns};
use chronoscope_model::{Advice, Note, Report};
use chronoscope_report::section;
use chronoscope_survey::select::unknown;
use chronoscope_survey::spec::{RuntimeSpec, Spec};
use chronoscope_survey::{Advice as Request, Error, Survey};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub const EXAMPLES: Examples = [
    ("chronoscope advise --for interval", "The clock for durations in one process, in C."),
    ("chronoscope advise --wait 1ms --language python", "How to wait for 1 ms, in Python."),
    (
        "chronoscope advise --from run.json --language all",
        "From a stored report, in every language.",
    ),
];

/// Which clock or wait should I use, and what is the code?
#[derive(clap::Args)]
pub struct Args {
    /// The purpose; see chronoscope list purposes. Default: every purpose of clocks.
    #[arg(long = "for", value_name = "PURPOSE")]
    purpose: Option<String>,
    /// A duration to wait for, such as 1ms; without a unit, milliseconds. Implies --for wait.
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    wait: Option<String>,
    /// What a wait should have least of: overshoot, CPU time, or overshoot under load. Default:
    /// each of them, and code for a wait that wastes no CPU time. Implies --for wait.
    #[arg(long)]
    goal: Option<Goal>,
    /// The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C.
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Also measure the runtimes of that language, and name its best calls on this machine.
    #[arg(long, requires = "language", conflicts_with = "from")]
    runtimes: bool,
    /// Advise from an existing report instead of measuring.
    #[arg(long, value_name = "REPORT.json", conflicts_with_all = ["budget", "cpu", "seed"])]
    from: Option<PathBuf>,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let mut purpose = self.purpose.as_deref().map(purpose).transpose()?;
        let goal = self.goal;
        let parsed = |text| parse_duration(text).map_err(|error| Usage(format!("--wait: {error}")));
        let duration = self.wait.as_deref().map(parsed).transpose()?;
        let wait = duration.map(|wait| u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX));
        if wait.is_some() || goal.is_some() {
            match purpose.map(|purpose| (purpose.basis(), purpose.id())) {
                Some((Basis::Clocks, id)) => {
                    return Err(Usage(format!("--wait and --goal do not apply to {id}")).into());
                }
                _ => purpose = PURPOSES.iter().copied().find(|it| it.basis() == Basis::Waits),
            }
        }
        let asked = self.language.as_deref().map(Code::named).transpose()?;
        let code = asked.map_or_else(|| Code::usual(context.options.verbose), Ok)?;
        let job = match &self.from {
            Some(path) => {
                let report = from_report(path, purpose, code, &context.options.output.export)?;
                known(path, &report, wait, goal)?;
                Job::stored(report, Screen::Advise)
            }
            None => {
                let request = match purpose.map(Purpose::basis) {
                    Some(Basis::Waits) => Request::waits(duration),
                    _ => Request::of(purpose),
                };
                Job::survey(Survey::new(request), Screen::Advise)
            }
        };
        let amend = move |report: &mut Report, measure: &Measure| {
            if self.runtimes {
                add_runtimes(report, code, measure)?;
            }
            if self.from.is_none() {
                report.advice.extend(of_runtimes(report, code));
            }
            report.advice.retain(|it| is_for(purpose, it) && is_of(wait, goal, it));
            if purpose.is_none() && report.waits.is_empty() {
                report.notes.push(Note {
                    id: "waits-not-measured".into(),
                    about: Some("waits".into()),
                    text: "no waits were measured, so there is no advice on them".into(),
                    fix: "chronoscope advise --for wait".into(),
                });
            }
            if let Some(code) = asked {
                // What was asked for is left out of the report too; otherwise only screens are
                // short.
                code.retain(report);
            }
            Ok(())
        };
        let distributions = purpose.is_some_and(|purpose| purpose.basis() == Basis::Waits);
        Ok(Job { code, distributions, amend: Some(Box::new(amend)), ..job }.into())
    }
}

fn purpose(wanted: &str) -> Result<&'static Purpose, Error> {
    let ids = PURPOSES.iter().map(|purpose| purpose.id());
    advise::find(wanted).ok_or_else(|| unknown("purpose", ids, wanted))
}

fn is_for(purpose: Option<&Purpose>, advice: &Advice) -> bool {
    purpose.is_none_or(|purpose| purpose.id() == advice.purpose)
}

/// Whether advice is on waits for this duration and this goal.
fn is_of(wait: Option<u64>, goal: Option<Goal>, advice: &Advice) -> bool {
    let is = |of: &WaitChoice| {
        wait.is_none_or(|ns| ns == of.requested_ns) && goal.is_none_or(|goal| goal == of.goal)
    };
    wait.is_none() && goal.is_none() || advice.wait.as_ref().is_some_and(is)
}

/// Refuses a duration or a goal for which a report has no waits, and names those next to it.
fn known(path: &Path, report: &Report, wait: Option<u64>, goal: Option<Goal>) -> Result<(), Usage> {
    let is = |advice: &Advice| is_of(wait, goal, advice);
    if wait.is_none() && goal.is_none() || report.advice.iter().any(is) {
        return Ok(());
    }
    let missing = |what: String| Err(Usage(format!("{}: it has no waits {what}", path.display())));
    let of_goal = report.advice.iter().filter(|advice| is_of(None, goal, advice));
    let durations = of_goal.filter_map(|advice| Some(advice.wait.as_ref()?.requested_ns));
    let durations: BTreeSet<u64> = durations.collect();
    let name = |ns: &u64| short_ns(*ns as f64);
    let Some(ns) = wait.filter(|_| !durations.is_empty()) else {
        return missing(
            "under a load; `chronoscope waits --load none,normal --export json=PATH` writes a \
             report that has"
                .into(),
        );
    };
    let nearest = [durations.range(..ns).next_back(), durations.range(ns..).next()];
    let nearest: Vec<String> = nearest.into_iter().flatten().map(name).collect();
    missing(format!("of {}; the nearest are of {}", name(&ns), nearest.join(" and ")))
}

/// Measures the runtimes of a language, or of all of them, and adds them to the report.
fn add_runtimes(report: &mut Report, code: Code, measure: &Measure) -> anyhow::Result<()> {
    let all = chronoscope_runtimes::ALL.iter();
    let wanted = all.filter(|one| matches!(code, Code::All) || code == Code::In(one.language));
    let ids: Vec<String> = wanted.map(|runtime| runtime.id.to_owned()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let spec = Spec::Runtimes(RuntimeSpec { ids, ..RuntimeSpec::default() });
    report.runtimes = measure(Survey::of(spec)?)?.runtimes;
    if !report.runtimes.iter().any(Runtime::is_measured_elsewhere) {
        let reasons = report.runtimes.iter();
        let reasons =
            reasons.filter_map(|one| Some(format!("{}: {}", one.id, one.reason.as_ref()?)));
        report.notes.push(Note {
            id: "no-runtime-measured".into(),
            about: Some("runtimes".into()),
            text: format!(
                "no runtime of that language could be measured ({})",
                reasons.collect::<Vec<_>>().join("; ")
            ),
            fix: "chronoscope list runtimes".into(),
        });
    }
    Ok(())
}

/// The advice that follows from the runtimes of a report.
fn of_runtimes(report: &Report, code: Code) -> Vec<Advice> {
    let languages: BTreeSet<&str> = match code {
        Code::All => report.runtimes.iter().map(|one| one.language.as_str()).collect(),
        Code::In(one) => [one].into(),
    };
    let all = languages.into_iter();
    all.flat_map(|language| in_language(report, language)).collect()
}

/// Reads a report, and adds the advice that follows from its contents.
fn from_report(
    path: &Path,
    purpose: Option<&Purpose>,
    code: Code,
    exports: &[Export],
) -> Result<Report, Usage> {
    let mut report = input::report(path)?;
    let refuse = |what: String| Err(Usage(format!("{}: {what}", path.display())));
    report.advice = advise::advise(&report);
    report.advice.extend(of_runtimes(&report, code));
    if !report.advice.iter().any(|advice| is_for(purpose, advice)) {
        let (what, how) = match purpose.map(Purpose::basis) {
            Some(Basis::Waits) => ("no waits", "chronoscope waits"),
            Some(Basis::Clocks) => ("no clocks", "chronoscope clocks"),
            None => ("neither clocks nor waits", "chronoscope"),
        };
        return refuse(format!(
            "it has {what} to advise from; `{how} --export json=PATH` writes a report that has"
        ));
    }
    let none = section::distributions(&report).is_empty();
    match exports.iter().find(|export| export.shape.distributions_only() && none) {
        Some(export) => {
            refuse(format!("it has no waits, and {} holds nothing else", export.shape.id()))
        }
        None => Ok(report),
    }
}
