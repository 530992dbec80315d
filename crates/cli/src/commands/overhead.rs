//! What does timing add to my loop?

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use crate::progress::Progress;
use crate::select;
use chronoscope_measure::overhead::{self, DEFAULTS};
use chronoscope_model::run::Noise;
use chronoscope_model::units;
use chronoscope_report::text;
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope overhead`
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    #[arg(default_value = "rust/instant")]
    id: String,
    /// Samples to take.
    #[arg(value_parser = units::parse_count, allow_negative_numbers = true, default_value_t = DEFAULTS[0])]
    samples: u64,
    /// Turns of the loop in a sample.
    #[arg(value_parser = units::parse_count, allow_negative_numbers = true, default_value_t = DEFAULTS[1])]
    n: u64,
    /// Integers summed in a turn.
    #[arg(value_parser = integers, allow_negative_numbers = true, default_value_t = DEFAULTS[2])]
    m: u64,
}

/// Enough for the defaults on a slow machine; `--budget` takes its place.
const BUDGET: Duration = Duration::from_secs(60);
/// 8 MB of integers.
const MOST_INTEGERS: u64 = 1_000_000;

fn integers(text: &str) -> Result<u64, String> {
    let count = units::parse_count(text).map_err(|error| error.to_string())?;
    if count > MOST_INTEGERS {
        Err(format!(
            "at most {MOST_INTEGERS} integers are summed in a turn"
        ))
    } else {
        Ok(count)
    }
}

/// Times a real loop with and without the clock around each turn.
///
/// # Errors
/// An unknown id; a clock that cannot be read here; an output that could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let entry = select::clock(&args.id)?;
    let mut report = context.report();
    let mut session = measuring::session(context, &report.environment, &[entry])?;
    let specs = session.specs.clone();
    let progress = Progress::new(context);
    let mut rng = fastrand::Rng::with_seed(context.seed);
    let shape = [args.samples, args.n, args.m];
    let found = overhead::measure(
        &mut session.machine,
        &specs,
        0,
        shape,
        context.budget(BUDGET),
        &mut rng,
        |done| {
            progress.show("overhead", done);
        },
    );
    drop(progress);
    report.overhead.extend(found);
    report.ruler = Some(session.ruler(0.0, Noise::default()));
    finish(context, report, text::overhead::render)
}
