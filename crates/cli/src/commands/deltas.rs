//! How far apart are two successive reads of a clock?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Run, Task};
use chronoscope_survey::Spec;
pub use chronoscope_survey::spec::DeltaSpec as Args;

pub const EXAMPLES: Examples = [
    (
        "chronoscope deltas posix/monotonic --load normal",
        "Successive reads, undisturbed and on a busy machine.",
    ),
    (
        "chronoscope deltas dotnet-mono/stopwatch --reads 10M",
        "Ten million reads of a clock in another language.",
    ),
    (
        "chronoscope deltas rust/instant --export csv=deltas.csv",
        "Every difference and its count, for a spreadsheet.",
    ),
];

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Task::measure(Spec::Deltas(self), Screen::Deltas)
    }
}
