//! Which clock or wait should I use, with code.

use super::{Examples, Run};
use crate::code::Code;
use crate::context::Context;
use crate::error::Usage;
use crate::finish::finish;
use crate::input;
use crate::progress::Progress;
use crate::uses::{Makes, Uses};
use crate::view::View;
use chronoscope_diagnose::advise::{self, Basis, PURPOSES, Purpose};
use chronoscope_diagnose::in_language;
use chronoscope_model::runtimes::Runtime;
use chronoscope_model::{Advice, Note, Report};
use chronoscope_report::section;
use chronoscope_survey::Survey;
use chronoscope_survey::select::unknown;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope advise --for interval", "The clock for durations in one process, in C."),
    ("chronoscope advise --language python", "Code in Python for every purpose of clocks."),
    (
        "chronoscope advise --from run.json --language all",
        "From a stored report, in every language.",
    ),
];

/// Which clock or wait should I use, with code.
#[derive(clap::Args)]
pub struct Args {
    /// The purpose; see chronoscope list purposes. Default: every purpose of clocks.
    #[arg(long = "for", value_name = "PURPOSE")]
    purpose: Option<String>,
    /// The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C.
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Also measure the runtimes of that language, and name its best calls here.
    #[arg(long, requires = "language", conflicts_with = "from")]
    runtimes: bool,
    /// Advise from an existing report instead of measuring.
    #[arg(long, value_name = "REPORT.json")]
    from: Option<PathBuf>,
}

impl Run for Args {
    fn uses(&self) -> Uses {
        let purpose = self.purpose.as_deref().and_then(advise::find);
        if self.from.is_some() {
            return Uses {
                findings: true,
                verbose: true,
                makes: Makes::Distributions,
                ..Uses::showing("advise --from")
            };
        }
        match purpose.map(Purpose::basis) {
            Some(Basis::Waits) => {
                Uses { makes: Makes::Distributions, ..Uses::measuring("advise --for wait") }
            }
            Some(Basis::Clocks) | None => Uses::measuring("advise"),
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let purpose = self.purpose.as_deref().map(purpose).transpose()?;
        let asked = self.language.as_deref().map(Code::named).transpose()?;
        let code = match asked {
            Some(code) => code,
            None => Code::usual(context.global.verbose)?,
        };
        let wanted = |id: &str| purpose.is_none_or(|purpose| purpose.id() == id);
        let mut report = match &self.from {
            Some(path) => from_report(path, purpose, code, context)?,
            None => {
                let progress = Progress::new(context);
                let survey = context.survey(Survey::advice(purpose));
                let mut report = survey.progress(|state| progress.show(state)).run()?;
                if self.runtimes {
                    add_runtimes(&mut report, code, context)?;
                }
                report.advice.extend(of_runtimes(&report, code));
                report
            }
        };
        report.advice.retain(|advice| wanted(&advice.purpose));
        if purpose.is_none() && report.waits.is_empty() {
            report.notes.push(Note {
                id: "waits-not-measured".into(),
                about: Some("waits".into()),
                text: "no waits were measured, so there is no advice on them".into(),
                fix: "chronoscope advise --for wait".into(),
            });
        }
        if let Some(code) = asked {
            // What was asked for is left out of the report too; otherwise only screens are short.
            code.retain(&mut report);
        }
        let view = View::Section(&section::advice::SECTION);
        finish(context, report, |report| view.draw(report, code, context))
    }
}

/// The purpose with this id.
fn purpose(wanted: &str) -> anyhow::Result<&'static Purpose> {
    let ids = PURPOSES.iter().map(|purpose| purpose.id());
    let found = advise::find(wanted);
    Ok(found.ok_or_else(|| chronoscope_survey::Error::from(unknown("purpose", ids, wanted)))?)
}

/// Measures the runtimes of a language, or of all of them, and adds them to the report.
fn add_runtimes(report: &mut Report, code: Code, context: &Context) -> anyhow::Result<()> {
    let wanted = |language: &str| match code {
        Code::All => true,
        Code::In(one) => one == language,
    };
    let all = chronoscope_runtimes::ALL.iter();
    let ids = all.filter(|runtime| wanted(runtime.language));
    let ids: Vec<String> = ids.map(|runtime| runtime.id.to_owned()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let progress = Progress::new(context);
    let survey = context.survey(Survey::runtimes(&ids, &[])?);
    let more = survey.progress(|state| progress.show(state)).run()?;
    report.runtimes = more.runtimes;
    if !report.runtimes.iter().any(Runtime::is_measured_elsewhere) {
        let reasons = report.runtimes.iter().filter_map(|one| {
            let why = one.reason.as_ref()?;
            Some(format!("{}: {why}", one.id))
        });
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
    context: &Context,
) -> Result<Report, Usage> {
    let mut report = input::report(path)?;
    let refuse = |what: String| Err(Usage(format!("{}: {what}", path.display())));
    report.advice = advise::advise(&report);
    report.advice.extend(of_runtimes(&report, code));
    let wanted = |id: &str| purpose.is_none_or(|purpose| purpose.id() == id);
    if !report.advice.iter().any(|advice| wanted(&advice.purpose)) {
        let (what, how) = match purpose.map(Purpose::basis) {
            Some(Basis::Waits) => ("no waits", "chronoscope waits"),
            Some(Basis::Clocks) => ("no clocks", "chronoscope clocks"),
            None => ("neither clocks nor waits", "chronoscope"),
        };
        return refuse(format!(
            "it has {what} to advise from; `{how} --export json=PATH` writes a report that has"
        ));
    }
    let mut exports = context.global.export.iter();
    let none = section::distributions(&report).is_empty();
    match exports.find(|export| export.format.distributions_only && none) {
        Some(export) => {
            refuse(format!("it has no waits, and {} holds nothing else", export.format.id))
        }
        None => Ok(report),
    }
}
