//! The real host: this machine's clocks, timed by the ruler.

use super::bench::Bench;
use super::elsewhere::There;
use super::gauges::Gauges;
use super::host::{
    Additions, Batch, Batches, Counted, Fresh, Gauge, Mode, Rate, Rounds, Timed, Values, Work,
};
use super::remote::Children;
use super::ruler::{Ruler, RulerKind};
use super::sampling::{Job, Sampled};
use super::subject::{Local, Offer, Spec, Subject};
use super::time::{Interrupt, RunClock, Time};
use chronoscope_probes::clocks::{self, Facts, Instructions, Kind, Language, steps};
use chronoscope_probes::machine::entered::Entered;
use chronoscope_probes::machine::noise;
use std::cell::OnceCell;
use std::time::Duration;

/// This machine.
pub struct Machine {
    ruler: Ruler,
    bench: Bench,
    subjects: Vec<Box<dyn Subject>>,
    specs: Vec<Spec>,
    gauges: Option<Gauges>,
    children: Option<Children>,
    /// Opened when it is first asked for, so that nothing counts during the rounds; `None` inside
    /// if nothing counts here.
    instructions: OnceCell<Option<Instructions>>,
    /// Tested when it is first needed; `None` inside if it shows nothing here.
    entered: OnceCell<Option<Entered>>,
    clock: RunClock,
    interrupt: Interrupt,
    stolen: Stolen,
}

impl Machine {
    /// A host for these subjects. The empty loop of each language follows them.
    pub fn new(ruler: Ruler, offers: Vec<Offer>, interrupt: Interrupt) -> Self {
        const LANGUAGES: [Language; 3] = [Language::C, Language::Cxx, Language::Rust];
        let first_empty = offers.len();
        let (mut specs, mut subjects) = (Vec::new(), Vec::new());
        for offer in offers {
            specs.push(offer.spec);
            subjects.push(offer.subject);
        }
        for language in LANGUAGES {
            let reader = clocks::empty(language);
            specs.push(Spec {
                id: format!("empty/{}", language.name()),
                call: String::new(),
                language,
                kind: Kind::Counter,
                facts: Facts::default(),
                alternative_to: None,
                home: String::new(),
                baseline: 0,
                unit: reader.unit,
                nominal_ns: None,
                range: reader.range,
            });
            subjects.push(Box::new(Local(reader)));
        }
        for spec in &mut specs {
            let place = LANGUAGES.iter().position(|l| *l == spec.language);
            spec.baseline = first_empty + place.unwrap_or_default();
        }
        Self {
            bench: Bench::new(ruler.kind()),
            ruler,
            subjects,
            specs,
            gauges: None,
            children: None,
            instructions: OnceCell::new(),
            entered: OnceCell::new(),
            clock: RunClock::start(),
            interrupt,
            stolen: Stolen::now(),
        }
    }

    /// Lets the empty loops be read by this copy of the loops.
    pub(super) fn with_copy(mut self, copy: usize) -> Self {
        for (spec, subject) in self.specs.iter().zip(&mut self.subjects) {
            if clocks::find(&spec.id).is_none() {
                *subject = Box::new(Local(clocks::empty(spec.language).with_copy(copy)));
            }
        }
        self
    }

    /// Lets everything that this process reads be read by this copy of the loops from now on.
    pub(crate) fn use_copy(&mut self, copy: usize) {
        for reader in self.subjects.iter_mut().filter_map(|subject| subject.reader()) {
            reader.use_copy(copy);
        }
    }

    /// Lets the host start children of this tool, for first reads.
    pub fn with_children(mut self, children: Children) -> Self {
        self.children = Some(children);
        self
    }

    /// Lets the host measure how fast the core adds. Not for an emulated core, which has no
    /// frequency and no neighbour.
    pub fn with_gauges(mut self) -> Self {
        self.gauges = Gauges::here();
        self
    }

    /// What the engine must know about each subject.
    pub fn specs(&self) -> Vec<Spec> {
        self.specs.clone()
    }

    /// A subject's reader, if it is in this process.
    pub(super) fn reader(&mut self, subject: usize) -> Option<&mut clocks::Reader> {
        self.subjects[subject].reader()
    }

    /// A subject's id.
    pub(super) fn id(&self, subject: usize) -> &str {
        &self.specs[subject].id
    }

    /// The ruler.
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
    /// The time taken from the CPU that this thread runs on. If that CPU is not known, as in a
    /// container with its own numbering, the time taken from all of them.
    fn now() -> Self {
        let cpu = noise::current_cpu();
        Self { cpu, ns: noise::steal_ns(cpu).or_else(|| noise::steal_ns(None)) }
    }

    /// Whether more time was taken since `before`. If the thread moved this cannot be determined;
    /// its batches show the move.
    fn since(&self, before: &Self) -> bool {
        self.cpu == before.cpu && self.ns != before.ns
    }
}

impl Time for Machine {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn sleep(&mut self, duration: Duration) {
        std::thread::sleep(duration);
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
        self.subjects[subject].batch(&mut self.bench, mode, reads)
    }

    fn displace(&mut self, bytes: usize) {
        self.bench.displace_with(bytes);
    }
}

impl Values for Machine {
    fn fill(&mut self, subject: usize, out: &mut [u64]) {
        self.subjects[subject].fill(out);
    }

    fn fill_watched(&mut self, subject: usize, out: &mut [u64]) -> Option<bool> {
        let entered = self.entered.get_or_init(|| Entered::tested().ok()).as_ref();
        entered.inspect(|it| it.set());
        self.subjects[subject].fill(out);
        entered.map(|it| !it.stands())
    }

    fn span(&mut self, subject: usize, calls: u64) -> u64 {
        self.subjects[subject].span(calls)
    }
}

impl Work for Machine {
    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64 {
        self.subjects[subject].around(&mut self.bench, n, v)
    }
}

impl Fresh for Machine {
    fn first(&mut self, subject: usize) -> Option<u64> {
        let children = self.children.as_ref()?;
        let mut child = children.start(&self.specs[subject].id, self.ruler.kind())?;
        child.first()
    }
}

impl Counted for Machine {
    fn instructions(&mut self) -> Option<u64> {
        self.instructions.get_or_init(|| Instructions::open().ok());
        self.instructions.get_mut()?.as_mut()?.count()
    }
}

impl Rounds for Machine {
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

    fn has_elsewhere(&self) -> bool {
        self.children.is_some()
    }

    fn elsewhere(&mut self, job: &Job) -> Option<Sampled> {
        let there = There {
            ids: self.specs.iter().map(|spec| spec.id.clone()).collect(),
            cpu: self.bench.cpu(),
            gauges: self.gauges.is_some(),
            job: job.clone(),
        };
        let interrupt = self.interrupt.clone();
        self.children.as_ref()?.sample(&there, self.ruler.kind(), || interrupt.is_set())
    }
}
