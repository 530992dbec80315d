//! A host whose costs, ticks, drifts, steps and disturbances are all known, so that the whole
//! engine can be tested without the noise of a real machine.

use super::sampling::{self, sample_around};
use super::schedule::{RunClock, Time};
use super::{
    Additions, Around, Batch, Batches, Gauge, Job, Mode, Pairs, Rate, Sampled, Spec, Timed, Values,
};
use chronoscope_model::between::{Between, Shares};
use chronoscope_model::clock::{Clock, Facts, Kind, Language, Scope};
use chronoscope_probes::clocks::{Range, Unit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock with configurable behaviour.
#[derive(Clone, Debug)]
pub struct FakeClock {
    pub id: &'static str,
    pub kind: Kind,
    /// The cost of a read, back to back, in nanoseconds.
    pub cost_ns: f64,
    /// The cost of a read that waits for the one before, in nanoseconds.
    pub latency_ns: f64,
    /// The cost of a read after caches were displaced, in nanoseconds.
    pub cold_ns: f64,
    /// The smallest change of its value, in nanoseconds.
    pub tick_ns: f64,
    /// How much faster than true time the clock runs, in parts per million.
    pub drift_ppm: f64,
    /// The steps, each with its true time and its size, both in nanoseconds.
    pub steps: Vec<(f64, f64)>,
    /// How often, in reads, the value is too low, and by how many nanoseconds.
    pub backwards: Option<(u64, f64)>,
    /// Whether the clock stands still while the process sleeps.
    pub stops_in_sleep: bool,
    /// Each change of value differs from the tick by up to this many nanoseconds.
    pub slew_ns: f64,
    /// Whether the value never changes.
    pub frozen: bool,
}

impl Default for FakeClock {
    fn default() -> Self {
        Self {
            id: "fake/clock",
            kind: Kind::Monotonic,
            cost_ns: 20.0,
            latency_ns: 25.0,
            cold_ns: 300.0,
            tick_ns: 1.0,
            drift_ppm: 0.0,
            steps: Vec::new(),
            backwards: None,
            stops_in_sleep: false,
            slew_ns: 0.0,
            frozen: false,
        }
    }
}

/// What disturbs a fake host.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disturbance {
    /// The relative standard deviation of a batch's cost.
    pub jitter: f64,
    /// The share of batches that an interrupt hits.
    pub interrupts: f64,
    /// The mean length of an interrupt, in nanoseconds.
    pub interrupt_ns: f64,
    /// The share of batches marked by a context switch.
    pub switches: f64,
    /// The share of rounds in which the hypervisor takes time.
    pub stolen: f64,
    /// Periods in which the core leaves its usual frequency.
    pub slow: Option<Slow>,
    /// Periods in which something else runs on the core's other hardware thread. The chain of
    /// dependent additions takes as long as ever, and everything else longer.
    pub neighbour: Option<Slow>,
    /// How much the costs differ between processes: the relative standard deviation. If negative,
    /// there are no other processes.
    pub placement: f64,
    /// The share of processes in which costs are higher, and by what share.
    pub placed_badly: (f64, f64),
    /// Another thread has the CPU for every second period of this many nanoseconds, except for
    /// those in which this thread wakes up. Zero: there is no other thread.
    pub turns_ns: f64,
}

/// Periods in which the core is slower.
#[derive(Clone, Copy, Debug)]
pub struct Slow {
    /// From the start of one period to the start of the next, in nanoseconds.
    pub every_ns: f64,
    /// How long a period lasts, in nanoseconds.
    pub for_ns: f64,
    /// The factor by which everything takes longer.
    pub by: f64,
}

/// Simulated time, shared by everything in the simulation: fake clocks, and fake threads that wait.
#[derive(Clone, Debug)]
pub struct FakeTime(Arc<AtomicU64>);

impl Default for FakeTime {
    /// One second after the machine has started.
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000_000)))
    }
}

impl FakeTime {
    /// True time, in nanoseconds.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// True time, in ticks of the fake ruler.
    #[inline]
    pub fn ticks(&self) -> u64 {
        (u128::from(self.now_ns()) * u128::from(HZ as u64) / 1_000_000_000) as u64
    }

    #[inline]
    pub fn pass(&self, ns: u64) {
        self.0.fetch_add(ns, Ordering::Relaxed);
    }

    /// Advances time to `ns`; it never goes back.
    #[inline]
    pub fn reach(&self, ns: u64) {
        self.0.fetch_max(ns, Ordering::Relaxed);
    }

    /// The clock that time limits are checked against in the simulation.
    pub fn run_clock(&self) -> RunClock {
        RunClock::Simulated(self.0.clone())
    }
}

pub struct Fake {
    clocks: Vec<FakeClock>,
    specs: Vec<Spec>,
    /// True time, in nanoseconds.
    now_ns: f64,
    /// True time, in whole nanoseconds.
    time: FakeTime,
    /// Time spent asleep, in nanoseconds.
    slept_ns: f64,
    /// True time of the last wake-up, in nanoseconds.
    woke_ns: f64,
    reads: Vec<u64>,
    rng: fastrand::Rng,
    disturbance: Disturbance,
    /// Whether the ruler and the run clock stand still.
    pub frozen: bool,
    /// The factor of each clock's costs in this process.
    placed: Vec<f64>,
    /// The number of batches after which the user asks to stop.
    pub interrupt_after: Option<u64>,
    batches: u64,
    /// Whether the host counts instructions.
    pub counts: bool,
    executed: u64,
    /// The step in which the ruler advances, in its own units.
    pub ruler_tick: u64,
    displaced: usize,
    /// How much longer the first stores into an array take, in nanoseconds.
    pub store_ns: f64,
}

/// The fake ruler's rate.
pub const HZ: f64 = 2.6e9;
/// The fake core's usual frequency, in cycles per nanosecond.
pub const CORE_GHZ: f64 = 3.5;
/// The independent additions that the fake core makes per cycle.
const WIDTH: f64 = 4.0;
/// The time to start a process and wait for its end, in nanoseconds.
const PROCESS_NS: f64 = 1e6;
/// The cost of the fake ruler, in nanoseconds.
const RULER_NS: f64 = 17.0;
/// The time to displace one byte, in nanoseconds.
const DISPLACED_NS: f64 = 0.01;
/// The fake empty loop, in nanoseconds per iteration.
const EMPTY_NS: f64 = 0.1;
/// The fake empty loop with a fence, in nanoseconds per iteration.
const EMPTY_LATENCY_NS: f64 = 2.0;

/// What the engine must know about each subject; the empty loop comes last.
fn specs(clocks: &[FakeClock]) -> Vec<Spec> {
    let empty = FakeClock { id: "empty/fake", ..FakeClock::default() };
    clocks
        .iter()
        .chain([&empty])
        .map(|clock| Spec {
            row: Clock {
                id: clock.id.into(),
                call: clock.id.into(),
                language: Language::Rust,
                kind: clock.kind,
                facts: Some(Facts::default()),
                available: true,
                scope: Scope::from(clock.kind),
                ..Clock::default()
            },
            baseline: clocks.len(),
            unit: Unit::Hz(1e9),
            nominal_ns: Some(1.0),
            range: Range::bits(63),
        })
        .collect()
}

impl Fake {
    pub fn new(clocks: Vec<FakeClock>, disturbance: Disturbance, seed: u64) -> Self {
        let mut fake = Self {
            reads: vec![0; clocks.len()],
            placed: vec![1.0; clocks.len()],
            specs: specs(&clocks),
            clocks,
            now_ns: 1e9,
            time: FakeTime::default(),
            slept_ns: 0.0,
            woke_ns: 0.0,
            rng: fastrand::Rng::with_seed(seed),
            disturbance,
            frozen: false,
            interrupt_after: None,
            batches: 0,
            counts: false,
            executed: 0,
            ruler_tick: 1,
            displaced: 0,
            store_ns: 0.0,
        };
        fake.place();
        fake
    }

    /// Draws where this process is placed.
    fn place(&mut self) {
        for at in 0..self.placed.len() {
            let (share, by) = self.disturbance.placed_badly;
            let bad = if self.rng.f64() < share { by } else { 0.0 };
            self.placed[at] = 1.0 + self.disturbance.placement.max(0.0) * self.normal() + bad;
        }
    }

    fn pass(&mut self, ns: f64) {
        self.now_ns += ns;
        self.time.reach(self.now_ns as u64);
    }

    /// Lets another thread run if its turn has come.
    fn take_turns(&mut self) {
        let turns = self.disturbance.turns_ns;
        let turn = |ns: f64| (ns / turns).floor();
        let now = turn(self.now_ns);
        if turns > 0.0 && now % 2.0 == 0.0 && turn(self.woke_ns) != now {
            self.pass((now + 1.0) * turns - self.now_ns);
        }
    }

    fn value(&mut self, subject: usize) -> u64 {
        self.take_turns();
        self.pass(self.clocks[subject].cost_ns);
        let clock = &self.clocks[subject];
        self.reads[subject] += 1;
        let mut time = if clock.frozen { 0.0 } else { self.now_ns };
        if clock.stops_in_sleep {
            time -= self.slept_ns;
        }
        time *= 1.0 + clock.drift_ppm * 1e-6;
        time +=
            clock.steps.iter().filter(|(at, _)| *at <= self.now_ns).map(|(_, by)| by).sum::<f64>();
        if let Some((every, by)) = clock.backwards
            && self.reads[subject].is_multiple_of(every)
        {
            time -= by;
        }
        let steps = (time / clock.tick_ns).floor();
        // Any function of the step alone is suitable if the clock never goes back.
        let slew = clock.slew_ns * (steps * 0.7).sin();
        (steps * clock.tick_ns + slew).max(0.0) as u64
    }

    /// The factor by which everything takes longer at this moment.
    fn slowness(&self) -> f64 {
        match self.disturbance.slow {
            Some(slow) if self.now_ns % slow.every_ns < slow.for_ns => slow.by,
            _ => 1.0,
        }
    }

    /// The factor by which the neighbour makes everything except a chain take longer at this
    /// moment.
    fn crowding(&self) -> f64 {
        match self.disturbance.neighbour {
            Some(spell) if self.now_ns % spell.every_ns < spell.for_ns => spell.by,
            _ => 1.0,
        }
    }

    /// What the ruler shows of a time in nanoseconds. The phase is random only for a ruler with a
    /// tick, so that other rulers keep their values.
    fn counted(&mut self, ns: f64) -> u64 {
        let phase = match self.ruler_tick {
            1 => 0.0,
            tick => self.rng.f64() * tick as f64,
        };
        let ticks = (phase + ns * HZ / 1e9) as u64 / self.ruler_tick * self.ruler_tick;
        if self.frozen { 0 } else { ticks }
    }

    /// An approximately normal deviate: the sum of twelve uniform ones (Irwin–Hall).
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.rng.f64()).sum::<f64>() - 6.0
    }
}

impl Time for Fake {
    fn elapsed(&self) -> Duration {
        if self.frozen { Duration::ZERO } else { self.time.run_clock().elapsed() }
    }

    fn sleep(&mut self, duration: Duration) {
        let ns = duration.as_nanos() as f64 + 60_000.0;
        self.pass(ns);
        self.slept_ns += ns;
        self.woke_ns = self.now_ns;
    }

    fn interrupted(&self) -> bool {
        self.interrupt_after.is_some_and(|after| self.batches >= after)
    }
}

impl Timed for Fake {
    fn specs(&self) -> &[Spec] {
        &self.specs
    }

    fn ticks(&mut self) -> u64 {
        self.pass(RULER_NS);
        if self.frozen { 0 } else { (self.now_ns * HZ / 1e9) as u64 }
    }

    fn hz(&self) -> f64 {
        HZ
    }

    fn rate(&mut self) -> Rate {
        Rate { hz: HZ, error_ppm: 0.1, is_tsc: true }
    }

    fn spin(&mut self, iterations: u32) {
        self.pass(f64::from(iterations) / CORE_GHZ);
    }
}

impl Batches for Fake {
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch {
        self.batches += 1;
        let each = match self.clocks.get(subject) {
            Some(_) => READ_INSTRUCTIONS + EMPTY_INSTRUCTIONS,
            None => EMPTY_INSTRUCTIONS,
        };
        self.executed += CALL_INSTRUCTIONS + reads * each;
        let empty = match mode {
            Mode::Throughput | Mode::Cold => EMPTY_NS,
            Mode::Latency => EMPTY_LATENCY_NS,
        };
        let read = self.clocks.get(subject).map_or(0.0, |clock| match mode {
            Mode::Throughput => clock.cost_ns,
            Mode::Latency => clock.latency_ns,
            Mode::Cold => clock.cold_ns,
        });
        let scatter = 1.0 + self.disturbance.jitter * self.normal().abs();
        let placed = self.placed.get(subject).copied().unwrap_or(1.0);
        let quiet = (read * placed + empty) * reads as f64 * scatter;
        let quiet = quiet * self.slowness() * self.crowding();
        let hit = self.rng.f64() < self.disturbance.interrupts;
        let noise =
            if hit { -self.rng.f64().max(1e-9).ln() * self.disturbance.interrupt_ns } else { 0.0 };
        let total = RULER_NS + quiet + noise;
        if mode == Mode::Cold {
            self.pass(self.displaced as f64 * DISPLACED_NS);
        }
        self.pass(total);
        let disturbed = self.rng.f64() < self.disturbance.switches;
        Batch { ticks: self.counted(total), disturbed }
    }

    fn displace(&mut self, bytes: usize) {
        self.displaced = bytes;
    }

    fn end_round(&mut self) -> bool {
        self.rng.f64() < self.disturbance.stolen
    }

    fn gauge(&mut self, what: Additions) -> Option<Gauge> {
        let (additions, cycles) = match what {
            Additions::Dependent => (8000, 8000.0),
            Additions::Independent => (32_000, 32_000.0 / WIDTH * self.crowding()),
        };
        let total = RULER_NS + cycles / CORE_GHZ * self.slowness();
        self.pass(total);
        Some(Gauge { batch: Batch { ticks: self.counted(total), disturbed: false }, additions })
    }

    fn least_width(&self) -> Option<f64> {
        Some(WIDTH)
    }

    fn between(&self) -> Between {
        let known = Shares { back_to_back: 0.003, ordered: 0.004, ..Shares::default() };
        Between::plain(Shares { frequencies: 2.5, ..known })
    }

    fn has_children(&self) -> bool {
        self.disturbance.placement >= 0.0
    }

    fn child_rounds(&mut self, job: &Job) -> Option<Sampled> {
        self.pass(PROCESS_NS);
        self.place();
        Some(sampling::sample(self, job, |_, _| false))
    }
}

impl Values for Fake {
    fn fill(&mut self, subject: usize, out: &mut [u64]) {
        for (at, place) in out.iter_mut().enumerate() {
            *place = self.value(subject);
            if at == 0 {
                self.pass(self.store_ns);
            }
        }
    }

    fn span(&mut self, subject: usize, calls: u64) -> u64 {
        let first = self.value(subject);
        for _ in 1..calls {
            self.value(subject);
        }
        self.value(subject).wrapping_sub(first)
    }

    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64 {
        let reads = self.clocks.get(subject).map_or(0.0, |clock| 2.0 * clock.cost_ns);
        let placed = self.placed.get(subject).copied().unwrap_or(1.0);
        let total = n as f64 * (reads * placed + v.len() as f64 * 0.1);
        self.pass(total);
        (total * HZ / 1e9) as u64
    }

    fn child_around(&mut self, job: &Around) -> Option<Pairs> {
        self.pass(PROCESS_NS);
        self.place();
        Some(sample_around(self, job, |_| ()))
    }

    fn first(&mut self, subject: usize) -> Option<u64> {
        self.pass(PROCESS_NS);
        Some((self.clocks.get(subject)?.cold_ns * 3.0 * HZ / 1e9) as u64)
    }

    fn instructions(&mut self) -> Option<u64> {
        self.executed += CALL_INSTRUCTIONS;
        self.counts.then_some(self.executed)
    }
}

/// The instructions of a read, and of an iteration of the empty loop, on the fake host.
pub const READ_INSTRUCTIONS: u64 = 40;
const EMPTY_INSTRUCTIONS: u64 = 2;
/// What reading the count and calling a batch execute.
const CALL_INSTRUCTIONS: u64 = 300;
