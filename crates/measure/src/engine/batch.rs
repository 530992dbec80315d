//! The vocabulary of the engine: batches, gauges, the jobs of processes that make rounds of
//! batches, and their answers. This file imports nothing of the engine.

use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// Independent reads, back to back.
    Throughput,
    /// Each read begins after the one before has completed.
    Latency,
    /// A read after the caches and the branch history were displaced.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// In ticks of the ruler.
    pub ticks: u64,
    /// Whether a context switch, a migration or steal interrupted the batch.
    pub disturbed: bool,
}

/// A batch about which nothing is known. It counts as disturbed, and so no figure includes it.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    pub batch: Batch,
    pub additions: u64,
}

/// The calibrated rate of the ruler.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Ticks per second.
    pub hz: f64,
    /// The bound on the relative error of `hz`, in parts per million.
    pub error_ppm: f64,
    /// Whether the ticks are those of the time-stamp counter.
    pub is_tsc: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    pub subject: usize,
    pub mode: Mode,
    pub reads: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The series. Each contributes one batch to every round.
    pub series: Vec<Wanted>,
    /// The subject whose empty batch gives the cost of the ruler.
    pub empty: usize,
    pub budget: Duration,
    /// The number of rounds to make even if the time is over.
    pub least: u32,
    /// The most rounds to make.
    pub most: u32,
    pub seed: u64,
    /// Which copy of the loops to use (`Bench::use_copy`), if the process can choose.
    pub copy: usize,
}

/// The samples to make of a loop around some work, without timing and with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Around {
    pub subject: usize,
    /// The subject whose loop reads no clock.
    pub baseline: usize,
    pub samples: u64,
    /// Iterations per sample, and integers summed in each.
    pub n: u64,
    pub m: u64,
    /// The iterations after which the two loops take turns.
    pub part: u64,
    pub budget: Duration,
    pub seed: u64,
    /// Which copy of the loops to use.
    pub copy: usize,
}

/// Samples of the two loops, without and with timing, in ticks per iteration.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pairs {
    pub taken: Vec<[f64; 2]>,
    /// Iterations of the only sample, if it ended before it was complete.
    pub cut_short: Option<u64>,
}

/// What one round showed about the core.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Round {
    /// Whether the hypervisor took time from the CPU.
    pub stolen: bool,
    /// Core cycles per tick of the ruler, from a chain of dependent additions; absent if unknown.
    pub pace: Option<f64>,
    /// The time of an independent addition, as a share of a dependent one: the largest of the
    /// round. Absent if unknown.
    pub width: Option<f64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sampled {
    /// The cost of the ruler and of calling a batch, in ticks.
    pub ruler_ticks: f64,
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
