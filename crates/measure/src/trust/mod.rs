//! Whether clocks can be trusted: backward steps on one thread, between CPUs and under migration;
//! the offsets of the CPUs' counters; rates against every reference; steps, slews, jumps and pauses
//! while it watches; the vDSO against the system call; and what reads cost when all CPUs read.
//!
//! A run may continue an earlier one, from its report ([`Request::resumed`]).
//!
//! A thread reads all clocks a hundred times per second ([`log`] judges what it sees), while the
//! tests of [`jobs`] run one after the other in random order.
//!
//! [`Host`] is the interface between a test of trust and a machine. The real machine is in
//! `real.rs`; tests simulate one.

pub(crate) mod handover;
pub mod jobs;
pub mod log;
mod real;

pub use crate::engine::ruler::Bracket;
use crate::engine::schedule::{self, Time};
use crate::engine::{RulerKind, Timed};
use crate::locked;
use crate::run::{Error, Measurement, Progress, Setting};
use chronoscope_model::clock::{BuiltOn, Counts, Facts, Kind, Reads};
use chronoscope_model::run::Noise;
use chronoscope_model::trust::{Anchor, Contended, LeftOut, Trust, VmClock, Watch};
use chronoscope_model::{Environment, Report};
use chronoscope_probes::clocks::{self, Entry, Opening, Reader, Unit};
use chronoscope_probes::machine::{self, Root, vmclock};
use chronoscope_probes::order::Handed;
use handover::serialised;
use jobs::{TestPlan, Tests};
use log::Log;
use real::{ClockWatcher, Missing, Real, find_traps};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time between two states that are worth keeping.
pub(crate) const CHECKPOINTS: Duration = Duration::from_millis(900);
/// The number of moments from which a rate is determined: at the end, and for a checkpoint.
const MOMENTS: [usize; 2] = [500, 100];

pub struct Request {
    /// The clocks; empty: those that programs use, without other paths to the same clocks.
    entries: Vec<&'static Entry>,
    /// How long to watch; absent: the run's budget, or that of [`schedule`].
    time: Option<Duration>,
    /// The run that goes on, if there is one.
    earlier: Option<Earlier>,
}

impl Request {
    /// A request for these clocks and this time.
    pub fn new(entries: Vec<&'static Entry>, time: Option<Duration>) -> Self {
        Self { entries, time, earlier: None }
    }

    /// A request to go on with an earlier run of these clocks for this time; by default, for the
    /// rest of the time that was asked for, or for `again` (by default, that of [`schedule`]) if it
    /// is over.
    ///
    /// # Errors
    /// The run cannot be continued on this machine; one line says why.
    pub fn resumed(
        entries: Vec<&'static Entry>,
        trust: Trust,
        time: Option<Duration>,
        again: Option<Duration>,
    ) -> Result<Self, String> {
        let earlier = Earlier::of(trust)?;
        let time = rest([earlier.trust.asked_s, earlier.trust.seconds], time, again);
        Ok(Self { entries, time: Some(time), earlier: Some(earlier) })
    }
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let Self { entries, time, earlier } = *self;
        let asked = time.or(setting.budget).unwrap_or(schedule::TRUST.time);
        (setting.progress)(Progress::Time(asked));
        let entries = if entries.is_empty() { usual() } else { entries };
        let mut session = setting.session(&report.environment, &entries)?;
        let ruler = session.machine.rate();
        let kind = session.machine.ruler().kind();
        let mut counter = Counter { id: session.machine.ruler().id(), kind, hz: ruler.hz };
        let (mut real, mut plan, unavailable) =
            prepare(&entries, &counter, setting, &report.environment);
        // Preparation does not shorten hours of watching.
        plan.time = time.unwrap_or_else(|| setting.left_of(asked));
        if let Some(earlier) = &earlier {
            // The log goes on with the rate that it began with.
            counter.hz = earlier.hz_of(&counter.id).map_err(Error::Invalid)?;
            if counter.named().is_none() {
                let why = "there is no counter to read here, and the clock that stands in for it \
                           counts from the start of the process; start a new run";
                return Err(Error::Invalid(why.into()));
            }
        }
        let before = earlier.as_ref().map_or(0.0, |earlier| earlier.trust.seconds);
        let mut run = Run {
            counter,
            plan,
            base: Trust {
                clocks: unavailable,
                asked_s: before + asked.as_secs_f64(),
                traps: find_traps(&mut real, &report.environment),
                ..Trust::default()
            },
            missing: Vec::new(),
            started: String::new(),
            earlier,
            vmclock: vmclock::read(),
            adjtimex: machine::adjtimex(),
        };
        let found = run.watch(&mut real, &entries, setting, report);
        report.trust = Some(found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// The clocks that programs use, each once: neither CPU time nor devices, nor other paths to a
/// clock that is watched.
fn usual() -> Vec<&'static Entry> {
    let usual = |entry: &&&'static Entry| {
        let reads = matches!(entry.facts.reads, Reads::Counter | Reads::Vdso | Reads::SystemCall);
        let facts = &entry.facts;
        let counts = entry.kind != Kind::Cpu && facts.counts == Counts::Time;
        // A value that the kernel stores at its ticks follows the clock that it comes from.
        let itself = facts.built_on != BuiltOn::Tick && !facts.exits_guest;
        !entry.is_on_other_system() && entry.alternative_to.is_none() && counts && reads && itself
    };
    clocks::ALL.iter().filter(usual).copied().collect()
}

/// The counter that brackets all reads.
struct Counter {
    id: String,
    kind: RulerKind,
    hz: f64,
}

impl Counter {
    /// The name and rate of the counter, unless the system's clock stands in for it.
    fn named(&self) -> Option<(&str, f64)> {
        (self.kind != RulerKind::System).then_some((self.id.as_str(), self.hz))
    }
}

/// What is known about a clock before it is watched.
fn unwatched(entry: &Entry, facts: Facts) -> Watch {
    Watch { id: entry.id.into(), kind: entry.kind, facts: Some(facts), ..Watch::default() }
}

/// Opens a clock for its tests.
///
/// # Errors
/// The reason why the clock cannot be tested.
fn open(
    entry: &Entry,
    counter: &Counter,
    env: &Environment,
) -> Result<(jobs::Clock, Reader), String> {
    let reader = entry.open(Opening::Checked).map_err(|why| why.0)?;
    let hz = match reader.unit {
        Unit::Hz(hz) => hz,
        // If the system's clock stands in for it, the counter has a rate of its own.
        Unit::Counter if counter.named().is_none() => real::stated(env).unwrap_or(counter.hz),
        Unit::Counter => counter.hz,
        Unit::Variable => return Err("its unit has no fixed length".into()),
    };
    let unit_ns = 1e9 / hz;
    // A value composed of parts wraps only when the largest part does.
    let composed = reader.range.per_second.is_some();
    let clock = jobs::Clock {
        watch: unwatched(entry, reader.facts),
        unit_ns,
        tick_ns: reader.nominal_ns.unwrap_or(unit_ns),
        bits: if composed { 64 } else { reader.range.bits.min(64) },
        shared: reader.kind != Kind::Cpu && reader.facts.counts == Counts::Time,
    };
    Ok((clock, reader))
}

/// The system call for a clock that is read through the vDSO, if it can be made.
fn system_call(entry: &Entry, reader: &Reader) -> Option<(&'static Entry, Reader)> {
    let is_call = |other: &&&'static Entry| {
        other.alternative_to == Some(entry.id)
            && other.facts.reads == Reads::SystemCall
            && other.facts.built_on == reader.facts.built_on
    };
    let through_vdso = reader.facts.reads == Reads::Vdso;
    let call = clocks::ALL.iter().filter(|_| through_vdso).find(is_call)?;
    Some((call, call.open(Opening::Checked).ok()?))
}

/// Opens the clocks, and plans their tests. Clocks that cannot be tested come last.
fn prepare(
    entries: &[&'static Entry],
    counter: &Counter,
    setting: &Setting,
    env: &Environment,
) -> (Real, TestPlan, Vec<Watch>) {
    let tick_ns = 1e9 / counter.hz;
    let (mut opened, mut planned, mut unavailable) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        match open(entry, counter, env) {
            Ok((clock, reader)) => {
                planned.push(clock);
                opened.push((*entry, reader));
            }
            Err(why) => unavailable
                .push(Watch { unavailable_reason: Some(why), ..unwatched(entry, entry.facts) }),
        }
    }
    let both = opened.iter().enumerate().filter_map(|(at, (entry, reader))| {
        let (call, reader) = system_call(entry, reader)?;
        Some(((at, reader), (at, call.id.to_owned())))
    });
    let (sandwiches, calls) = both.unzip();
    let cpus = &env.allowed_cpus;
    let nodes = machine::nodes(&Root::host(), cpus);
    let most = serialised(env).map_or(cpus.len(), |_| 1);
    let real = Real {
        clocks: opened,
        sandwiches,
        kind: counter.kind,
        tick_ns,
        clock: schedule::RunClock::start(),
        interrupt: setting.interrupt.clone(),
    };
    let plan = TestPlan {
        clocks: planned,
        counter: counter.id.clone(),
        tick_ns,
        sandwiches: calls,
        cpus: cpus.iter().copied().zip(nodes).take(most).collect(),
        time: schedule::TRUST.time,
        seed: setting.seed,
    };
    (real, plan, unavailable)
}

struct Run {
    counter: Counter,
    plan: TestPlan,
    base: Trust,
    missing: Missing,
    /// When the watch began, in UTC as RFC 3339.
    started: String,
    earlier: Option<Earlier>,
    vmclock: Result<vmclock::Page, String>,
    adjtimex: Option<String>,
}

impl Run {
    fn watch(
        &mut self,
        real: &mut Real,
        entries: &[&'static Entry],
        setting: &mut Setting,
        report: &Report,
    ) -> Trust {
        let tick_ns = 1e9 / self.counter.hz;
        let (watcher, subjects, missing) = ClockWatcher::open(entries, self.counter.kind, tick_ns);
        self.missing = missing;
        if watcher.set.is_none() {
            self.base.left_out.push(LeftOut {
                what: "reports of steps".into(),
                why: "the system offers no TFD_TIMER_CANCEL_ON_SET, so steps are detected only by \
                      the distance from the monotonic clock"
                    .into(),
            });
        }
        let log = Log::new(subjects, &self.counter.id, tick_ns);
        let now = || jiff::Timestamp::now().to_string();
        let (log, mut tests) = match &self.earlier {
            None => (log, Tests::new(self.plan.clone())),
            Some(Earlier { trust, anchor }) => {
                (log.resume(trust, anchor), Tests::resume(self.plan.clone(), trust))
            }
        };
        let earlier = self.earlier.as_ref().and_then(|earlier| earlier.trust.series.as_ref());
        self.started = earlier.map_or_else(now, |series| series.started.clone());
        let log = Mutex::new(log);
        let (stop, interrupt) = (AtomicBool::new(false), setting.interrupt.clone());
        let time = self.plan.time;
        let mut keep = setting.checkpoint.take();
        let progress = &mut setting.progress;
        let began = real.clock.clone();
        let mut kept = Duration::ZERO;
        std::thread::scope(|scope| {
            let (log, stop, interrupt) = (&log, &stop, &interrupt);
            let thread = std::thread::Builder::new().name("watch".into());
            let started = thread.spawn_scoped(scope, move || {
                watcher.watch(log, stop, interrupt, time);
            });
            if let Err(error) = started {
                self.base.left_out.push(LeftOut {
                    what: "rates, steps, jumps and pauses".into(),
                    why: format!("cannot start a thread: {error}"),
                });
            }
            tests.run(real, |tests, share| {
                progress(Progress::Phase("trust", share));
                let elapsed = began.elapsed();
                if let Some(keep) = &mut keep
                    && elapsed.saturating_sub(kept) >= CHECKPOINTS
                {
                    kept = elapsed;
                    let trust = self.trust(tests, log, elapsed, MOMENTS[1], report);
                    keep(&Report { trust: Some(trust), ..report.clone() });
                }
            });
            stop.store(true, Ordering::Relaxed);
        });
        self.trust(&tests, &log, began.elapsed(), MOMENTS[0], report)
    }

    fn trust(
        &self,
        tests: &Tests,
        log: &Mutex<Log>,
        elapsed: Duration,
        moments: usize,
        report: &Report,
    ) -> Trust {
        let env = &report.environment;
        let earlier = self.earlier.as_ref().map(|earlier| &earlier.trust);
        let before = earlier.map_or(0.0, |earlier| earlier.seconds);
        let mut trust = Trust { seconds: before + elapsed.as_secs_f64(), ..self.base.clone() };
        tests.report(&mut trust);
        // What a failed thread left behind was still observed.
        let log = locked(log).clone();
        trust.rates = real::rates(&log, self.counter.named(), env, moments);
        trust.outside = real::outside(&log, &self.missing, &trust.rates, env);
        trust.wall = log.wall(moments);
        if let Some(wall) = &mut trust.wall {
            let then = earlier.and_then(|earlier| earlier.wall.as_ref()?.adjtimex.clone());
            let then = then.map(|[first, _]| first).or(self.adjtimex.clone());
            wall.adjtimex = then.zip(machine::adjtimex()).map(Into::into);
            if wall.adjtimex.is_none() && cfg!(target_os = "linux") {
                wall.left_out
                    .push("adjtimex(2) is refused: a sandbox or a container forbids it".into());
            }
        }
        trust.watched = log.watched.clone();
        let both = self.vmclock.as_ref().map_err(Clone::clone);
        let both = both.and_then(|before| Ok((before, vmclock::read()?)));
        trust.watched.no_vmclock = both.as_ref().err().cloned();
        trust.watched.vmclock = both.ok().map(|(before, after)| VmClock {
            disruption_marker: [before.disruption_marker, after.disruption_marker],
            generation: before.generation.zip(after.generation).map(Into::into),
            status: after.status.into(),
        });
        if let (Some(page), Some(earlier)) = (&mut trust.watched.vmclock, earlier) {
            since(page, earlier.watched.vmclock.as_ref());
        }
        trust.series = Some(log.series(self.started.clone()));
        trust.anchor = log.anchor(machine::boot_id().unwrap_or_default());
        trust
    }
}

/// A run cannot last longer than this, in seconds, …
pub(crate) const MOST_S: f64 = 1e9;
/// … nor count more than this of anything.
pub(crate) const MOST: u64 = 1 << 56;
/// The least rate of a counter, in hertz.
const LEAST_HZ: f64 = 1e3;
/// If less of the time of the earlier run is left, in seconds, it was complete.
const LEFT_S: f64 = 0.1;

/// A run that can be continued on this machine.
pub(super) struct Earlier {
    pub(super) trust: Trust,
    pub(super) anchor: Anchor,
}

impl Earlier {
    /// Checks that this run can be continued here and now.
    fn of(mut trust: Trust) -> Result<Self, String> {
        let anchor = trust.anchor.take();
        let anchor = anchor.ok_or("it does not say where its watch ended; start a new run")?;
        check_boot(&anchor.boot)?;
        let earlier = Self { trust, anchor };
        if earlier.is_sane() { Ok(earlier) } else { Err("its figures are impossible".into()) }
    }

    /// Whether figures can be added: reports are untrusted.
    fn is_sane(&self) -> bool {
        let Trust { clocks, matrix, sandwiches, watched, wall, .. } = &self.trust;
        let tries = clocks.iter().flat_map(|watch| [watch.tries(), watch.backwards()]);
        let pairs = matrix.pairs.iter().flat_map(|pair| {
            let exchanges = pair.offsets.iter().map(|offset| offset.exchanges);
            exchanges.chain([pair.handed.turns, pair.handed.backwards])
        });
        let sandwiches = sandwiches
            .iter()
            .flat_map(|one| [one.tries, one.below, one.above, one.calls_backwards]);
        let wall = wall.iter();
        let wall = wall.flat_map(|wall| [wall.looks, wall.more_steps, wall.reported.unwrap_or(0)]);
        let more = [watched.more_jumps, watched.more_pauses].into_iter().flatten();
        let watched = more.chain([watched.looks]);
        let mut counts = tries.chain(pairs).chain(sandwiches).chain(wall).chain(watched);
        let time = |s: f64| (0.0..=MOST_S).contains(&s);
        let times = time(self.trust.seconds) && time(self.trust.asked_s);
        let ticks = self.anchor.tick_ns > 0.0 && self.anchor.tick_ns <= 1e9 / LEAST_HZ;
        times && ticks && counts.all(|count| count <= MOST)
    }

    /// The rate that the counter was taken to have, in hertz.
    ///
    /// # Errors
    /// It was another counter.
    pub(super) fn hz_of(&self, counter: &str) -> Result<f64, String> {
        let then = &self.anchor.counter;
        if then != counter {
            return Err(format!(
                "the counter is now {counter}, but it was {then}; start a new run"
            ));
        }
        Ok(1e9 / self.anchor.tick_ns)
    }
}

/// Checks that a run was made on this boot of this machine.
///
/// # Errors
/// It was not, or nobody knows.
pub(crate) fn check_boot(then: &str) -> Result<(), String> {
    let boot = machine::boot_id()
        .ok_or("this system does not tell one boot from another, so rates cannot go on")?;
    if then != boot {
        return Err("it is from another machine, or from before the machine was restarted; \
                    start a new run"
            .into());
    }
    Ok(())
}

/// How long a run goes on that was to take so many seconds and took so many: for this time, or for
/// the rest, or, if there is none, for as long `again`.
pub(crate) fn rest(
    [asked_s, seconds]: [f64; 2],
    time: Option<Duration>,
    again: Option<Duration>,
) -> Duration {
    let left = asked_s - seconds;
    let left = (left > LEFT_S).then(|| Duration::from_secs_f64(left));
    time.or(left).or(again).unwrap_or(schedule::TRUST.time)
}

/// Lets a page of the hypervisor begin with what it showed in the earlier run.
pub(super) fn since(page: &mut VmClock, earlier: Option<&VmClock>) {
    let Some(earlier) = earlier else { return };
    page.disruption_marker[0] = earlier.disruption_marker[0];
    if let (Some(now), Some(then)) = (&mut page.generation, earlier.generation) {
        now[0] = then[0];
    }
}

/// Values that two threads handed to each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Played {
    /// What each of the threads saw.
    pub players: [Handed; 2],
    /// How long the threads played.
    pub time: Duration,
}

impl Played {
    /// The turns of both threads.
    pub fn turns(&self) -> u64 {
        self.players.iter().map(|player| player.turns).sum()
    }
}

/// What two CPUs showed about their counters.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Values that were handed over, read with fences on both sides.
    pub played: Played,
    /// Values of the second CPU between two values of the first.
    pub brackets: Vec<Bracket>,
}

/// A machine whose clocks can be tested. Clocks and sandwiches are identified by number. Each call
/// ends after a bounded number of reads, whatever a clock returns.
pub trait Host: Time {
    /// Fills `out` with successive values of a clock.
    fn fill(&mut self, clock: usize, out: &mut [u64]);

    /// Fills `out` with values of a clock read right before and right after a move of the thread
    /// between two CPUs.
    ///
    /// # Errors
    /// The thread cannot be moved there.
    fn moved(&mut self, clock: usize, cpus: [usize; 2], out: &mut [[u64; 2]])
    -> Result<(), String>;

    /// Lets two threads, one on each CPU, hand over this many values of a clock each.
    ///
    /// # Errors
    /// The two threads could not be started there.
    fn hand(&mut self, clock: usize, cpus: [usize; 2], turns: u64) -> Result<Played, String>;

    /// Compares the counters of two CPUs through a page of memory at the home of the first or the
    /// second CPU.
    ///
    /// # Errors
    /// The two threads could not be started there.
    fn compare(&mut self, cpus: [usize; 2], home: usize, turns: u64) -> Result<Compared, String>;

    /// Fills `out` with a system call, a read through the vDSO, and a system call.
    fn sandwich(&mut self, which: usize, out: &mut [[u64; 3]]);

    /// Measures the cost of a read of a clock while a thread on each of these CPUs reads it, for
    /// about this time: the quartiles of the slowest thread's batches.
    ///
    /// # Errors
    /// The threads could not be started there.
    fn contend(
        &mut self,
        clock: usize,
        cpus: &[usize],
        time: Duration,
    ) -> Result<Contended, String>;
}
