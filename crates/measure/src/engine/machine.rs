//! The real host: this machine's clocks, timed by the ruler.

use super::batch::{Additions, Around, Batch, Gauge, Job, LOST, Mode, Pairs, Rate, Sampled};
use super::bench::Bench;
use super::children::{ChildJob, Children};
use super::gauges::Gauges;
use super::host::{Batches, Timed, Values};
use super::ruler::{Ruler, RulerKind};
use super::spec::{Offer, Spec};
use super::time::{Interrupt, RunClock, Time};
use crate::engine::load::rest_due;
use chronoscope_model::between::{Shares, WIDEST};
use chronoscope_model::clock::Clock;
use chronoscope_probes::clocks::{self, Count, Event, Facts, Kind, Language, Reader, steps};
use chronoscope_probes::machine::entered::Entered;
use chronoscope_probes::machine::noise;
use serde::{Serialize, de::DeserializeOwned};
use std::cell::OnceCell;
use std::time::Duration;

pub struct Machine {
    ruler: Ruler,
    bench: Bench,
    /// The reader of each subject; `None` if this process cannot read it.
    readers: Vec<Option<Reader>>,
    specs: Vec<Spec>,
    gauges: Option<Gauges>,
    children: Option<Children>,
    shares: Shares,
    /// Opened when first needed, so that nothing counts during the rounds; `None` inside if nothing
    /// counts here.
    instructions: OnceCell<Option<Count>>,
    /// Tested when first needed; `None` inside if this machine does not show it.
    entered: OnceCell<Option<Entered>>,
    clock: RunClock,
    interrupt: Interrupt,
    stolen: Stolen,
    /// When the thread last slept, if it has to now and then.
    rested: Option<Duration>,
}

impl Machine {
    /// Returns a host for these subjects. The empty loop of each language follows them.
    pub fn new(ruler: Ruler, offers: Vec<Offer>, interrupt: Interrupt) -> Self {
        const LANGUAGES: [Language; 3] = [Language::C, Language::Cxx, Language::Rust];
        let first_empty = offers.len();
        let empty = LANGUAGES.map(|language| {
            let reader = clocks::empty(language);
            let row = Clock {
                id: format!("empty/{}", language.name()),
                language,
                kind: Kind::Counter,
                facts: Some(Facts::default()),
                ..Clock::default()
            };
            Offer { spec: Spec::of(row, &reader), reader: Some(reader) }
        });
        let offers = offers.into_iter().chain(empty);
        let (mut specs, readers): (Vec<Spec>, _) =
            offers.map(|offer| (offer.spec, offer.reader)).unzip();
        for spec in &mut specs {
            let place = LANGUAGES.iter().position(|l| *l == spec.row.language);
            spec.baseline = first_empty + place.unwrap_or_default();
        }
        Self {
            bench: Bench::new(ruler.kind()),
            ruler,
            readers,
            specs,
            gauges: None,
            children: None,
            shares: WIDEST,
            instructions: OnceCell::new(),
            entered: OnceCell::new(),
            clock: RunClock::start(),
            interrupt,
            stolen: Stolen::now(),
            rested: None,
        }
    }

    /// Lets the thread sleep for a moment now and then, before it times anything, as a real-time
    /// thread must.
    pub fn with_rests(mut self) -> Self {
        self.rested = Some(Duration::ZERO);
        self
    }

    fn rest(&mut self) {
        if let Some(rested) = &mut self.rested
            && let Some(rest) = rest_due(self.clock.elapsed().saturating_sub(*rested))
        {
            chronoscope_probes::time::sleep(rest);
            *rested = self.clock.elapsed();
        }
    }

    /// Makes all reads of this process use this copy of the loops from now on.
    pub(crate) fn use_copy(&mut self, copy: usize) {
        self.bench.use_copy(copy);
    }

    /// Lets the host start children of this tool, for first reads.
    pub fn with_children(mut self, children: Children) -> Self {
        self.children = Some(children);
        self
    }

    /// Sets what whole runs of this machine differ by.
    pub fn with_shares(mut self, shares: Shares) -> Self {
        self.shares = shares;
        self
    }

    /// Lets a child do this job; `None` if it fails or the user asked to stop.
    fn let_child<J: Serialize, A: DeserializeOwned>(&self, job: &J, budget: Duration) -> Option<A> {
        let ids = self.specs.iter().map(|spec| spec.row.id.clone()).collect();
        let (cpu, gauges) = (self.bench.cpu(), self.gauges.is_some());
        let request = ChildJob { ids, cpu, gauges, job };
        let stop = || self.interrupt.is_set();
        self.children.as_ref()?.ask(&request, budget, self.ruler.kind(), &stop)
    }

    /// Lets the host measure how fast the core adds. An emulated core must not be gauged: it has no
    /// frequency and no neighbour.
    pub fn with_gauges(mut self) -> Self {
        self.gauges = Gauges::here();
        self
    }

    pub fn specs(&self) -> Vec<Spec> {
        self.specs.clone()
    }

    /// A subject's reader, if this process can read the subject.
    pub(super) fn reader(&mut self, subject: usize) -> Option<&mut Reader> {
        self.readers[subject].as_mut()
    }

    pub(super) fn id(&self, subject: usize) -> &str {
        &self.specs[subject].row.id
    }

    pub fn ruler(&self) -> &Ruler {
        &self.ruler
    }
}

/// The time that the hypervisor has taken from one CPU, without what other CPUs lost.
struct Stolen {
    cpu: Option<usize>,
    ns: Option<u64>,
}

impl Stolen {
    /// Reads the time taken from the CPU that this thread runs on. If that CPU is unknown, as in a
    /// container with its own numbering, returns the time taken from all of them.
    fn now() -> Self {
        let cpu = noise::current_cpu();
        Self { cpu, ns: noise::steal_ns(cpu).or_else(|| noise::steal_ns(None)) }
    }

    /// Returns whether more time was taken since `before`. If the thread moved, this cannot be
    /// determined, but its batches show the move.
    fn since(&self, before: &Self) -> bool {
        self.cpu == before.cpu && self.ns != before.ns
    }
}

impl Time for Machine {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn sleep(&mut self, duration: Duration) {
        chronoscope_probes::time::sleep(duration);
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}

impl Timed for Machine {
    fn ticks(&mut self) -> u64 {
        self.ruler.start()
    }

    fn hz(&self) -> f64 {
        self.ruler.hz()
    }

    fn rate(&mut self) -> Rate {
        self.ruler.recalibrate();
        Rate {
            hz: self.ruler.hz(),
            error_ppm: self.ruler.error_ppm(),
            is_tsc: cfg!(target_arch = "x86_64") && self.ruler.kind() != RulerKind::System,
        }
    }
}

impl Batches for Machine {
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch {
        self.rest();
        let Some(reader) = &mut self.readers[subject] else {
            return LOST;
        };
        match mode {
            Mode::Throughput => self.bench.independent(reader, reads),
            Mode::Latency => self.bench.dependent(reader, reads),
            Mode::Cold => self.bench.cold(reader, reads),
        }
    }

    fn displace(&mut self, bytes: usize) {
        self.bench.displace_with(bytes);
    }

    fn end_round(&mut self) -> bool {
        let before = std::mem::replace(&mut self.stolen, Stolen::now());
        self.stolen.since(&before)
    }

    fn gauge(&mut self, what: Additions) -> Option<Gauge> {
        let gauges = self.gauges.as_mut()?;
        Some(gauges.time(&mut self.bench, what))
    }

    fn least_width(&self) -> Option<f64> {
        steps::least_width()
    }

    fn shares(&self) -> Shares {
        self.shares
    }

    fn has_children(&self) -> bool {
        self.children.is_some()
    }

    fn child_rounds(&mut self, job: &Job) -> Option<Sampled> {
        let sampled: Sampled = self.let_child(job, job.budget)?;
        let rounds = sampled.rounds.len();
        let whole = sampled.ticks.len() == job.series.len()
            && sampled.ticks.iter().all(|ticks| ticks.len() == rounds);
        whole.then_some(sampled)
    }
}

impl Values for Machine {
    fn fill(&mut self, subject: usize, out: &mut [u64]) {
        self.rest();
        if let Some(reader) = &mut self.readers[subject] {
            reader.fill(out);
        }
    }

    fn fill_watched(&mut self, subject: usize, out: &mut [u64]) -> Option<bool> {
        self.entered.get_or_init(|| Entered::tested().ok());
        self.entered.get()?.as_ref().inspect(|it| it.set());
        self.fill(subject, out);
        self.entered.get()?.as_ref().map(|it| !it.stands())
    }

    fn span(&mut self, subject: usize, calls: u64) -> u64 {
        self.rest();
        self.reader(subject).map_or(0, |reader| reader.span(calls))
    }

    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64 {
        let Some(reader) = &mut self.readers[subject] else {
            return 0;
        };
        self.bench.around(reader, n, v).ticks
    }

    fn child_around(&mut self, job: &Around) -> Option<Pairs> {
        self.let_child(job, job.budget)
    }

    fn first(&mut self, subject: usize) -> Option<u64> {
        self.children.as_ref()?.first(self.id(subject), self.ruler.kind())
    }

    fn instructions(&mut self) -> Option<u64> {
        self.instructions.get_or_init(|| Count::open(Event::Instructions).ok());
        self.instructions.get_mut()?.as_mut()?.count()
    }
}
