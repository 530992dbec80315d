//! The real host: this machine's clocks, timed by the ruler.

use super::host::{Batch, Gauge, Host, Mode, Rate, Spec};
use super::ruler::{Ruler, RulerKind};
use chronoscope_probes::clocks::{self, Entry, Kind, Language, Reader, steps};
use chronoscope_probes::displace::Displacer;
use chronoscope_probes::machine::noise;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Starts a new process that reads the clock of that id once, and returns what it said: ticks of a
/// ruler of that kind.
pub type FirstRead = Box<dyn Fn(&str, RulerKind) -> Option<u64>>;

/// This machine.
pub struct Machine {
    ruler: Ruler,
    readers: Vec<Reader>,
    specs: Vec<Spec>,
    displacer: Option<Displacer>,
    gauge: Option<Reader>,
    first: Option<FirstRead>,
    interrupt: &'static AtomicBool,
    switches: Option<u64>,
    cpu: Option<usize>,
    stolen: Stolen,
}

impl Machine {
    /// A host for these clocks. The empty loop of each language they need stands behind them.
    pub fn new(
        ruler: Ruler,
        opened: &[(&'static Entry, Reader)],
        interrupt: &'static AtomicBool,
    ) -> Self {
        let mut readers: Vec<Reader> = opened.iter().map(|(_, reader)| *reader).collect();
        let languages = [Language::C, Language::Cxx, Language::Rust];
        readers.extend(languages.map(clocks::empty));
        let baseline = |language: Language| {
            opened.len()
                + languages
                    .iter()
                    .position(|l| *l == language)
                    .unwrap_or_default()
        };
        let mut specs: Vec<Spec> = opened
            .iter()
            .map(|(entry, reader)| Spec {
                id: entry.id.into(),
                call: entry.call.into(),
                language: entry.language,
                kind: reader.kind.unwrap_or(entry.kind),
                baseline: baseline(entry.language),
                unit: reader.unit,
                nominal_ns: reader.nominal_ns,
                range: reader.range,
            })
            .collect();
        for (language, reader) in languages.iter().zip(&readers[opened.len()..]) {
            specs.push(Spec {
                id: format!("empty/{}", language.name()),
                call: String::new(),
                language: *language,
                kind: Kind::Counter,
                baseline: baseline(*language),
                unit: reader.unit,
                nominal_ns: None,
                range: reader.range,
            });
        }
        Self {
            ruler,
            readers,
            specs,
            displacer: None,
            gauge: None,
            first: None,
            interrupt,
            switches: noise::thread_switches(),
            cpu: noise::current_cpu(),
            stolen: Stolen::now(),
        }
    }

    /// How first reads are made: the tool starts itself anew.
    pub fn with_first(mut self, first: FirstRead) -> Self {
        self.first = Some(first);
        self
    }

    /// Watches the frequency of the core. Not for an emulated one, which has none.
    pub fn with_gauge(mut self) -> Self {
        self.gauge = steps::four_and_five().map(|[four, _]| four);
        self
    }

    /// What the engine must know of each subject.
    pub fn specs(&self) -> Vec<Spec> {
        self.specs.clone()
    }

    /// The ruler.
    pub fn ruler(&self) -> &Ruler {
        &self.ruler
    }

    fn time(&mut self, loops: extern "C" fn(u64), reads: u64) -> Batch {
        let start = self.ruler.start();
        loops(reads);
        let ticks = self.ruler.stop().saturating_sub(start);
        let (switches, cpu) = (noise::thread_switches(), noise::current_cpu());
        let disturbed = switches != self.switches || cpu != self.cpu;
        self.switches = switches;
        self.cpu = cpu;
        Batch { ticks, disturbed }
    }
}

/// What the hypervisor has taken from a processor: others' loss is not ours.
struct Stolen {
    cpu: Option<usize>,
    ns: Option<u64>,
}

impl Stolen {
    /// From the one that this thread is on; from all where that is not told, as in a container
    /// that numbers its own.
    fn now() -> Self {
        let cpu = noise::current_cpu();
        Self {
            cpu,
            ns: noise::steal_ns(cpu).or_else(|| noise::steal_ns(None)),
        }
    }

    /// Whether it is more than before. Of a thread that has moved this does not tell; that is seen
    /// in its batches.
    fn since(&self, before: &Self) -> bool {
        self.cpu == before.cpu && self.ns != before.ns
    }
}

/// Turns of the gauge: four thousand cycles, so that the ruler's own scatter is below 1 % of them.
const GAUGE_READS: u64 = 1000;

impl Host for Machine {
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch {
        let reader = self.readers[subject];
        let loops = match mode {
            Mode::Throughput => reader.throughput,
            Mode::Latency => reader.latency,
            Mode::Cold => {
                self.displacer.get_or_insert_default().displace();
                reader.throughput
            }
        };
        self.time(loops, reads)
    }

    fn fill(&mut self, subject: usize, out: &mut [u64]) {
        self.readers[subject].fill(out);
    }

    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64 {
        let start = self.ruler.start();
        std::hint::black_box(self.readers[subject].around(n, v));
        self.ruler.stop().saturating_sub(start)
    }

    fn first(&mut self, subject: usize) -> Option<u64> {
        self.first
            .as_ref()
            .and_then(|first| first(&self.specs[subject].id, self.ruler.kind()))
    }

    fn now(&mut self) -> u64 {
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

    fn sleep(&mut self, duration: Duration) {
        std::thread::sleep(duration);
    }

    fn end_round(&mut self) -> bool {
        let before = std::mem::replace(&mut self.stolen, Stolen::now());
        self.stolen.since(&before)
    }

    fn gauge(&mut self) -> Option<Gauge> {
        let reader = self.gauge?;
        Some(Gauge {
            batch: self.time(reader.throughput, GAUGE_READS),
            cycles: GAUGE_READS * steps::CYCLES,
        })
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
