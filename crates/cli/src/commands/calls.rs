//! The mean of a million calls, the mean of ten, and a single call, in three passes.

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_survey::Spec;
pub use chronoscope_survey::spec::CallSpec as Args;

pub const EXAMPLES: Examples = [
    ("chronoscope calls", "A million, ten, and one call of the usual clock."),
    ("chronoscope calls posix/realtime --cpu 1", "The same for the wall clock, on CPU 1."),
    (
        "chronoscope calls --load normal,print",
        "What a busy machine changes, and what printing does.",
    ),
];

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Calls(self), Screen::Calls)
    }
}
