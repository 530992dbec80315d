//! The real host: this machine's clocks, timed by the ruler, and two gauges of its core.
//!
//! The gauges show how fast the core adds: a chain of dependent additions, and independent ones.
//! Together they show the core's frequency, and whether something else uses its execution units.
//!
//! They also show whether something else ran on the core's other hardware thread. Two threads of a
//! core share its execution units, so independent additions, of which a core makes several per
//! cycle, take longer, while a chain of dependent ones takes as long as before. Their ratio depends
//! neither on the frequency nor on who the neighbour is. A virtual machine has no other way to see
//! its neighbour, which is neither steal nor one of its own processes.

use super::children::{ChildJob, Children, rest_due};
use super::ruler::{Bench, Ruler, RulerKind};
use super::schedule::{Interrupt, RunClock, Time};
use super::{
    Additions, Around, Batch, Batches, Gauge, Job, LOST, Mode, Offer, Pairs, Rate, Sampled, Spec,
    Timed, Values,
};
use crate::stats::quantile;
use crate::{either, sorted};
use chronoscope::witness::Entries;
use chronoscope_model::between::Between;
use chronoscope_model::clock::Clock;
use chronoscope_probes::clocks::{self, Count, Event, Facts, Kind, Language, Reader, steps};
use chronoscope_probes::machine::noise;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::OnceCell;
use std::time::Duration;

pub struct Machine {
    ruler: Ruler,
    bench: Bench,
    /// The reader of each subject; `None` if this process cannot read it.
    readers: Vec<Option<Reader>>,
    specs: Vec<Spec>,
    /// What measures how fast the core adds, on request. An emulated core must not be gauged: it
    /// has no frequency and no neighbour.
    pub(crate) gauges: Option<Gauges>,
    /// How to start children of this tool, for first reads.
    pub(crate) children: Option<Children>,
    /// What whole runs of this machine differ by.
    pub(crate) between: Between,
    /// Opened when first needed, so that nothing counts during the rounds; `None` inside if nothing
    /// counts here.
    instructions: OnceCell<Option<Count>>,
    /// Tested when first needed; `None` inside if this machine does not show it.
    entered: OnceCell<Option<Entries>>,
    clock: RunClock,
    pub(crate) interrupt: Interrupt,
    /// What [`stolen`] showed when the last round ended.
    stolen: (Option<usize>, Option<u64>),
    /// When the thread last slept, if it has to now and then, before it times anything, as a
    /// real-time thread must.
    pub(crate) rested: Option<Duration>,
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
            between: Between::unknown(),
            instructions: OnceCell::new(),
            entered: OnceCell::new(),
            clock: RunClock::start(),
            interrupt,
            stolen: stolen(),
            rested: None,
        }
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

    /// Lets a child do this job; `None` if it fails or the user asked to stop.
    fn let_child<J: Serialize, A: DeserializeOwned>(&self, job: &J, budget: Duration) -> Option<A> {
        let ids = self.specs.iter().map(|spec| spec.row.id.clone()).collect();
        let (cpu, gauges) = (self.bench.cpu(), self.gauges.is_some());
        let request = ChildJob { ids, cpu, gauges, job };
        let stop = || self.interrupt.is_set();
        self.children.as_ref()?.ask(&request, budget, self.ruler.kind(), &stop)
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

/// The CPU that this thread runs on, and the time that the hypervisor has taken from it, without
/// what other CPUs lost. If the CPU is unknown, as in a container with its own numbering, it is the
/// time taken from all of them.
fn stolen() -> (Option<usize>, Option<u64>) {
    let cpu = noise::current_cpu();
    (cpu, noise::steal_ns(cpu).or_else(|| noise::steal_ns(None)))
}

impl Time for Machine {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}

impl Timed for Machine {
    fn specs(&self) -> &[Spec] {
        &self.specs
    }

    fn ticks(&mut self) -> u64 {
        self.ruler.kind().start()
    }

    fn hz(&self) -> f64 {
        self.ruler.hz()
    }

    fn rate(&mut self) -> Rate {
        self.ruler.recalibrate();
        Rate {
            hz: self.ruler.hz(),
            error_ppm: self.ruler.error_ppm,
            is_tsc: cfg!(target_arch = "x86_64") && self.ruler.kind() != RulerKind::System,
        }
    }
}

impl Batches for Machine {
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch {
        self.rest();
        let reader = self.readers[subject].as_mut();
        reader.map_or(LOST, |reader| self.bench.batch(reader, mode, reads))
    }

    fn displace(&mut self, bytes: usize) {
        self.bench.displace_with(bytes);
    }

    fn end_round(&mut self) -> bool {
        let before = std::mem::replace(&mut self.stolen, stolen());
        // If the thread moved, its batches show the move.
        self.stolen.0 == before.0 && self.stolen.1 != before.1
    }

    fn gauge(&mut self, what: Additions) -> Option<Gauge> {
        let gauges = self.gauges.as_mut()?;
        Some(gauges.time(&mut self.bench, what))
    }

    fn least_width(&self) -> Option<f64> {
        steps::least_width()
    }

    fn between(&self) -> Between {
        self.between.clone()
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
        self.entered.get_or_init(Entries::shown);
        self.entered.get()?.as_ref().inspect(|it| it.set());
        self.fill(subject, out);
        self.entered.get()?.as_ref().map(|it| !it.stood())
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

/// The dependent additions of a gauge, in cycles: so many that a tick of the ruler, which is 10 ns
/// on some processors, is 0.5 % of their time.
const CYCLES: u64 = 8000;
/// The independent additions of a gauge: they take as long on a core that makes four per cycle.
const INDEPENDENT: u64 = 4 * CYCLES;
/// How often each gauge is tried per look.
const TRIES: usize = 2;
/// A try of the chain that takes longer than another of the same look by more than this share was
/// interrupted: ticks and the ruler's own scatter explain 1.5 %, and an interrupt takes 0.3 us or
/// more.
const INTERRUPTED: f64 = 0.02;

pub struct Gauges {
    dependent: Reader,
    independent: Reader,
}

impl Gauges {
    /// Returns the gauges of this processor; `None` if there are none.
    pub fn here() -> Option<Self> {
        let [dependent, _] = steps::four_and_five()?;
        Some(Self { dependent, independent: steps::independent()? })
    }

    pub fn time(&mut self, bench: &mut Bench, what: Additions) -> Gauge {
        let (reader, each, additions) = match what {
            Additions::Dependent => (&mut self.dependent, steps::CYCLES, CYCLES),
            Additions::Independent => (&mut self.independent, steps::INDEPENDENT, INDEPENDENT),
        };
        Gauge { batch: bench.time(|| reader.throughput(0, additions / each)), additions }
    }
}

/// What the gauges show at one moment, or over several.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The tries of the chain that count.
    tries: u32,
    /// The ticks per addition of these tries, added up.
    ticks: f64,
    /// The time of an independent addition, as a share of a dependent one; absent if unknown.
    pub width: Option<f64>,
}

impl Look {
    /// Takes a look now. `ruler_ticks` is the cost of the ruler, which cancels in the width: the
    /// two gauges take about as long.
    pub fn now(mut gauge: impl FnMut(Additions) -> Option<Gauge>, ruler_ticks: f64) -> Self {
        let mut times = |what| {
            let tries: [_; TRIES] = std::array::from_fn(|_| gauge(what));
            tries.map(|gauge| gauge.and_then(|gauge| ticks_per_addition(gauge, ruler_ticks)))
        };
        let least = |tries: [Option<f64>; TRIES]| tries.into_iter().flatten().reduce(f64::min);
        let (chain, wide) = (times(Additions::Dependent), times(Additions::Independent));
        let shortest = least(chain);
        let counts = |time: &f64| shortest.is_some_and(|it| *time <= it * (1.0 + INTERRUPTED));
        let counted = chain.into_iter().flatten().filter(counts);
        let (tries, ticks) = counted.fold((0, 0.0), |(n, sum), time| (n + 1, sum + time));
        Self { tries, ticks, width: least(wide).zip(shortest).map(|(wide, chain)| wide / chain) }
    }

    /// Core cycles per tick of the ruler; `None` if unknown. This is a mean of the tries, because
    /// each is counted in whole ticks, which begin at random: a mean resolves less than a tick, and
    /// the fastest of many tries would always be too fast.
    pub fn pace(&self) -> Option<f64> {
        (self.tries > 0).then(|| f64::from(self.tries) / self.ticks)
    }

    /// Combines two looks: the mean pace, because the batches between them ran at either, and the
    /// worse width, because a neighbour may have been there for only part of the time.
    pub fn and(self, other: Self) -> Self {
        let width = either(self.width, other.width, f64::max);
        Self { tries: self.tries + other.tries, ticks: self.ticks + other.ticks, width }
    }
}

/// The duration of an addition, in ticks; `None` if the gauge was disturbed or its result is
/// absurd.
fn ticks_per_addition(gauge: Gauge, ruler_ticks: f64) -> Option<f64> {
    let ticks = (gauge.batch.ticks as f64 - ruler_ticks) / gauge.additions as f64;
    (!gauge.batch.disturbed && ticks.is_finite() && ticks > 0.0).then_some(ticks)
}

/// A round is shared if its ratio exceeds that of an unshared core by more than this. The gauges
/// scatter by about 1 %, and a neighbour adds 20 to 70 % (measured on Zen 3 and on Ice Lake).
const LIMIT: f64 = 1.06;

/// The quantile of the ratios that stands for the unshared core. Rounds next to a neighbour lie far
/// above it, and single rounds below it are errors of the gauges.
const ALONE: f64 = 0.05;

/// The fewest rounds that determine a ratio.
const FEWEST: usize = 5;

#[derive(Clone, Debug, Default)]
pub struct Neighbour {
    ratios: Vec<Option<f64>>,
    /// The fewest additions per cycle that any core of this kind makes; absent if unknown.
    least_width: Option<f64>,
    /// The ratio of an unshared core.
    alone: Option<f64>,
}

impl Neighbour {
    /// Starts without rounds, on a core that makes at least this many additions per cycle.
    pub fn new(least_width: Option<f64>) -> Self {
        Self { least_width, ..Self::default() }
    }

    /// Records a round: the time of an independent addition as a share of a dependent one.
    pub fn push(&mut self, ratio: Option<f64>) {
        self.ratios.push(ratio);
    }

    /// Takes this many looks at the core now.
    pub fn look(&mut self, times: usize, mut gauge: impl FnMut(Additions) -> Option<Gauge>) {
        for _ in 0..times {
            self.push(Look::now(&mut gauge, 0.0).width);
        }
    }

    /// Determines the ratio of an unshared core: the lowest of the rounds so far, unless no core of
    /// this kind is so narrow. In that case every round was shared.
    pub fn judge(&mut self) {
        let sorted = sorted(self.ratios.iter().copied().flatten());
        let alone = quantile(&sorted, ALONE).filter(|_| sorted.len() >= FEWEST);
        let widest = self.least_width.map_or(f64::INFINITY, f64::recip);
        self.alone = alone.map(|alone| alone.min(widest));
    }

    fn is_shared(&self, ratio: f64) -> bool {
        self.alone.is_some_and(|alone| ratio > alone * LIMIT)
    }

    /// Whether the core was shared in that round; `false` if unknown.
    pub fn shared(&self, round: u32) -> bool {
        let ratio = self.ratios.get(round as usize).copied().flatten();
        ratio.is_some_and(|ratio| self.is_shared(ratio))
    }

    /// The share of rounds in which the core was shared, 0 to 1; `None` if unknown.
    pub fn share(&self) -> Option<f64> {
        self.alone?;
        let known: Vec<f64> = self.ratios.iter().copied().flatten().collect();
        let shared = known.iter().filter(|ratio| self.is_shared(**ratio)).count();
        Some(shared as f64 / known.len() as f64)
    }

    /// By how much longer independent additions take in the median shared round than on an unshared
    /// core, as a share; `None` if no round was shared.
    pub fn crowded(&self) -> Option<f64> {
        let known = self.ratios.iter().copied().flatten();
        let shared = sorted(known.filter(|ratio| self.is_shared(*ratio)));
        Some(quantile(&shared, 0.5)? / self.alone? - 1.0)
    }
}

#[cfg(test)]
mod gauges_tests {
    use super::*;
    use crate::engine::Batch;

    #[test]
    fn a_gauge_that_is_disturbed_or_absurd_is_ignored() {
        let gauge = |ticks, disturbed| Gauge { batch: Batch { ticks, disturbed }, additions: 4000 };
        assert_eq!(ticks_per_addition(gauge(4050, false), 50.0), Some(1.0));
        assert_eq!(ticks_per_addition(gauge(4050, true), 50.0), None);
        assert_eq!(ticks_per_addition(gauge(0, false), 50.0), None);
    }

    /// A look in which the two tries of the chain, and then those of the others, take this long.
    fn look(ticks: [u64; 4]) -> Look {
        let mut ticks = ticks.into_iter();
        let batch = |ticks| Batch { ticks, disturbed: ticks == 0 };
        Look::now(|_| Some(Gauge { batch: batch(ticks.next()?), additions: 1000 }), 0.0)
    }

    #[test]
    fn the_pace_is_the_mean_of_the_tries_that_nothing_interrupted() {
        assert_eq!(look([1000, 1010, 250, 250]).pace(), Some(2.0 / 2.01));
        assert_eq!(look([1000, 3000, 250, 250]).pace(), Some(1.0));
        assert_eq!(look([0, 1010, 250, 250]).pace(), Some(1.0 / 1.01));
        assert_eq!(look([0, 0, 250, 250]).pace(), None);
        let both = look([1000, 1000, 250, 250]).and(look([1250, 0, 250, 900]));
        assert_eq!(both.pace(), Some(3.0 / 3.25));
    }

    #[test]
    fn the_width_is_that_of_the_fastest_tries_and_of_the_worse_look() {
        assert_eq!(look([1010, 1000, 900, 250]).width, Some(0.25));
        assert_eq!(look([0, 0, 250, 250]).width, None);
        let alone = look([1000, 1000, 250, 250]);
        assert_eq!(alone.and(look([1000, 1000, 320, 320])).width, Some(0.32));
        assert_eq!(alone.and(look([0, 0, 320, 320])).width, Some(0.25));
    }
}

#[cfg(test)]
mod neighbour_tests {
    use super::*;

    fn judged(least: Option<f64>, ratios: impl IntoIterator<Item = f64>) -> Neighbour {
        let mut neighbour = Neighbour::new(least);
        for ratio in ratios {
            neighbour.push(Some(ratio));
        }
        neighbour.judge();
        neighbour
    }

    #[test]
    fn rounds_next_to_a_neighbour_are_shared() {
        let ratio = |at: u32| if at % 10 < 3 { 0.36 } else { 0.254 };
        let found = judged(Some(4.0), (0..200).map(ratio));
        assert!((0..200).all(|at| found.shared(at) == (at % 10 < 3)));
        assert!((found.share().expect("known") - 0.3).abs() < 1e-9);
        assert!((found.crowded().expect("shared") - (0.36 / 0.25 - 1.0)).abs() < 0.02);
    }

    #[test]
    fn the_scatter_of_the_gauges_is_not_a_neighbour() {
        let found = judged(Some(4.0), (0..200).map(|at| 0.254 + f64::from(at % 7) * 0.001));
        assert_eq!(found.share(), Some(0.0));
    }

    #[test]
    fn a_neighbour_who_never_leaves_is_noticed_if_the_width_of_the_core_is_known() {
        let always = || (0..100).map(|_| 0.36);
        assert_eq!(judged(Some(4.0), always()).share(), Some(1.0));
        assert_eq!(judged(None, always()).share(), Some(0.0));
    }

    #[test]
    fn nothing_is_known_without_gauges() {
        let mut none = Neighbour::new(Some(4.0));
        (0..100).for_each(|_| none.push(None));
        none.judge();
        assert_eq!(none.share(), None);
        assert!(!none.shared(3));
    }
}
