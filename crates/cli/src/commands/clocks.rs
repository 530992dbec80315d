//! What does each clock cost, and what is its resolution?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_probes::clocks;
use chronoscope_survey::Spec;
pub use chronoscope_survey::spec::ClockSpec as Args;

pub const EXAMPLES: Examples = [
    ("chronoscope clocks posix/monotonic rust/instant", "Two clocks side by side."),
    (
        "chronoscope clocks linux '*/*coarse*' --budget 3s",
        "Those of Linux, and every coarse one, in 3 s.",
    ),
    (
        "chronoscope clocks c/time --calls 10M --load normal",
        "Ten million real calls, undisturbed and under load.",
    ),
];

impl Run for Args {
    fn task(self, context: &Context) -> anyhow::Result<Task> {
        let without_peers = self.peers && !clocks::WITH_PEERS;
        let task = Task::measure(Spec::Clocks(self), Screen::Clocks)?;
        if without_peers {
            context.warn(
                "--peers: this build does not include other libraries; build with --features peers",
            );
        }
        Ok(task)
    }
}
