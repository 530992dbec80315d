//! A few methods in a second or two, for the screen that shows everything at once.

use super::plan::{Error, Plan};
use super::run::{Found, Hooks, run};
use crate::engine::time::Interrupt;
use chronoscope_model::waits::{Load, Slack};
use chronoscope_probes::waits::find;
use std::time::Duration;

/// The methods measured: a sleep in this language, a sleep until a deadline, a spin, and the
/// library's own wait.
const METHODS: [&str; 4] =
    ["rust/thread-sleep", "linux/clock_nanosleep-abs", "busy/monotonic", "chronoscope/wait"];
const DURATIONS: [Duration; 3] =
    [Duration::from_micros(100), Duration::from_millis(1), Duration::from_millis(10)];

/// Measures the rows that fit `budget`, which the loads share equally, on one CPU or wherever the
/// thread may run.
///
/// # Errors
/// The time does not suffice for one wait of each duration, or no thread could be started.
pub fn glance(
    budget: Duration,
    loads: &[Load],
    cpu: Option<usize>,
    distrust: Option<String>,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Found, Error> {
    let plan = Plan {
        methods: METHODS.iter().filter_map(|id| find(id)).collect(),
        slacks: vec![Slack::Default, Slack::Ns(1)],
        durations: DURATIONS.to_vec(),
        time: Some(budget / u32::try_from(loads.len()).unwrap_or(u32::MAX).max(1)),
        loads: loads.to_vec(),
        cpus: cpu.into_iter().collect(),
        seed,
        ..Plan::default()
    };
    let mut hooks = Hooks { interrupt, progress: &mut |_| {}, checkpoint: None };
    run(&plan, distrust, &mut hooks)
}
