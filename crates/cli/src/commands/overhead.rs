//! What does timing add to my loop?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_model::units;
use chronoscope_survey::{OVERHEAD_SHAPE, Overhead, select};

pub const EXAMPLES: Examples = [
    ("chronoscope overhead", "What timing adds to a loop of the usual shape."),
    (
        "chronoscope overhead posix/monotonic 1k 999 99",
        "1000 samples of 999 loops that sum 99 integers.",
    ),
    ("chronoscope overhead c/clock -v", "Another clock, with the machine and the noise."),
];

/// What does timing add to my loop?
#[derive(clap::Args)]
pub struct Args {
    /// The clock's id.
    #[arg(default_value = "rust/instant")]
    id: String,
    /// Samples to take.
    #[arg(value_parser = units::parse_count, default_value_t = OVERHEAD_SHAPE[0])]
    #[arg(allow_negative_numbers = true)]
    samples: u64,
    /// Iterations of the loop per sample.
    #[arg(value_parser = units::parse_count, default_value_t = OVERHEAD_SHAPE[1])]
    #[arg(allow_negative_numbers = true)]
    n: u64,
    /// Integers summed in each iteration.
    #[arg(value_parser = integers, default_value_t = OVERHEAD_SHAPE[2])]
    #[arg(allow_negative_numbers = true)]
    m: u64,
}

/// 8 MB of integers.
const MOST_INTEGERS: u64 = 1_000_000;

fn integers(text: &str) -> Result<u64, String> {
    let count = units::parse_count(text).map_err(|error| error.to_string())?;
    if count > MOST_INTEGERS {
        Err(format!("an iteration sums at most {MOST_INTEGERS} integers"))
    } else {
        Ok(count)
    }
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let (entry, shape) = (select::clock(&self.id)?, [self.samples, self.n, self.m]);
        Task::measure(Overhead { entry, shape }, Screen::Overhead)
    }
}
