//! What does each clock cost, and how fine is it?

use super::measuring;
use crate::context::Context;
use crate::finish::finish;
use crate::select;
use chronoscope_model::units;
use chronoscope_probes::clocks;
use chronoscope_report::text;
use std::process::ExitCode;
use std::time::Duration;

/// `chronoscope clocks`
#[derive(clap::Args)]
pub struct Args {
    /// Ids, beginnings of ids, or globs: posix/monotonic, linux, '*/*coarse*'. All if absent.
    ids: Vec<String>,
    /// Really make so many calls of each clock, and say how long they took.
    #[arg(long, value_name = "N", value_parser = units::parse_count, allow_hyphen_values = true)]
    calls: Option<u64>,
    /// The clocks of other libraries too; they are in builds with --features peers.
    #[arg(long)]
    peers: bool,
}

const BUDGET: Duration = Duration::from_secs(9);

/// Measures the clocks that are asked for.
///
/// # Errors
/// An unknown id; nothing could be measured; an output could not be written.
pub fn run(args: Args, context: &Context) -> anyhow::Result<ExitCode> {
    let entries = select::clocks(&args.ids, args.peers)?;
    if args.peers && !clocks::WITH_PEERS {
        context.warn(
            "--peers: this build is without other libraries; build with --features peers to have them measured",
        );
    }
    let mut report = context.report();
    measuring::all_about(
        context,
        &mut report,
        &entries,
        context.budget(BUDGET),
        args.calls,
    )?;
    finish(context, report, text::clocks::render)
}
