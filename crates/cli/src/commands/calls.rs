//! The mean of a million calls, of ten, and one alone, in three passes.

use super::measuring;
use crate::context::{Context, NothingToMeasure};
use crate::finish::finish;
use crate::select;
use chronoscope_measure::calls;
use chronoscope_model::run::Noise;
use chronoscope_report::text;
use std::process::ExitCode;

/// `chronoscope calls`
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    #[arg(default_value = DEFAULT)]
    id: String,
}

/// The best portable clock of the system at hand.
const DEFAULT: &str = if cfg!(windows) {
    "windows/qpc"
} else {
    "posix/monotonic"
};

/// Calls one clock; nothing is printed until all is done.
///
/// # Errors
/// An unknown id; a clock that cannot be read here; an output that could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let entry = select::clock(&args.id)?;
    let mut report = context.report();
    let mut session = measuring::session(context, &report.environment, &[entry])?;
    let specs = session.specs.clone();
    let longest = context.global.budget.map(|budget| context.left_of(budget));
    match calls::measure(&mut session.machine, &specs, 0, longest) {
        Some(found) => report.calls.push(found),
        None if context.interrupted() => {}
        None => {
            return Err(
                NothingToMeasure(format!("{} counts in no fixed unit of time", entry.id)).into(),
            );
        }
    }
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    finish(context, report, text::calls::render)
}
