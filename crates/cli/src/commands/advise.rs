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
use chronoscope_model::runtimes::Runtime;
use chronoscope_model::{Advice, Note, Report};
use chronoscope_report::section;
use chronoscope_survey::select::unknown;
use chronoscope_survey::spec::{RuntimeSpec, Spec};
use chronoscope_survey::{Advice as Request, Error, Survey};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub const EXAMPLES: Examples = [
    ("chronoscope advise --for interval", "The clock for durations in one process, in C."),
    ("chronoscope advise --language python", "Code in Python for every purpose of clocks."),
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
        let purpose = self.purpose.as_deref().map(purpose).transpose()?;
        let asked = self.language.as_deref().map(Code::named).transpose()?;
        let code = asked.map_or_else(|| Code::usual(context.options.verbose), Ok)?;
        let job = match &self.from {
            Some(path) => {
                let report = from_report(path, purpose, code, &context.options.output.export)?;
                Job::stored(report, Screen::Advise)
            }
            None => Job::survey(Survey::new(Request::of(purpose)), Screen::Advise),
        };
        let amend = move |report: &mut Report, measure: &Measure| {
            if self.runtimes {
                add_runtimes(report, code, measure)?;
            }
            if self.from.is_none() {
                report.advice.extend(of_runtimes(report, code));
            }
            report.advice.retain(|advice| is_for(purpose, advice));
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
    match exports.iter().find(|export| export.format.distributions_only && none) {
        Some(export) => {
            refuse(format!("it has no waits, and {} holds nothing else", export.format.id))
        }
        None => Ok(report),
    }
}
