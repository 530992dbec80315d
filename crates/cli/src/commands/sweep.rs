//! What do clocks cost under every clock source of the kernel?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_survey::{Sweep, select};

pub const EXAMPLES: Examples = [
    ("sudo chronoscope sweep", "The system's clocks under every clock source."),
    (
        "sudo chronoscope sweep posix/monotonic --budget 6s",
        "One clock, in 6 s for all sources together.",
    ),
    (
        "sudo chronoscope sweep --runtimes=java,python",
        "Also the clocks of two runtimes under every source.",
    ),
];

/// What do clocks cost under every clock source of the kernel?
///
/// Changes the kernel's clock source, which only root may do. The clock source is restored
/// afterwards, even if the run is stopped or killed: a second process waits for that. Meanwhile all
/// programs on the machine read their clocks more slowly.
#[derive(clap::Args)]
pub struct Args {
    /// Ids, prefixes or globs of clocks. Default: those that are built on the clock source.
    ids: Vec<String>,
    /// Also measure language runtimes under every clock source: these, or all. That takes
    /// about 30 s per source.
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "")]
    runtimes: Option<Vec<String>>,
}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let clocks = select::some_clocks(&self.ids)?;
        let runtimes = match self.runtimes {
            Some(mut ids) => {
                ids.retain(|id| !id.is_empty());
                select::runtimes(&ids, &[])?
            }
            None => Vec::new(),
        };
        Task::measure(Sweep::of(clocks, runtimes), Screen::Sweep)
    }
}
