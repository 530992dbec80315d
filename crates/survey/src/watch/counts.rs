//! What the machine did, as it is counted once a second.

use chronoscope_measure::waits::{ClockWatch, Live};
use chronoscope_model::recording::{Machine, Pause};
use chronoscope_probes::machine::noise;
use chronoscope_probes::time::Instant;
use std::time::Duration;

/// How often the machine is described.
const SECOND: Duration = Duration::from_secs(1);

/// The time that a row has waited, and its CPU time, if known, in nanoseconds.
type Spent = (u64, Option<u64>);

/// What was counted since the machine was last described.
pub(super) struct Counts {
    /// The CPU of the waits.
    cpu: Option<usize>,
    at: Instant,
    clocks: ClockWatch,
    steal_ns: Option<u64>,
    spent: Vec<Spent>,
    /// That of threads that have ended.
    moved: u64,
    paused_ns: u64,
}

impl Counts {
    pub(super) fn new(cpu: Option<usize>) -> Self {
        Self {
            cpu,
            at: Instant::now(),
            clocks: ClockWatch::default(),
            steal_ns: noise::steal_ns(cpu),
            spent: Vec::new(),
            moved: 0,
            paused_ns: 0,
        }
    }

    /// Threads have begun to wait.
    pub(super) fn begin(&mut self, live: &Live) {
        self.spent = live.spent();
    }

    /// They are about to end.
    pub(super) fn end(&mut self, live: &Live) {
        self.moved += live.take_moved();
    }

    pub(super) fn pause(&mut self, pause: &Pause) {
        self.paused_ns += pause.until_ns.saturating_sub(pause.at_ns);
    }

    pub(super) fn is_due(&self) -> bool {
        self.at.elapsed() >= SECOND
    }

    /// Describes what the machine did since the last time; `rows` are measured, if any.
    pub(super) fn machine(&mut self, live: Option<&Live>, rows: usize, at_ns: u64) -> Machine {
        let (steal_ns, kept) = (noise::steal_ns(self.cpu), self.clocks.look());
        let spent = live.map(Live::spent);
        let cpu = match &spent {
            Some(spent) => self.spent.iter().zip(spent).map(|(a, b)| share(*a, *b)).collect(),
            None => vec![None; rows],
        };
        let grown = steal_ns.zip(self.steal_ns);
        let machine = Machine {
            at_ns,
            drift_ppm: kept.drift_ppm,
            steps: kept.steps,
            steal_ns: grown.map(|(after, before)| after.saturating_sub(before)),
            moved: self.moved + live.map_or(0, Live::take_moved),
            paused_ns: self.paused_ns,
            cpu,
        };
        self.spent = spent.unwrap_or_default();
        (self.steal_ns, self.at, self.moved, self.paused_ns) = (steal_ns, Instant::now(), 0, 0);
        machine
    }
}

/// The share of a CPU that a row took, by its waiting time and CPU time before and after.
fn share(before: Spent, after: Spent) -> Option<f64> {
    let passed = after.0.saturating_sub(before.0);
    let ran = after.1?.saturating_sub(before.1?);
    (passed > 0).then(|| (ran as f64 / passed as f64).min(1.0))
}
