//! What does each clock cost, and what is its resolution?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_model::units;
use chronoscope_probes::clocks;
use chronoscope_survey::{Clocks, select};

pub const EXAMPLES: Examples = [
    ("chronoscope clocks posix/monotonic rust/instant", "Two clocks side by side."),
    (
        "chronoscope clocks linux '*/*coarse*' --budget 3s",
        "Those of Linux, and every coarse one, in 3 s.",
    ),
    ("chronoscope clocks c/time --calls 10M", "How long ten million calls really take."),
];

/// What does each clock cost, and what is its resolution?
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of clocks: posix/monotonic, linux, '*/*coarse*'. Default: all.
    ids: Vec<String>,
    /// Actually make N calls of each clock, such as 10M, and show how long they took.
    #[arg(long, value_name = "N", value_parser = units::parse_count, allow_hyphen_values = true)]
    calls: Option<u64>,
    /// Include the clocks of other libraries (in builds with --features peers).
    #[arg(long)]
    peers: bool,
}

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let entries = select::clocks(&self.ids, self.peers)?;
        if self.peers && !clocks::WITH_PEERS {
            context.warn(
                "--peers: this build does not include other libraries; build with --features peers",
            );
        }
        Task::measure(Clocks { entries, calls: self.calls }, Screen::Clocks)
    }
}
