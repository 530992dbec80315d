//! The ruler, which all durations of a run are measured with, and its calibration.
//!
//! [`Bench`] times the batches of this process: it holds the ruler, the displacement of the caches
//! before a cold read, and a check whether the thread was disturbed.
//!
//! [`time_taken`] watches with it for time that was taken from a spinning thread: by the kernel of
//! this machine, or by something below it, the hypervisor or the firmware.

use super::resolution::{Seen, work};
use super::{Batch, Mode, notes, spin};
use crate::stats::{middle, quantile};
use chronoscope::counter;
use chronoscope::witness::Entries;
use chronoscope_model::Note;
use chronoscope_model::run::{self, Gaps, Noise, Taken};
use chronoscope_probes::clocks::{self, COPIES, Opening, Reader, Unit};
use chronoscope_probes::machine::{Root, noise, siblings};
use chronoscope_probes::memory::Displacer;
use chronoscope_probes::waits::os;
use std::hint::black_box;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulerKind {
    /// The counter, with ordered reads: `start` and `stop` of the library.
    Counter,
    /// The counter of a processor without `rdtscp`, on which `start` also ends a region.
    CounterStartOnly,
    /// The system's monotonic clock.
    System,
}

impl RulerKind {
    /// The name of this kind in messages from one process to another.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::CounterStartOnly => "counter-start",
            Self::System => "system",
        }
    }

    /// Returns the kind with that name.
    pub fn named(name: &str) -> Option<Self> {
        let kinds = [Self::Counter, Self::CounterStartOnly, Self::System];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// The best kind that this processor offers, if its counter can be trusted.
    pub fn here() -> Self {
        if !counter::is_hardware() {
            Self::System
        } else if counter::has_stop() {
            Self::Counter
        } else {
            Self::CounterStartOnly
        }
    }

    /// Ticks at the start of a region.
    #[inline]
    pub fn start(self) -> u64 {
        match self {
            Self::Counter | Self::CounterStartOnly => counter::start(),
            Self::System => system_ns(),
        }
    }

    /// Ticks at the end of a region.
    #[inline]
    pub fn stop(self) -> u64 {
        match self {
            Self::Counter => counter::stop(),
            Self::CounterStartOnly => counter::start(),
            Self::System => system_ns(),
        }
    }
}

pub struct Ruler {
    kind: RulerKind,
    reference: Option<Reference>,
    first: Bracket,
    timers: Bracket,
    hz: f64,
    /// The bound on the relative error of `hz` against the reference, in parts per million. It
    /// shows nothing about true time: the reference may count the same oscillator.
    pub(crate) error_ppm: f64,
    /// The bound on how fast the clock that timers run on is slewed against the reference. An NTP
    /// client may slew CLOCK_MONOTONIC by up to 500 ppm (adjtimex(2)), but never
    /// CLOCK_MONOTONIC_RAW. The uncertainty of the brackets is included.
    pub(crate) slew: f64,
    /// Why this ruler was chosen instead of a better one.
    pub notes: Vec<Note>,
}

/// A clock with a known rate that the ruler can be compared with.
pub(crate) struct Reference {
    pub id: &'static str,
    pub hz: f64,
    reader: Reader,
}

/// A value of a clock between two of the ruler or of another counter, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bracket {
    pub before: u64,
    pub value: u64,
    pub after: u64,
}

impl Bracket {
    /// The tightest of this many reads, between two of a counter.
    pub(crate) fn tightest(
        tries: usize,
        start: impl Fn() -> u64,
        mut read: impl FnMut() -> u64,
        stop: impl Fn() -> u64,
    ) -> Self {
        let look = |_| {
            let before = start();
            let value = read();
            Self { before, value, after: stop() }
        };
        (0..tries).map(look).min_by_key(Self::width).unwrap_or_default()
    }

    pub(crate) fn width(&self) -> u64 {
        self.after.wrapping_sub(self.before)
    }

    pub(crate) fn middle(&self) -> u64 {
        self.before.wrapping_add(self.width() / 2)
    }
}

impl Reference {
    /// Opens the first of these clocks that can be read here and runs at a known rate.
    pub fn open(ids: &[&'static str]) -> Option<Self> {
        ids.iter().find_map(|&id| {
            let reader = clocks::find(id)?.open(Opening::Checked).ok()?;
            match reader.unit {
                Unit::Hz(hz) => Some(Self { id, hz, reader }),
                Unit::Counter | Unit::Variable => None,
            }
        })
    }

    /// Returns the tightest of this many brackets.
    pub fn bracket(&mut self, ruler: RulerKind, tries: usize) -> Bracket {
        Bracket::tightest(tries, || ruler.start(), || self.reader.value(), || ruler.stop())
    }
}

/// Returns the ruler's ticks per second by a clock of `hz`, and the bound on their error in parts
/// per million. The middle of each bracket is off by at most half its width, and each read of the
/// clock by one of its units; the bound adds all four (the method of Cristian, "Probabilistic clock
/// synchronization", 1989, with a clock of the same machine as the server). A clock that stood
/// still or went back gives no rate.
pub(crate) fn slope(first: Bracket, last: Bracket, hz: f64) -> Option<(f64, f64)> {
    let ticks = last.middle().wrapping_sub(first.middle()).cast_signed() as f64;
    let units = last.value.checked_sub(first.value)? as f64;
    if units <= 0.0 || ticks <= 0.0 {
        return None;
    }
    let slack = (first.width() as f64 + last.width() as f64) / 2.0 / ticks;
    Some((ticks / units * hz, (slack + 2.0 / units) * 1e6))
}

/// The clocks to calibrate against, best first. Undisciplined clocks come first, so that slewing by
/// NTP does not affect the result.
const REFERENCES: [&str; 5] =
    ["linux/monotonic-raw", "mach/absolute_time", "windows/qpc", "posix/monotonic", "rust/instant"];

/// How many brackets are tried; the tightest counts.
const TRIES: usize = 200;

impl Ruler {
    /// Makes a ruler and calibrates it for about `span`. `distrust` is the reason not to use the
    /// counter.
    pub fn new(distrust: Option<String>, span: Duration) -> Self {
        let kind = if distrust.is_some() { RulerKind::System } else { RulerKind::here() };
        let mut notes: Vec<Note> = distrust.into_iter().map(notes::system_ruler).collect();
        if kind == RulerKind::CounterStartOnly {
            notes.push(notes::no_rdtscp());
        }
        let mut ruler = Self {
            kind,
            reference: Reference::open(&REFERENCES),
            first: Bracket::default(),
            timers: timers(),
            hz: 1e9,
            error_ppm: 0.0,
            slew: 0.0,
            notes,
        };
        ruler.first = ruler.bracket();
        chronoscope_probes::time::sleep(span);
        ruler.recalibrate();
        ruler
    }

    /// The ruler's ticks per second.
    pub fn hz(&self) -> f64 {
        self.hz
    }

    pub fn kind(&self) -> RulerKind {
        self.kind
    }

    /// The ruler's id in reports.
    pub fn id(&self) -> String {
        match (self.kind, counter::name()) {
            (RulerKind::Counter, "rdtsc") => "lfence-rdtsc-lfence/rdtscp-lfence".into(),
            (RulerKind::CounterStartOnly, "rdtsc") => "lfence-rdtsc-lfence".into(),
            (RulerKind::System, _) => "rust/instant".into(),
            (_, name) => format!("isb-{name}-isb"),
        }
    }

    /// The ruler's id for waits: the ends of a wait are read with fewer fences than those of a
    /// batch of reads.
    pub fn id_of_waits(&self) -> String {
        match (self.kind, counter::name()) {
            (RulerKind::System, _) => self.id(),
            (_, "rdtsc") => "rdtsc/lfence-rdtsc".into(),
            _ => self.id(),
        }
    }

    /// Determines the rate again, over the whole time since the ruler was made: the longer that
    /// time, the smaller the bound.
    pub fn recalibrate(&mut self) {
        self.find_slew();
        let last = self.bracket();
        let slope = self.reference.as_ref().and_then(|it| slope(self.first, last, it.hz));
        // Without a new rate, the previous one stays.
        if let Some(slope) = slope.filter(|_| self.kind != RulerKind::System) {
            (self.hz, self.error_ppm) = slope;
        }
    }

    fn find_slew(&mut self) {
        let last = timers();
        let reference = last.middle().saturating_sub(self.timers.middle()) as f64;
        let clock = last.value.saturating_sub(self.timers.value) as f64;
        if reference > 0.0 {
            let open = (self.timers.width() + last.width()) as f64 / 2.0 / reference;
            self.slew = (clock / reference - 1.0).abs() + open;
        }
    }

    fn bracket(&mut self) -> Bracket {
        let reference = self.reference.as_mut();
        reference.map_or(Bracket::default(), |it| it.bracket(self.kind, TRIES))
    }

    /// The ruler as a report shows it. `cost_ns` is the cost of an empty start and stop.
    pub fn report(&self, cost_ns: f64, cpu: Option<usize>, noise: Noise) -> run::Ruler {
        run::Ruler {
            id: self.id(),
            is_counter: self.kind != RulerKind::System,
            hz: self.hz,
            hz_error_ppm: self.error_ppm,
            reference: self.reference.as_ref().map_or("none", |it| it.id).into(),
            // Whether the reference could show an error is a judgement that needs the whole report.
            compared: None,
            cost_ns,
            tick_ns: self.tick() * 1e9 / self.hz,
            empty_spread_ns: self.empty_spread().map(|ticks| ticks * 1e9 / self.hz),
            siblings: cpu.map_or(Vec::new(), |cpu| siblings(&Root::host(), cpu)),
            cpu,
            fifo: None,
            noise,
        }
    }

    /// By how much 95 of 100 empty intervals at most differ from their mean, in ticks.
    fn empty_spread(&self) -> Option<f64> {
        let empty = || {
            let start = self.kind.start();
            self.kind.stop().wrapping_sub(start) as f64
        };
        let mut lengths: Vec<f64> = (0..2000).map(|_| empty()).collect();
        let mean = middle(&mut lengths)?;
        let mut distances: Vec<f64> = lengths.iter().map(|one| (one - mean).abs()).collect();
        distances.sort_by(f64::total_cmp);
        quantile(&distances, 0.95)
    }

    /// The ruler's tick, in its own units.
    pub fn tick(&self) -> f64 {
        let mut last = self.kind.start();
        let mut seen = Seen::default();
        for _ in 0..2000 {
            let now = self.kind.stop();
            seen.add(&[last, now]);
            last = now;
        }
        for spins in work() {
            spin(spins);
            let now = self.kind.stop();
            seen.add_apart(now.wrapping_sub(last));
            last = now;
        }
        seen.tick().unwrap_or(1.0)
    }
}

/// The clock that timers run on, between two values of one that is never slewed, in nanoseconds.
fn timers() -> Bracket {
    Bracket::tightest(TRIES / 2, os::reference, os::monotonic, os::reference)
}

/// The system's monotonic clock, in nanoseconds since the first call.
fn system_ns() -> u64 {
    use chronoscope_probes::time::Instant;
    use std::sync::OnceLock;
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The memory that is walked if no size is given: larger than the second-level cache of most cores.
pub const LEAST_DISPLACED: usize = 4 << 20;

/// How often the loop runs without a read before a cold read. The second time costs 5 ns more than
/// a warm one, the third no more.
const REWARM: usize = 3;

pub struct Bench {
    ruler: RulerKind,
    copy: usize,
    displacer: Option<Displacer>,
    switches: Option<u64>,
    cpu: Option<usize>,
}

impl Bench {
    pub fn new(ruler: RulerKind) -> Self {
        Self {
            ruler,
            copy: 0,
            displacer: None,
            switches: noise::thread_switches(),
            cpu: noise::current_cpu(),
        }
    }

    /// The CPU that the thread was last seen on, if the system reports it.
    pub fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// Times `work`, and records whether the thread was taken off its CPU or moved during it.
    #[inline]
    pub fn time(&mut self, work: impl FnOnce()) -> Batch {
        let start = self.ruler.start();
        work();
        let ticks = self.ruler.stop().saturating_sub(start);
        let (switches, cpu) = (noise::thread_switches(), noise::current_cpu());
        let disturbed = switches != self.switches || cpu != self.cpu;
        self.switches = switches;
        self.cpu = cpu;
        Batch { ticks, disturbed }
    }

    /// Times reads. All that are back to back run the same code, so warm reads and an empty loop
    /// warm up the very instructions that time a cold read.
    #[inline(never)]
    pub fn batch(&mut self, reader: &mut Reader, mode: Mode, reads: u64) -> Batch {
        let copy = self.copy;
        match mode {
            Mode::Throughput => self.time(|| reader.throughput(copy, reads)),
            Mode::Latency => self.time(|| reader.latency(copy, reads)),
            Mode::Cold => {
                self.displace();
                // The code that times the read is cold as well. Its misses take ten times as long
                // as the read and overlap with it, so no subtraction would remove them. The loop
                // without a read warms up this code again.
                for _ in 0..REWARM {
                    self.batch(reader, Mode::Throughput, 0);
                }
                self.batch(reader, Mode::Throughput, reads)
            }
        }
    }

    /// Times `n` sums of `v`, each between two reads.
    pub fn around(&mut self, reader: &mut Reader, n: u64, v: &[u64]) -> Batch {
        let copy = self.copy;
        self.time(|| {
            black_box(reader.around(copy, n, v));
        })
    }

    /// Uses this copy of the timed loops from now on. The copies are at different places in memory.
    /// A number beyond the last copy starts again from the first.
    pub fn use_copy(&mut self, copy: usize) {
        self.copy = copy % COPIES;
    }

    /// Sets how many bytes of memory `displace` walks. With 0, it frees the memory.
    pub fn displace_with(&mut self, bytes: usize) {
        // Frees the old memory first, so that both are never held.
        self.displacer = None;
        self.displacer = (bytes > 0).then(|| Displacer::new(bytes));
    }

    fn displace(&mut self) {
        let least = || Displacer::new(LEAST_DISPLACED);
        self.displacer.get_or_insert_with(least).displace();
    }
}

/// How long to watch. A timer tick at 100 Hz occurs five times.
const WATCHED: Duration = Duration::from_millis(50);

/// Shorter gaps are not counted: a read of the counter and of the register takes up to 40 ns, and
/// what the processor does by itself, such as a change of frequency, may take several hundred.
const LEAST_GAP_NS: f64 = 1000.0;

/// Watches this CPU for a while. `None` if that is not possible here.
pub fn time_taken(ruler: &Ruler) -> Option<Taken> {
    if ruler.kind() == RulerKind::System {
        return None;
    }
    let entered = Entries::shown()?;
    let each = 1e9 / ruler.hz();
    let ns = |ticks: u64| ticks.cast_signed() as f64 * each;
    let watched = (WATCHED.as_secs_f64() * ruler.hz()) as u64;
    let (mut kernel, mut below) = (Gaps::default(), Gaps::default());
    let start = counter::now();
    let mut last = start;
    entered.set();
    loop {
        let mut now = counter::now();
        if !entered.stood() {
            // The interrupt may have come after this read.
            now = counter::now();
            add_gap(&mut kernel, ns(now.wrapping_sub(last)));
            entered.set();
        } else {
            add_gap(&mut below, ns(now.wrapping_sub(last)));
        }
        last = now;
        if now.wrapping_sub(start) > watched {
            break;
        }
    }
    Some(Taken { watched_ns: ns(last.wrapping_sub(start)), kernel, below })
}

/// Adds a gap that is long enough. A counter that went back shows no gap.
fn add_gap(gaps: &mut Gaps, ns: f64) {
    if ns > LEAST_GAP_NS {
        gaps.count += 1;
        gaps.total_ns += ns;
        gaps.longest_ns = gaps.longest_ns.max(ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_shrinks_with_the_span() {
        let mut ruler = Ruler::new(None, Duration::from_millis(2));
        let early = ruler.error_ppm;
        chronoscope_probes::time::sleep(Duration::from_millis(60));
        ruler.recalibrate();
        assert!(ruler.hz() > 1e5);
        if ruler.kind() != RulerKind::System {
            assert!(early > 0.0 && ruler.error_ppm > 0.0);
        }
    }

    #[test]
    fn a_distrusted_counter_is_not_read() {
        let ruler = Ruler::new(Some("because".into()), Duration::from_millis(1));
        assert_eq!(ruler.kind(), RulerKind::System);
        assert_eq!(ruler.hz(), 1e9);
        let start = ruler.kind().start();
        assert!(ruler.kind().stop() >= start);
    }

    fn at(ticks: u64, value: u64) -> Bracket {
        Bracket { before: ticks.wrapping_sub(50), value, after: ticks.wrapping_add(50) }
    }

    #[test]
    fn the_rate_and_its_bound_follow_from_two_brackets() {
        // 2.6 GHz for ten seconds of a clock of nanoseconds, across the counter's wrap.
        let start = u64::MAX - 5;
        let last = at(start.wrapping_add(26_000_000_000), 10_000_000_500);
        let (hz, error) = slope(at(start, 500), last, 1e9).expect("a rate");
        assert!((hz - 2.6e9).abs() < 1.0, "{hz}");
        assert!((error - (100.0 / 26e9 + 2e-10) * 1e6).abs() < 1e-9, "{error}");
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_gives_no_rate() {
        assert!(slope(at(0, 7), at(1000, 7), 1e9).is_none());
        assert!(slope(at(0, 7), at(1000, 6), 1e9).is_none());
        assert!(slope(at(5, 7), at(5, 8), 1e9).is_none());
    }
}

#[cfg(test)]
mod time_taken_tests {
    use super::*;

    #[test]
    fn what_was_taken_fits_into_the_time_that_was_watched() {
        let ruler = Ruler::new(None, Duration::from_millis(5));
        let Some(taken) = time_taken(&ruler) else {
            return;
        };
        let of_both = taken.kernel.total_ns + taken.below.total_ns;
        assert!(of_both <= taken.watched_ns, "{taken:?}");
        for gaps in [taken.kernel, taken.below] {
            assert!(gaps.longest_ns <= gaps.total_ns);
            assert_eq!(gaps.count == 0, gaps.total_ns == 0.0);
        }
    }
}
