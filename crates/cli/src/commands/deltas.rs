//! What lies between two reads in a row?

use super::measuring;
use crate::context::{Context, NothingToMeasure};
use crate::finish::finish;
use crate::select;
use chronoscope_measure::deltas;
use chronoscope_model::run::Noise;
use chronoscope_model::units;
use chronoscope_report::text;
use std::process::ExitCode;

/// `chronoscope deltas`
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    id: String,
    /// Reads to make, or as many of them as fit --budget.
    #[arg(long, value_name = "N", value_parser = reads, allow_hyphen_values = true, default_value_t = deltas::READS)]
    reads: u64,
}

fn reads(text: &str) -> Result<u64, String> {
    match units::parse_count(text) {
        Ok(1) => Err("it takes two reads for something to lie between them".into()),
        other => other.map_err(|error| error.to_string()),
    }
}

/// Reads one clock again and again.
///
/// # Errors
/// An unknown id; a clock that cannot be read here; an output that could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let entry = select::clock(&args.id)?;
    let mut report = context.report();
    let mut session = measuring::session(context, &report.environment, &[entry])?;
    let specs = session.specs.clone();
    let longest = context.global.budget.map(|budget| context.left_of(budget));
    let tries = deltas::NOTHING_TRIES;
    match deltas::measure(&mut session.machine, &specs, 0, args.reads, tries, longest) {
        Some(found) => report.deltas.push(found),
        None if context.interrupted() => {}
        None => {
            return Err(
                NothingToMeasure(format!("{} counts in no fixed unit of time", entry.id)).into(),
            );
        }
    }
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    finish(context, report, text::deltas::render)
}
