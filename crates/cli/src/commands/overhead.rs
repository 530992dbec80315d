//! What does timing add to my loop?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_survey::Spec;
pub use chronoscope_survey::spec::OverheadSpec as Args;

pub const EXAMPLES: Examples = [
    ("chronoscope overhead", "What timing adds to a loop of the usual shape."),
    (
        "chronoscope overhead 1k 999 99 posix/monotonic",
        "1000 samples of 999 loops that sum 99 integers.",
    ),
    ("chronoscope overhead c/clock -v", "Another clock, with the machine and the noise."),
];

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Overhead(self), Screen::Overhead)
    }
}
