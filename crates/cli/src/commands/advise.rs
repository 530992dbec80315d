//! Which clock should I use, and the line of code.

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use crate::select::unknown;
use chronoscope_diagnose::advise::{LANGUAGES, PURPOSES};
use chronoscope_diagnose::wait;
use chronoscope_measure::session::distrust;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks;
use chronoscope_report::text;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope advise`
#[derive(clap::Args)]
pub struct Args {
    /// The purpose; all if absent. See chronoscope list purposes.
    #[arg(long = "for", value_name = "PURPOSE")]
    purpose: Option<String>,
    /// The language of the line of code; all if absent.
    #[arg(long, value_name = "LANG")]
    language: Option<String>,
    /// Advise from a report that was made before, instead of measuring.
    #[arg(long, value_name = "REPORT.json")]
    from: Option<PathBuf>,
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
/// An unknown purpose or language; a file that is no report; nothing could be measured.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    if let Some(purpose) = &args.purpose
        && !purposes().any(|known| known == purpose)
    {
        return Err(unknown("purpose", purposes(), purpose).into());
    }
    let language = match &args.language {
        None => None,
        Some(wanted) => Some(
            LANGUAGES
                .iter()
                .copied()
                .find(|known| known.eq_ignore_ascii_case(wanted))
                .ok_or_else(|| unknown("language", LANGUAGES.iter().copied(), wanted))?,
        ),
    };
    let mut report = context.report();
    match &args.from {
        Some(path) => {
            let bytes = std::fs::read(path)
                .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
            report = chronoscope_report::json::read(&bytes)
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            report.advice = chronoscope_diagnose::advise(&report);
            let waiting = wait::advise(&report.waits, &report.environment);
            report.advice.extend(waiting);
        }
        None if args.purpose.as_deref() == Some(wait::PURPOSE) => {
            report.waits = chronoscope_measure::waits::glance(
                context.budget(BUDGET),
                &LOADS,
                context.global.cpu,
                distrust(&report.environment),
                context.seed,
                context.interrupt(),
            );
            report.advice = wait::advise(&report.waits, &report.environment);
        }
        None => measuring::all_about(
            context,
            &mut report,
            clocks::ALL,
            context.budget(BUDGET),
            None,
        )?,
    }
    report.advice.retain(|advice| {
        args.purpose
            .as_ref()
            .is_none_or(|purpose| advice.purpose == *purpose)
    });
    for advice in &mut report.advice {
        advice
            .code
            .retain(|known, _| language.is_none_or(|language| language == known));
    }
    finish(context, report, text::advise::render)
}
