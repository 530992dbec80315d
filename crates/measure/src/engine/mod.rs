//! The parts that all measurements share: a host to measure, a ruler to measure it with, a clock
//! for time limits, and rounds in random order.
//!
//! Here is what they all speak of: batches, gauges, the jobs of processes that make rounds of
//! batches, and their answers; subjects, with their readers; and the interface between the engine
//! and what it measures. The engine refers to subjects by number and asks a host to read them. The
//! real host is [`Machine`]; the host `Fake` has clocks, costs and disturbances that are all known.
//! A measurement names the parts of a host that it uses, one trait each.

pub mod children;
#[cfg(any(test, feature = "simulation"))]
#[path = "../../tests/simulation/fake.rs"]
pub mod fake;
pub mod machine;
pub mod notes;
pub mod ordering;
pub mod resolution;
pub mod rounds;
pub mod ruler;
pub mod sampling;
pub mod schedule;
pub mod serve;

use chronoscope_model::between::Between;
use chronoscope_model::clock::{Clock, Scope};
use chronoscope_model::trust::Online;
use chronoscope_probes::clocks::{self, Entry, Opening, Range, Reader, Unavailable, Unit};
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub use machine::Machine;
pub use ruler::{Ruler, RulerKind};
pub use schedule::{Interrupt, Time};

/// Adds an entry to a list of what happened in a run that may take days: the latest 256 are kept.
pub fn keep<T>(entries: &mut Vec<T>, entry: T) {
    entries.push(entry);
    let many = entries.len().saturating_sub(256);
    entries.drain(..many);
}

/// Adds an entry if other CPUs are online `now` than at the last look, if both are known.
pub fn keep_cpus(all: &mut Vec<Online>, last: &mut Option<String>, now: Option<String>, at_s: f64) {
    let Some(after) = now else { return };
    if let Some(before) = last.replace(after.clone()).filter(|before| *before != after) {
        keep(all, Online { at_s, before, after });
    }
}

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

/// A host with a ruler.
pub trait Timed: Time {
    /// Returns the ruler's value now, in ticks.
    fn ticks(&mut self) -> u64;

    /// Ticks of the ruler per second, as far as known.
    fn hz(&self) -> f64;

    /// Calibrates again, and returns the rate that follows from everything known so far.
    fn rate(&mut self) -> Rate;

    /// What each of its subjects is.
    fn specs(&self) -> &[Spec];

    /// Works for this many iterations of about one cycle, so that the reads before and after are
    /// that far apart.
    fn spin(&mut self, iterations: u32) {
        spin(iterations);
    }
}

/// A host that times batches of reads, and detects what disturbs whole rounds of them.
pub trait Batches: Timed {
    /// Times `reads` reads of a subject. With 0 reads, it times the cost of the ruler and of the
    /// call of an empty batch.
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch;

    /// Sets how many bytes of memory a cold batch walks first. With 0, the host frees the memory.
    fn displace(&mut self, bytes: usize);

    /// Ends a round: checks for disturbances that no single batch can show, and returns whether the
    /// round was disturbed.
    fn end_round(&mut self) -> bool;

    /// Measures how fast the core adds now; `None` if unknown.
    fn gauge(&mut self, what: Additions) -> Option<Gauge>;

    /// The fewest independent additions that an unshared core of this kind makes per cycle; `None`
    /// if unknown.
    fn least_width(&self) -> Option<f64>;

    /// What whole runs of this machine differ by.
    fn between(&self) -> Between;

    /// Whether other processes can make rounds.
    fn has_children(&self) -> bool;

    /// Makes the rounds of this job in another process; `None` if that fails or the user asked to
    /// stop.
    fn child_rounds(&mut self, job: &Job) -> Option<Sampled>;
}

/// A host that uses its clocks as programs do: for values, around work, and in new processes.
pub trait Values: Timed {
    /// Fills `out` with successive raw values of a subject.
    fn fill(&mut self, subject: usize, out: &mut [u64]);

    /// Reads one raw value of a subject.
    fn value(&mut self, subject: usize) -> u64 {
        let mut one = [0];
        self.fill(subject, &mut one);
        one[0]
    }

    /// Fills `out` like [`Values::fill`], and returns whether an interrupt entered the kernel
    /// meanwhile, if that can be determined.
    fn fill_watched(&mut self, subject: usize, out: &mut [u64]) -> Option<bool> {
        self.fill(subject, out);
        None
    }

    /// Makes `calls` calls after a first one, storing nothing, and returns the last raw value less
    /// the first.
    fn span(&mut self, subject: usize, calls: u64) -> u64;

    /// The most calls that a span can have.
    fn longest_span(&self) -> u64 {
        u64::MAX
    }

    /// Sums `v` `n` times, times each sum with the subject, and returns the ticks of the whole.
    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64;

    /// Makes these samples in another process; `None` if that fails or the user asked to stop.
    fn child_around(&mut self, job: &Around) -> Option<Pairs>;

    /// Makes the first read of a subject in a new process, and returns it in ticks of the ruler;
    /// `None` if no process could be started.
    fn first(&mut self, _subject: usize) -> Option<u64> {
        None
    }

    /// The instructions that this thread has executed in user mode; `None` if nothing counts them.
    fn instructions(&mut self) -> Option<u64> {
        None
    }
}

/// Converts a span to ticks of a host's ruler.
pub fn ticks(host: &impl Timed, span: Duration) -> u64 {
    (span.as_secs_f64() * host.hz()) as u64
}

#[derive(Clone, Debug)]
pub struct Spec {
    /// The row of the report, before anything is measured.
    pub row: Clock,
    /// The subject that is the same loop without a read.
    pub baseline: usize,
    /// How a raw value becomes time.
    pub unit: Unit,
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    pub range: Range,
}

impl Spec {
    /// Describes a subject with this row and reader. The caller arranges the subjects and sets the
    /// baseline.
    pub fn of(row: Clock, reader: &Reader) -> Self {
        let Reader { unit, nominal_ns, range, .. } = *reader;
        Self { row, baseline: 0, unit, nominal_ns, range }
    }

    /// Nanoseconds per raw unit, or `None` if the unit has no fixed length.
    pub fn ns_per_unit(&self, ruler_hz: f64) -> Option<f64> {
        match self.unit {
            Unit::Hz(hz) => Some(1e9 / hz),
            Unit::Counter => Some(1e9 / ruler_hz),
            Unit::Variable => None,
        }
    }
}

pub struct Offer {
    pub spec: Spec,
    /// What makes the batches. Every batch of a subject without a reader counts as disturbed.
    pub reader: Option<Reader>,
}

impl Offer {
    /// Offers a clock of the catalogue.
    ///
    /// # Errors
    /// The reason why the clock cannot be read on this machine.
    pub fn clock(entry: &Entry) -> Result<Self, Unavailable> {
        Ok(Self::opened(entry, entry.open(Opening::Checked)?))
    }

    /// Offers a clock of the catalogue, opened without reading it, for a child of a process that
    /// could read it.
    fn unread(entry: &'static Entry) -> Self {
        entry.open(Opening::Untouched).map_or_else(
            |_| Self { spec: Spec::of(row(entry), &clocks::empty(entry.language)), reader: None },
            |reader| Self::opened(entry, reader),
        )
    }

    pub fn opened(entry: &Entry, reader: Reader) -> Self {
        let row = Clock {
            kind: reader.kind,
            facts: Some(reader.facts),
            available: true,
            scope: Scope::from(reader.kind),
            ..row(entry)
        };
        Self { spec: Spec::of(row, &reader), reader: Some(reader) }
    }
}

fn row(entry: &Entry) -> Clock {
    Clock {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        facts: Some(entry.facts),
        alternative_to: entry.alternative_to.map(str::to_owned),
        common: entry.common,
        home: entry.home.into(),
        period: entry.period.and_then(|period| period()),
        scope: Scope::from(entry.kind),
        ..Clock::default()
    }
}

/// The row of a clock that cannot be read on this machine.
pub fn unavailable_row(entry: &Entry, reason: &str) -> Clock {
    Clock {
        available: false,
        unavailable_reason: Some(reason.into()),
        elsewhere: entry.is_on_other_system(),
        ..row(entry)
    }
}
