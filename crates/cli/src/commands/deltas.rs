//! How far apart are two successive reads of a clock?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_model::units;
use chronoscope_survey::{DELTA_READS, Deltas, select};

pub const EXAMPLES: Examples = [
    ("chronoscope deltas posix/monotonic", "What lies between two successive reads."),
    (
        "chronoscope deltas x86/rdtsc-asm --reads 10M",
        "The same, from ten million reads of the counter.",
    ),
    (
        "chronoscope deltas rust/instant --export csv=deltas.csv",
        "Every difference and its count, for a spreadsheet.",
    ),
];

/// How far apart are two successive reads of a clock?
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    id: String,
    /// How many reads to make, such as 10M; with --budget, as many of them as fit.
    #[arg(long, value_name = "N", value_parser = reads, default_value_t = DELTA_READS)]
    #[arg(allow_hyphen_values = true)]
    reads: u64,
}

fn reads(text: &str) -> Result<u64, String> {
    match units::parse_count(text) {
        Ok(1) => Err("it must be at least 2, because a difference needs two reads".into()),
        other => other.map_err(|error| error.to_string()),
    }
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let entry = select::clock(&self.id)?;
        Task::measure(Deltas { entry, reads: self.reads }, Screen::Deltas)
    }
}
