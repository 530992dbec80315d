//! What do clocks cost under every clock source of the kernel?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_survey::Spec;
pub use chronoscope_survey::spec::SweepSpec as Args;

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

impl Run for Args {
    fn task(mut self, _: &Context) -> anyhow::Result<Task> {
        // The option without an id stands for all of them.
        if let Some(ids) = &mut self.runtimes {
            ids.retain(|id| !id.is_empty());
        }
        Task::measure(Spec::Sweep(self), Screen::Sweep)
    }
}
