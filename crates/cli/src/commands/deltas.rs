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
    /// Reads to make.
    #[arg(long, value_name = "N", value_parser = units::parse_count, default_value_t = deltas::READS)]
    reads: u64,
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
    let found = deltas::measure(
        &mut session.machine,
        &specs,
        0,
        args.reads,
        deltas::NOTHING_TRIES,
    )
    .ok_or_else(|| NothingToMeasure(format!("{} counts in no fixed unit of time", entry.id)))?;
    report.deltas.push(found);
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    finish(context, report, text::deltas::render)
}
