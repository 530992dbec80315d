//! The border between the engine and what it measures. The engine knows subjects by number and
//! asks a [`Host`] to read them; the real host is [`Machine`](super::Machine), and
//! [`Fake`](super::fake::Fake) is one whose every clock, cost and disturbance is known.

use chronoscope_model::clock::{Kind, Language};
use chronoscope_probes::clocks::{Range, Unit};
use std::time::Duration;

/// Which question a batch answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Independent reads, back to back.
    Throughput,
    /// Each read begins when the one before has completed.
    Latency,
    /// Caches and branch history are displaced before the batch.
    Cold,
}

/// A timed batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Ticks of the ruler.
    pub ticks: u64,
    /// Something interrupted it: a context switch, a migration, steal.
    pub disturbed: bool,
}

/// A chain of additions, each of which waits for the one before, timed by the ruler: as the core
/// makes one in a cycle, it tells the core's frequency at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// What it took.
    pub batch: Batch,
    /// Cycles of the core.
    pub cycles: u64,
}

/// What the engine must know of a subject, besides how to read it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The clock's id.
    pub id: String,
    /// The call, as a user writes it.
    pub call: String,
    /// The language of the reader.
    pub language: Language,
    /// What the clock counts.
    pub kind: Kind,
    /// The subject that is the same loop without a read.
    pub baseline: usize,
    /// How a raw value becomes time.
    pub unit: Unit,
    /// What the API says of its resolution, in nanoseconds.
    pub nominal_ns: Option<f64>,
    /// How far a value reaches.
    pub range: Range,
}

impl Spec {
    /// Nanoseconds in one raw unit, or `None` where the unit changes its length.
    pub fn ns_per_unit(&self, ruler_hz: f64) -> Option<f64> {
        match self.unit {
            Unit::Hz(hz) => Some(1e9 / hz),
            Unit::Counter => Some(1e9 / ruler_hz),
            Unit::Variable => None,
        }
    }
}

/// The calibrated rate of the ruler.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Ticks per second.
    pub hz: f64,
    /// Bound on its relative error, in parts per million.
    pub error_ppm: f64,
    /// Whether the ticks are those of the time-stamp counter.
    pub is_tsc: bool,
}

/// What is measured, and the ruler beside it.
pub trait Host {
    /// Times `reads` reads of a subject. With 0 reads it times what the ruler and the call of an
    /// empty batch cost.
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch;

    /// Fills `out` with successive raw values of a subject.
    fn fill(&mut self, subject: usize, out: &mut [u64]);

    /// Sums `v` `n` times, each time timed by the subject, and returns the ticks that took.
    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64;

    /// The first read of a subject in a new process, in ticks of the ruler; `None` where no
    /// process could be started.
    fn first(&mut self, subject: usize) -> Option<u64>;

    /// Ticks of the ruler now, for limits of time. An iteration cap stands beside each.
    fn now(&mut self) -> u64;

    /// Ticks of the ruler in a second, as far as is known.
    fn hz(&self) -> f64;

    /// The rate by all that is known until now: calibrates anew.
    fn rate(&mut self) -> Rate;

    /// Sleeps.
    fn sleep(&mut self, duration: Duration);

    /// Called once a round: looks for disturbances that no single batch can see. Returns whether
    /// the round was disturbed.
    fn end_round(&mut self) -> bool;

    /// How fast the core runs now; `None` where that cannot be told.
    fn gauge(&mut self) -> Option<Gauge>;

    /// Whether the user asked to stop.
    fn interrupted(&self) -> bool;
}

/// Ticks of a host's ruler in a span.
pub fn ticks<H: Host>(host: &H, span: Duration) -> u64 {
    (span.as_secs_f64() * host.hz()) as u64
}

/// A limit of time with an iteration cap beside it, so that a ruler that stands still cannot hang
/// the tool.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    start: u64,
    ticks: u64,
    turns: u64,
}

impl Limit {
    /// A limit that begins now.
    pub fn new<H: Host>(host: &mut H, span: Duration, turns: u64) -> Self {
        Self {
            start: host.now(),
            ticks: ticks(host, span),
            turns,
        }
    }

    /// Counts one turn; whether the limit is reached, or the user asked to stop.
    pub fn reached<H: Host>(&mut self, host: &mut H) -> bool {
        if self.turns == 0 || host.interrupted() {
            return true;
        }
        self.turns -= 1;
        self.spent(host)
    }

    /// Whether the time is spent, or the user asked to stop. Counts no turn: the loop around it
    /// has a bound of its own.
    pub fn spent<H: Host>(&self, host: &mut H) -> bool {
        host.interrupted() || host.now().wrapping_sub(self.start) >= self.ticks
    }
}
