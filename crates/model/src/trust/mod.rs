//! Whether the clocks of this machine can be trusted: do they go backwards, agree between CPUs,
//! keep their rate, and survive what happens to the machine meanwhile?

mod across;
mod host;
mod rate;
mod series;
mod wall;

pub use across::{Matrix, Offset, Pair};
pub use host::{Gap, Jump, Pause, Paused, Trap, VmClock, Watched};
pub use rate::{Outside, RateAgainst};
pub use series::{Anchor, Anchored, Course, Series};
pub use wall::{Slew, Step, StepSeen, Wall};

use crate::clock::{Backwards, Facts, Kind, Orders, Verdict};
use crate::comparison::Standing;
use serde::{Deserialize, Serialize};

/// What a run that watched the clocks for a while found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trust {
    /// How long the clocks were to be watched, in seconds.
    pub asked_s: f64,
    /// How long they have been watched, in seconds, without the gaps before a run was resumed.
    pub seconds: f64,
    /// What each clock did on one thread, between threads and under migration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clocks: Vec<Watch>,
    /// Whether the processor's counter agrees on all CPUs, read with fences on both sides.
    #[serde(default)]
    pub matrix: Matrix,
    /// The rate of each clock against each reference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<RateAgainst>,
    /// What outside the machine, or with another oscillator, could show a wrong rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    /// What happened to the wall clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
    /// Reads through the vDSO between two system calls for the same clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sandwiches: Vec<Sandwich>,
    /// What a read costs while several threads read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contention: Vec<Contention>,
    /// Whether something intercepts the reads of the counter or of the vDSO.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<Trap>,
    /// Pauses of the machine and jumps of its counter.
    #[serde(default)]
    pub watched: Watched,
    /// What was not tested, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How the clocks ran over the whole watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// Where the watch ended, for `--resume`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
}

impl Trust {
    /// Whether any rate was compared with something that has another oscillator; otherwise all
    /// clocks of the machine may be wrong alike.
    pub fn rate_is_verified(&self) -> bool {
        let independent = |rate: &RateAgainst| rate.standing == Standing::Independent;
        self.rates.iter().any(independent)
    }

    /// The watch on this clock.
    pub fn of(&self, id: &str) -> Option<&Watch> {
        self.clocks.iter().find(|watch| watch.id == id)
    }
}

/// What was not tested, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// What, in a few words.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What one clock did while it was watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Watch {
    /// The clock.
    pub id: String,
    /// What it counts.
    pub kind: Kind,
    /// What is known of it before it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// Why it cannot be read here; then nothing else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
    /// Successive reads on one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_thread: Option<Backwards>,
    /// Successive reads of a thread that was moved to another CPU between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrating: Option<Migrating>,
    /// Why no thread was moved, or no value handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_cpu: Option<String>,
    /// Values that threads on two CPUs handed to each other, over all pairs of CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<HandedAll>,
    /// Whether its value never changed while it was watched, or during a part of a resumed run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// The verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl Watch {
    /// What each test found, hand-overs last: reads that were compared with an earlier one, how
    /// many of them were smaller, and the furthest step back in nanoseconds.
    fn tests(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let one = self.one_thread.as_ref().map(|it| (it.tries, it.violations, it.worst_ns));
        let moved = self.migrating.as_ref().map(|it| (it.moves, it.backwards, it.worst_ns));
        let handed = self.handed.as_ref().map(|it| (it.turns, it.backwards, it.worst_ns));
        [one, moved, handed].into_iter().flatten()
    }

    /// How many reads were compared with an earlier one, in all tests.
    pub fn tries(&self) -> u64 {
        self.tests().fold(0, |sum, test| sum.saturating_add(test.0))
    }

    /// How many of them were smaller, in all tests.
    pub fn backwards(&self) -> u64 {
        self.tests().fold(0, |sum, test| sum.saturating_add(test.1))
    }

    /// The hand-overs, if the clock's reads are not ordered by design: the processor may take such
    /// a value early, so a step back says nothing about the clock.
    pub fn unordered(&self) -> Option<&HandedAll> {
        let orders = self.facts.map_or(Orders::Unknown, |facts| facts.orders);
        let unordered = matches!(orders, Orders::Nothing | Orders::Unknown);
        self.handed.as_ref().filter(|_| unordered)
    }

    /// What the tests found in which each read had to come after the one that it was compared with.
    pub fn ordered(&self) -> Backwards {
        let handed = usize::from(self.unordered().is_some());
        let all: Vec<_> = self.tests().collect();
        let ordered = &all[..all.len() - handed];
        Backwards {
            tries: ordered.iter().fold(0, |sum, test| sum.saturating_add(test.0)),
            violations: ordered.iter().fold(0, |sum, test| sum.saturating_add(test.1)),
            worst_ns: ordered.iter().fold(0.0, |worst, test| test.2.max(worst)),
        }
    }

    /// The furthest step back in all tests, in nanoseconds.
    pub fn worst_ns(&self) -> f64 {
        self.tests().fold(0.0, |worst, test| test.2.max(worst))
    }
}

/// Reads before and after a thread was moved to another CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Migrating {
    /// The CPUs that the thread visited.
    pub cpus: usize,
    /// How often it was moved, with a read right before and one right after.
    pub moves: u64,
    /// How often the value after the move was smaller.
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: f64,
}

/// Values of one clock that two threads handed to each other, over all pairs of CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandedAll {
    /// How many pairs of CPUs played.
    pub pairs: usize,
    /// How many values were handed over.
    pub turns: u64,
    /// The time that this took, in seconds.
    pub seconds: f64,
    /// How often the receiver then read a smaller value.
    pub backwards: u64,
    /// The furthest step back, in nanoseconds.
    pub worst_ns: f64,
    /// Between which CPUs the furthest step back was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_cpus: Option<[usize; 2]>,
    /// The slowest pair's hand-overs per second.
    pub slowest_per_second: f64,
}

/// Reads of a clock through the vDSO, each between two system calls for the same clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sandwich {
    /// The clock that is read through the vDSO.
    pub id: String,
    /// The system call for the same clock.
    pub system_call: String,
    /// How many sandwiches were made.
    pub tries: u64,
    /// How often the vDSO returned less than the system call before it.
    pub below: u64,
    /// How often the vDSO returned more than the system call after it.
    pub above: u64,
    /// How often the second system call returned less than the first.
    pub calls_backwards: u64,
    /// The furthest of the first two, in nanoseconds.
    pub worst_ns: f64,
}

impl Sandwich {
    /// Whether the vDSO returned a time that the system call contradicts.
    pub fn disagrees(&self) -> bool {
        self.below > 0 || self.above > 0
    }
}

/// What a read of one clock costs while several threads read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contention {
    /// The clock.
    pub id: String,
    /// The cost with each number of threads, ascending, from 1; each thread has a CPU of its own.
    pub points: Vec<Contended>,
}

impl Contention {
    /// By what factor a read is more expensive with the most threads than with one.
    pub fn factor(&self) -> Option<f64> {
        let (one, most) = (self.points.first()?, self.points.last()?);
        (one.threads == 1 && most.threads > 1 && one.ns > 0.0).then(|| most.ns / one.ns)
    }
}

/// The cost of a read with this many threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contended {
    /// Threads that read at the same time.
    pub threads: usize,
    /// The cost of a read, in nanoseconds: the median batch of the slowest thread, in the
    /// quickest of the measurements.
    pub ns: f64,
    /// A quarter of that thread's batches took less than this, in nanoseconds per read.
    pub low_ns: f64,
    /// A quarter of that thread's batches took more than this, in nanoseconds per read.
    pub high_ns: f64,
}
