//! Which timer hardware, which kernel clock source, which hypervisor, and why?

use crate::context::Context;
use crate::screen::Screen;
use crate::task::{Examples, Job, Run, Task};
use chronoscope_survey::{Hardware, Survey};

pub const EXAMPLES: Examples = [
    ("chronoscope hardware", "Timers, clock source, hypervisor, and rdtsc."),
    ("chronoscope hardware -v", "Also the lines of the kernel's log about time."),
    ("chronoscope hardware --fail-on warning", "Exit with 1 if there is a problem, for a script."),
];

/// Which timers, which clock source of the kernel, which hypervisor?
#[derive(clap::Args)]
pub struct Args {}

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        Ok(Job::survey(Survey::new(Hardware), Screen::Hardware).into())
    }
}
