//! Which clock should I use, and the line of code.

use super::measuring;
use crate::context::{Context, NothingToMeasure};
use crate::finish::finish;
use crate::input;
use crate::select::{Usage, shown, unknown};
use chronoscope_diagnose::advise::{LANGUAGES, PURPOSES};
use chronoscope_diagnose::wait;
use chronoscope_measure::session::distrust;
use chronoscope_model::Report;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks;
use chronoscope_report::text;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope advise`
#[derive(clap::Args)]
pub struct Args {
    /// The purpose; all that clocks are for if absent. Waits are measured for 'wait' alone. See
    /// chronoscope list purposes.
    #[arg(long = "for", value_name = "PURPOSE")]
    purpose: Option<String>,
    /// The language of the line of code; all if absent.
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Advise from a report that was made before, instead of measuring.
    #[arg(long, value_name = "REPORT.json")]
    from: Option<PathBuf>,
}

impl Args {
    /// Whether it advises from a report, and measures nothing.
    pub fn reads(&self) -> bool {
        self.from.is_some()
    }

    /// Whether advice is asked for on that purpose.
    fn wants(&self, purpose: &str) -> bool {
        self.purpose
            .as_deref()
            .is_none_or(|wanted| wanted == purpose)
    }

    /// Whether it is waits that advice is asked for on.
    pub fn is_about_waits(&self) -> bool {
        self.purpose.as_deref() == Some(wait::PURPOSE)
    }
}

/// What advice there is for: the clocks' purposes, and waiting.
fn purposes() -> impl Iterator<Item = &'static str> {
    let clocks = PURPOSES.iter().map(|purpose| purpose.id);
    clocks.chain([wait::PURPOSE])
}

/// What waits are looked at under, for advice on them: loads that take no privilege.
const LOADS: [Load; 3] = [Load::None, Load::Low, Load::Normal];

const BUDGET: Duration = Duration::from_secs(4);

/// Measures the clocks in short, and says which one to use.
///
/// # Errors
/// An unknown purpose or language; a file that is no report, or holds nothing to advise from;
/// nothing could be measured; an output that could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    if let Some(purpose) = &args.purpose
        && !purposes().any(|known| known == purpose)
    {
        return Err(unknown("purpose", purposes(), purpose).into());
    }
    let language = args.language.as_deref().map(language).transpose()?;
    let mut report = match &args.from {
        Some(path) => input::report(path)?,
        None => context.report(),
    };
    match &args.from {
        Some(path) => from_report(path, &args, context, &mut report)?,
        None if args.is_about_waits() => waits(context, &mut report)?,
        None => measuring::all_about(
            context,
            &mut report,
            clocks::ALL,
            context.budget(BUDGET),
            None,
        )?,
    }
    report.advice.retain(|advice| args.wants(&advice.purpose));
    for advice in &mut report.advice {
        advice
            .code
            .retain(|known, _| language.is_none_or(|language| language == known));
    }
    finish(context, report, text::advise::render)
}

/// The language of that name.
fn language(wanted: &str) -> Result<&'static str, Usage> {
    let mut known = LANGUAGES.iter().copied();
    known
        .find(|known| known.eq_ignore_ascii_case(wanted))
        .ok_or_else(|| {
            Usage(format!(
                "no language '{}'; there are {}",
                shown(wanted),
                LANGUAGES.join(", ")
            ))
        })
}

/// Measures waits in short, and advises on them.
fn waits(context: &Context, report: &mut Report) -> anyhow::Result<()> {
    let budget = context.budget(BUDGET);
    let measured = chronoscope_measure::waits::glance(
        budget,
        &LOADS,
        context.global.cpu,
        distrust(&report.environment),
        context.seed,
        context.interrupt(),
    );
    let why = match measured {
        Ok(rows) => {
            report.waits = rows;
            String::new()
        }
        Err(why) => format!(" ({why})"),
    };
    report.advice = wait::advise(&report.waits, &report.environment);
    if report.advice.is_empty() && !context.interrupted() {
        return Err(NothingToMeasure(format!(
            "no wait to advise on could be measured within {budget:?}{why}: raise --budget"
        ))
        .into());
    }
    Ok(())
}

/// Advises from what a report holds; on what it does not hold, nothing is concluded.
fn from_report(
    path: &Path,
    args: &Args,
    context: &Context,
    report: &mut Report,
) -> Result<(), Usage> {
    let refuse = |what: String| Err(Usage(format!("{}: {what}", path.display())));
    report.advice = match report.clocks.is_empty() {
        true => Vec::new(),
        false => chronoscope_diagnose::advise(report),
    };
    let waiting = wait::advise(&report.waits, &report.environment);
    report.advice.extend(waiting);
    if !report.advice.iter().any(|a| args.wants(&a.purpose)) {
        let (what, how) = match &args.purpose {
            Some(_) if args.is_about_waits() => ("no waits", "chronoscope waits"),
            Some(_) => ("no clocks", "chronoscope clocks"),
            None => ("neither clocks nor waits", "chronoscope"),
        };
        return refuse(format!(
            "it has {what} to advise from; {how} --export json=PATH makes a report with them"
        ));
    }
    let mut exports = context.global.export.iter();
    let waitless = report.waits.iter().all(|wait| wait.samples == 0);
    match exports.find(|export| export.format.waits_alone && waitless) {
        Some(export) => refuse(format!(
            "it has no waits, and {} holds nothing else",
            export.format.id
        )),
        None => Ok(()),
    }
}
