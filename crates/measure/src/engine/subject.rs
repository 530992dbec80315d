//! What is measured: something that answers requests for batches, and what the engine must know
//! about it. Batches can be made by this process ([`Local`]), by another one
//! ([`Remote`](super::remote::Remote)), or by anything else that implements [`Subject`].

use super::bench::Bench;
use super::host::{Batch, Mode};
use super::remote::LOST;
use chronoscope_model::clock::{Clock, Facts, Kind, Language, Scope};
use chronoscope_probes::clocks::{self, Entry, Opening, Range, Reader, Unavailable, Unit};

/// Something that makes batches.
pub trait Subject {
    /// Times `reads` reads.
    fn batch(&mut self, bench: &mut Bench, mode: Mode, reads: u64) -> Batch;

    /// Fills `out` with successive raw values.
    fn fill(&mut self, out: &mut [u64]);

    /// Makes `calls` calls after a first one, and returns the last raw value less the first.
    fn span(&mut self, calls: u64) -> u64;

    /// Sums `v` `n` times, each time between two reads that are subtracted, and returns the ticks
    /// of the whole.
    fn around(&mut self, bench: &mut Bench, n: u64, v: &[u64]) -> u64;

    /// The reader, if it is in this process.
    fn reader(&mut self) -> Option<&mut Reader> {
        None
    }
}

/// How often the loop runs without a read before a cold read. The second time costs 5 ns more than
/// a warm one, the third no more.
const REWARM: usize = 3;

/// A clock that is read in this process.
pub struct Local(pub Reader);

impl Local {
    /// Times independent reads. This is one piece of code, so that reading the clock warm and
    /// without a read warms up the very instructions that time a cold read.
    #[inline(never)]
    fn independent(&mut self, bench: &mut Bench, reads: u64) -> Batch {
        bench.time(|| self.0.throughput(reads))
    }
}

impl Subject for Local {
    fn batch(&mut self, bench: &mut Bench, mode: Mode, reads: u64) -> Batch {
        match mode {
            Mode::Throughput => self.independent(bench, reads),
            Mode::Latency => bench.time(|| self.0.latency(reads)),
            Mode::Cold => {
                bench.displace();
                // What times the read is cold as well. Its misses take ten times as long as the
                // read and overlap with it, so no subtraction would get rid of them. The loop
                // without a read makes it warm again.
                for _ in 0..REWARM {
                    self.independent(bench, 0);
                }
                self.independent(bench, reads)
            }
        }
    }

    fn fill(&mut self, out: &mut [u64]) {
        self.0.fill(out);
    }

    fn span(&mut self, calls: u64) -> u64 {
        self.0.span(calls)
    }

    fn around(&mut self, bench: &mut Bench, n: u64, v: &[u64]) -> u64 {
        bench
            .time(|| {
                std::hint::black_box(self.0.around(n, v));
            })
            .ticks
    }

    fn reader(&mut self) -> Option<&mut Reader> {
        Some(&mut self.0)
    }
}

/// A clock that this process cannot read.
struct Unreadable;

impl Subject for Unreadable {
    fn batch(&mut self, _: &mut Bench, _: Mode, _: u64) -> Batch {
        LOST
    }

    fn fill(&mut self, _: &mut [u64]) {}

    fn span(&mut self, _: u64) -> u64 {
        0
    }

    fn around(&mut self, _: &mut Bench, _: u64, _: &[u64]) -> u64 {
        0
    }
}

/// What the engine must know about a subject, apart from how to read it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The clock's id.
    pub id: String,
    /// The call, as a user writes it.
    pub call: String,
    /// The language of the code that reads it.
    pub language: Language,
    /// What the clock counts.
    pub kind: Kind,
    /// What is known of it before it is measured.
    pub facts: Facts,
    /// The id of the clock that it is another path to.
    pub alternative_to: Option<String>,
    /// The systems or processors that have it, in words.
    pub home: String,
    /// The subject that is the same loop without a read.
    pub baseline: usize,
    /// How a raw value becomes time.
    pub unit: Unit,
    /// The resolution that the API claims, in nanoseconds.
    pub nominal_ns: Option<f64>,
    /// The range of its values.
    pub range: Range,
}

impl Spec {
    /// The facts of an entry and of its reader on this machine. Whoever arranges the subjects sets
    /// the baseline.
    pub fn of(entry: &Entry, reader: &Reader) -> Self {
        Self {
            id: entry.id.into(),
            call: entry.call.into(),
            language: entry.language,
            kind: reader.kind,
            facts: reader.facts,
            alternative_to: entry.alternative_to.map(str::to_owned),
            home: entry.home.into(),
            baseline: 0,
            unit: reader.unit,
            nominal_ns: reader.nominal_ns,
            range: reader.range,
        }
    }

    /// Nanoseconds per raw unit, or `None` if the unit has no fixed length.
    pub fn ns_per_unit(&self, ruler_hz: f64) -> Option<f64> {
        match self.unit {
            Unit::Hz(hz) => Some(1e9 / hz),
            Unit::Counter => Some(1e9 / ruler_hz),
            Unit::Variable => None,
        }
    }

    /// Its row in the report, before anything was measured.
    pub fn row(&self) -> Clock {
        Clock {
            id: self.id.clone(),
            call: self.call.clone(),
            language: self.language,
            kind: self.kind,
            facts: Some(self.facts),
            alternative_to: self.alternative_to.clone(),
            home: self.home.clone(),
            available: true,
            scope: Scope::from(self.kind),
            ..Clock::default()
        }
    }
}

/// A subject together with what the engine must know about it.
pub struct Offer {
    /// What the engine must know.
    pub spec: Spec,
    /// What makes its batches.
    pub subject: Box<dyn Subject>,
}

impl Offer {
    /// A clock of the catalogue, read in this process.
    ///
    /// # Errors
    /// The reason why it cannot be read on this machine.
    pub fn clock(entry: &Entry) -> Result<Self, Unavailable> {
        Ok(Self::local(entry, entry.open(Opening::Checked)?))
    }

    /// A clock of the catalogue, opened without reading it, for a child of a process that could
    /// read it, with this copy of its loops. If it cannot be opened, every batch of it counts as
    /// disturbed.
    pub(super) fn unread(entry: &Entry, copy: usize) -> Self {
        match entry.open(Opening::Untouched) {
            Ok(reader) => Self::local(entry, reader.with_copy(copy)),
            Err(_) => Self {
                spec: Spec::of(entry, &clocks::empty(entry.language)),
                subject: Box::new(Unreadable),
            },
        }
    }

    /// An opened clock under an entry's name, read in this process.
    pub fn local(entry: &Entry, reader: Reader) -> Self {
        Self { spec: Spec::of(entry, &reader), subject: Box::new(Local(reader)) }
    }
}

/// The row of a clock that cannot be read on this machine.
pub fn unavailable_row(entry: &Entry, reason: &str) -> Clock {
    Clock {
        id: entry.id.into(),
        call: entry.call.into(),
        language: entry.language,
        kind: entry.kind,
        facts: Some(entry.facts),
        alternative_to: entry.alternative_to.map(str::to_owned),
        home: entry.home.into(),
        available: false,
        unavailable_reason: Some(reason.into()),
        elsewhere: entry.is_on_other_system(),
        scope: Scope::from(entry.kind),
        ..Clock::default()
    }
}
