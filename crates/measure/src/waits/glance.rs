//! A handful of methods in a second or two, for the screen that shows everything at once.

use super::plan::{Error, Plan};
use super::run::{Found, Hooks, run};
use crate::engine::time::Interrupt;
use chronoscope_model::waits::{Load, Slack};
use chronoscope_probes::waits::find;
use std::time::Duration;

/// What is looked at: the sleep of this language, the sleep until a moment, a spin, and the
/// library's own wait.
const METHODS: [&str; 4] = [
    "rust/thread-sleep",
    "linux/clock_nanosleep-abs",
    "busy/monotonic",
    "chronoscope/wait",
];
const DURATIONS: [Duration; 3] = [
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
];

/// The rows that can be had within `budget`, of which each load gets its share, on one processor or
/// wherever the thread may run.
///
/// # Errors
/// The time does not suffice for one wait of each duration; no thread could be started.
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
    let mut hooks = Hooks {
        interrupt,
        progress: &mut |_| {},
        checkpoint: None,
    };
    run(&plan, distrust, &mut hooks)
}
