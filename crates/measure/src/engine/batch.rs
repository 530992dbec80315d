//! The words of the engine: what a batch is, what a gauge is, and what a process is asked for and
//! answers when it makes rounds of batches. This file imports nothing of the engine.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Which cost a batch measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// Independent reads, back to back.
    Throughput,
    /// Each read begins after the one before has completed.
    Latency,
    /// Caches and branch history are displaced before the batch.
    Cold,
}

impl Mode {
    /// The name of this mode in requests to the probe of a runtime.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Latency => "latency",
            Self::Cold => "cold",
        }
    }
}

/// A timed batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Ticks of the ruler.
    pub ticks: u64,
    /// Whether a context switch, a migration or steal interrupted the batch.
    pub disturbed: bool,
}

/// A batch that nothing is known about: it counts as disturbed, and so towards no figure.
pub(crate) const LOST: Batch = Batch { ticks: 0, disturbed: true };

/// What a gauge adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additions {
    /// A chain, in which each addition waits for the one before. The core performs one per cycle,
    /// so a chain measures the core's frequency at that moment.
    Dependent,
    /// More chains than the core can serve at once, so they measure its execution units, which the
    /// core may share with another hardware thread.
    Independent,
}

/// Additions, timed by the ruler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The duration of the additions.
    pub batch: Batch,
    /// How many there were.
    pub additions: u64,
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

/// One cost of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The subject.
    pub subject: usize,
    /// Which cost.
    pub mode: Mode,
    /// The reads of a batch.
    pub reads: u64,
}

/// What one process is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The series, each of which contributes one batch to every round.
    pub series: Vec<Wanted>,
    /// The subject whose empty batch gives the cost of the ruler.
    pub empty: usize,
    /// The time for all rounds.
    pub budget: Duration,
    /// Rounds to make even if the time is over.
    pub least: u32,
    /// Rounds to make at most.
    pub most: u32,
    /// The seed of the random order.
    pub seed: u64,
    /// Which copy of the loops to use (`Bench::use_copy`), if the process can choose.
    pub copy: usize,
}

/// What one round found out about the core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Whether the hypervisor took time from the CPU.
    pub stolen: bool,
    /// Core cycles per tick of the ruler, from a chain of dependent additions; absent if that
    /// cannot be determined.
    pub pace: Option<f64>,
    /// The time of an independent addition, as a share of a dependent one: the largest of the
    /// round. Absent if that cannot be determined.
    pub width: Option<f64>,
}

/// The samples of one process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sampled {
    /// The cost of the ruler and of the call of a batch, in ticks.
    pub ruler_ticks: f64,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The ticks of each series' batches, one per round; absent if the batch was disturbed.
    pub ticks: Vec<Vec<Option<u64>>>,
}

/// Works for this many iterations of about one cycle each.
#[inline]
pub fn spin(iterations: u32) {
    for iteration in 0..iterations {
        std::hint::black_box(iteration);
    }
}
