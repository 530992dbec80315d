//! The tests of trust on this machine, whether something intercepts a read (the kernel, a
//! hypervisor, or a vDSO that falls back to the system call), and the thread that reads all clocks
//! together, a hundred times per second.
//!
//! Also which rates are compared, and what each comparison can show.

use super::handover::{Desk, answer, ask};
use super::log::{Log, Look, PERIOD_NS, Role, Subject};
use super::{Compared, Host, Played};
use crate::engine::RulerKind;
use crate::engine::ordering::order_between;
use crate::engine::ruler::Bracket;
use crate::engine::schedule::{Interrupt, RunClock, Time};
use chronoscope_model::Environment;
use chronoscope_model::clock::{BuiltOn, Kind, Standing};
use chronoscope_model::environment::RateKind;
use chronoscope_model::trust::{Contended, Outside, RateAgainst, Trap};
use chronoscope_model::units::human_ns;
use chronoscope_probes::clocks::{self, Entry, Opening, Reader, Unit};
use chronoscope_probes::machine::quota::Freezer;
use chronoscope_probes::machine::{self, ClockSet, Root, affinity, noise};
use chronoscope_probes::order::{Handed, Turns};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::os;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, RwLock};
use std::time::Duration;

/// The turns before those that are timed: the second thread has to wake up first.
const WARM_UP: u64 = 64;
/// The exchanges in one comparison. The shortest round trip of this many is nearly that of
/// thousands.
const EXCHANGES: u64 = 500;
/// The approximate duration of a batch of reads, in nanoseconds: long enough for its ends not to
/// matter, and short enough to be spared by most interrupts.
const BATCH_NS: f64 = 20e3;
/// The most batches of one thread.
const MOST_BATCHES: usize = 1 << 14;

pub(super) struct Real {
    pub(super) clocks: Vec<(&'static Entry, Reader)>,
    /// The clock of each sandwich, and the reader of its system call.
    pub(super) sandwiches: Vec<(usize, Reader)>,
    /// How the counter is read.
    pub(super) kind: RulerKind,
    /// Nanoseconds per tick of the counter.
    pub(super) tick_ns: f64,
    /// The clock for time limits.
    pub(super) clock: RunClock,
    /// Set when the user asks to stop.
    pub(super) interrupt: Interrupt,
}

impl Time for Real {
    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}

fn pin(cpu: usize) -> Result<affinity::PinGuard, String> {
    affinity::pin(cpu).map_err(|error| error.to_string())
}

/// Plays a few turns before those that are timed.
fn timed(mut play: impl FnMut(u64) -> Handed, turns: u64) -> (Handed, Duration) {
    let early = play(WARM_UP);
    let start = Instant::now();
    let mut seen = play(turns);
    let time = start.elapsed();
    seen.backwards += early.backwards;
    seen.worst = seen.worst.max(early.worst);
    (seen, time)
}

fn played([first, second]: [(Handed, Duration); 2]) -> Played {
    Played { players: [first.0, second.0], time: first.1.max(second.1) }
}

impl Host for Real {
    fn fill(&mut self, clock: usize, out: &mut [u64]) {
        self.clocks[clock].1.fill(out);
    }

    fn moved(
        &mut self,
        clock: usize,
        cpus: [usize; 2],
        out: &mut [[u64; 2]],
    ) -> Result<(), String> {
        let reader = &mut self.clocks[clock].1;
        let _home = pin(cpus[0])?;
        for two in out.chunks_mut(2) {
            let before = reader.value();
            let there = pin(cpus[1])?;
            two[0] = [before, reader.value()];
            if let Some(back) = two.get_mut(1) {
                let before = reader.value();
                drop(there);
                *back = [before, reader.value()];
            }
        }
        Ok(())
    }

    fn hand(&mut self, clock: usize, cpus: [usize; 2], turns: u64) -> Result<Played, String> {
        let (entry, reader) = &mut self.clocks[clock];
        let mut second = entry.open(Opening::Checked).map_err(|why| why.0)?;
        let _home = pin(cpus[0])?;
        let both = order_between(
            cpus[1],
            0,
            |table: &Turns| timed(|turns| reader.hand(table, 0, turns), turns),
            move |table: &Turns| timed(|turns| second.hand(table, 1, turns), turns),
        )?;
        Ok(played(both))
    }

    fn compare(&mut self, cpus: [usize; 2], home: usize, turns: u64) -> Result<Compared, String> {
        let kind = self.kind;
        let _here = pin(cpus[0])?;
        let player = |me: u32| {
            move |table: &Turns| timed(|turns| table.play(me, turns, || kind.start()), turns)
        };
        let both = order_between(cpus[1], home, player(0), player(1))?;
        let [brackets, _] = order_between(
            cpus[1],
            home,
            |desk: &Desk| ask(desk, EXCHANGES, || kind.start()),
            |desk: &Desk| answer(desk, EXCHANGES, || kind.start()),
        )?;
        Ok(Compared { played: played(both), brackets })
    }

    fn sandwich(&mut self, which: usize, out: &mut [[u64; 3]]) {
        let (clock, call) = &mut self.sandwiches[which];
        let vdso = &mut self.clocks[*clock].1;
        for one in out {
            *one = [call.value(), vdso.value(), call.value()];
        }
    }

    fn contend(
        &mut self,
        clock: usize,
        cpus: &[usize],
        time: Duration,
    ) -> Result<Contended, String> {
        let entry = self.clocks[clock].0;
        let (kind, tick_ns) = (self.kind, self.tick_ns);
        // Threads that are ready wait for the gate, which opens once all of them are.
        let (gate, stop) = (RwLock::new(()), AtomicBool::new(false));
        let (say, ready) = channel();
        let found: Result<Vec<Contended>, String> = std::thread::scope(|scope| {
            let (gate, stop) = (&gate, &stop);
            let closed = gate.write();
            let start = move |cpu: &usize| {
                let (cpu, say) = (*cpu, say.clone());
                let thread = std::thread::Builder::new().name("contention".into());
                thread.spawn_scoped(scope, move || {
                    let pinned = pin(cpu);
                    let reader = entry.open(Opening::Checked).map_err(|why| why.0);
                    let _ = say.send(());
                    drop(gate.read());
                    let _guard = pinned?;
                    batches(reader?, kind, tick_ns, stop)
                })
            };
            let threads = cpus.iter().map(start).collect::<std::io::Result<Vec<_>>>();
            if let Ok(threads) = &threads {
                let _ = ready.iter().take(threads.len()).count();
            }
            drop(closed);
            chronoscope_probes::time::sleep(if threads.is_ok() { time } else { Duration::ZERO });
            stop.store(true, Ordering::Relaxed);
            let threads = threads.map_err(|error| format!("cannot start a thread: {error}"))?;
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|found| found.map_err(|_| "a thread failed".to_owned())?).collect()
        });
        let slowest = found?.into_iter().max_by(|a, b| a.ns.total_cmp(&b.ns));
        let slowest = slowest.ok_or("no thread read it")?;
        Ok(Contended { threads: cpus.len(), ..slowest })
    }
}

/// Times batches of reads until `stop` is set.
fn batches(
    mut reader: Reader,
    kind: RulerKind,
    tick_ns: f64,
    stop: &AtomicBool,
) -> Result<Contended, String> {
    let mut time = |reads: u64| {
        let start = kind.start();
        reader.throughput(0, reads);
        kind.stop().wrapping_sub(start) as f64 * tick_ns
    };
    let empty = (0..8).map(|_| time(0)).fold(f64::INFINITY, f64::min);
    let each = (0..8).map(|_| time(8) / 8.0).fold(f64::INFINITY, f64::min);
    let reads = (BATCH_NS / each.max(0.1)).clamp(1.0, 10_000.0) as u64;
    let mut costs = Vec::with_capacity(MOST_BATCHES);
    while !stop.load(Ordering::Relaxed) {
        let cost = (time(reads) - empty) / reads as f64;
        if costs.len() < MOST_BATCHES {
            costs.push(cost);
        }
    }
    costs.sort_by(f64::total_cmp);
    let last = costs.len().checked_sub(1).ok_or("a thread had no time to read")?;
    let [low_ns, ns, high_ns] = [1, 2, 3].map(|share| costs[last * share / 4]);
    Ok(Contended { threads: 1, ns, low_ns, high_ns })
}

/// A read of the counter that takes longer, in nanoseconds, is intercepted: an exit of a virtual
/// machine takes this long, and no processor's own read does.
const TRAPPED_NS: f64 = 1000.0;
/// A read through the vDSO that takes more than this share of the system call's time makes that
/// call: even with a slow counter, the difference is more than a fifth.
const FALLS_BACK: f64 = 0.8;
/// How often each cost is measured; the smallest counts.
const TRAP_TRIES: usize = 32;
/// The reads of one measurement.
const READS: u64 = 64;

/// Returns the intercepted reads, before anything else is tested.
pub(super) fn find_traps(real: &mut Real, env: &Environment) -> Vec<Trap> {
    let mut found = Vec::new();
    if let Some(tsc) = &env.tsc {
        found.push(Trap {
            id: "counter-permitted".into(),
            trapped: tsc.permitted.map(|may| !may),
            evidence: match tsc.permitted {
                Some(true) => "prctl(PR_GET_TSC) returned PR_TSC_ENABLE".into(),
                Some(false) => "prctl(PR_GET_TSC) returned PR_TSC_SIGSEGV".into(),
                None => "the system does not report whether the TSC may be read".into(),
            },
        });
    }
    let (kind, tick_ns) = (real.kind, real.tick_ns);
    if kind != RulerKind::System {
        found.push(trapped("counter-trapped", "a read of the counter", kind, tick_ns, |reads| {
            for _ in 0..reads {
                std::hint::black_box(chronoscope::counter::now());
            }
        }));
    }
    let rdtscp = clocks::find("x86/rdtscp").and_then(|entry| entry.open(Opening::Checked).ok());
    if let Some(mut rdtscp) = rdtscp {
        let read = |reads| rdtscp.throughput(0, reads);
        found.push(trapped("rdtscp-trapped", "rdtscp", kind, tick_ns, read));
    }
    if let Some(vdso) = &env.vdso {
        found.push(Trap {
            id: "vdso-mapped".into(),
            trapped: Some(!vdso.present),
            evidence: if vdso.present {
                "the kernel maps a vDSO (AT_SYSINFO_EHDR)".into()
            } else {
                "the kernel maps no vDSO (AT_SYSINFO_EHDR is absent)".into()
            },
        });
    }
    let cost = |reader: &mut Reader| cost(kind, tick_ns, |reads| reader.throughput(0, reads));
    for (clock, call) in &mut real.sandwiches {
        let (entry, vdso) = &mut real.clocks[*clock];
        let (vdso, call) = (cost(vdso), cost(call));
        found.push(Trap {
            id: "vdso-falls-back".into(),
            trapped: Some(vdso > FALLS_BACK * call),
            evidence: format!(
                "{}: {vdso:.1} ns through the vDSO, {call:.1} ns by the system call",
                entry.id
            ),
        });
    }
    found
}

fn trapped(id: &str, what: &str, kind: RulerKind, tick_ns: f64, read: impl FnMut(u64)) -> Trap {
    let ns = cost(kind, tick_ns, read);
    Trap {
        id: id.into(),
        trapped: Some(ns > TRAPPED_NS),
        evidence: format!("{what} takes {ns:.1} ns"),
    }
}

/// Returns the smallest cost of a read in a short batch, in nanoseconds.
fn cost(kind: RulerKind, tick_ns: f64, mut read: impl FnMut(u64)) -> f64 {
    let tries = (0..TRAP_TRIES).map(|_| {
        let start = kind.start();
        read(READS);
        kind.stop().wrapping_sub(start) as f64 * tick_ns / READS as f64
    });
    tries.fold(f64::INFINITY, f64::min)
}

/// The clocks that are always watched, the principal one of each role first.
const ALWAYS: [&str; 12] = [
    "linux/monotonic-raw",
    "mach/absolute_time",
    "windows/qpc",
    "posix/monotonic",
    "linux/boottime",
    "mach/continuous_time",
    "posix/realtime",
    "windows/getsystemtimepreciseasfiletime",
    "linux/tai",
    PTP,
    RTC,
    "rust/instant",
];
/// The clocks that are never slewed.
const RAW: [&str; 3] = ["linux/monotonic-raw", "mach/absolute_time", "windows/qpc"];
/// The clocks that also count while the machine is suspended.
const BOOT: [&str; 2] = ["linux/boottime", "mach/continuous_time"];
/// The devices with oscillators of their own.
pub(super) const PTP: &str = "linux/ptp";
pub(super) const RTC: &str = "linux/rtc";

/// A clock that claims a longer tick, in nanoseconds, is coarse unless it is a device.
const COARSE_NS: f64 = 1e6;
/// The longest tick of Windows' clocks, in nanoseconds; their interfaces only state a unit.
const WINDOWS_TICK_NS: f64 = 15.625e6;
/// A read that takes longer, in nanoseconds, is made only at every [`RARELY`]th look.
const SLOW_NS: f64 = 20e3;
const RARELY: u64 = 10;
/// How many brackets are tried; the tightest counts.
const TRIES: usize = 3;

/// A clock that is watched.
struct LookedAt {
    reader: Reader,
    device: bool,
    slow: bool,
}

/// The clocks, and what else is read with them.
pub(super) struct ClockWatcher {
    kind: RulerKind,
    tick_ns: f64,
    clocks: Vec<LookedAt>,
    /// Reports when the wall clock is set, if the kernel does that.
    pub(super) set: Option<ClockSet>,
    freezer: Freezer,
    looks: u64,
}

/// Clocks with oscillators of their own that cannot be read here, and why.
pub(super) type Missing = Vec<(&'static str, String)>;

impl ClockWatcher {
    /// Opens those of these clocks that can be watched, and those that always are.
    pub(super) fn open(
        entries: &[&'static Entry],
        kind: RulerKind,
        tick_ns: f64,
    ) -> (Self, Vec<Subject>, Missing) {
        let always = ALWAYS.iter().filter_map(|id| clocks::find(id));
        let mut all: Vec<&'static Entry> = always.collect();
        for entry in entries {
            if !all.iter().any(|known| known.id == entry.id) {
                all.push(entry);
            }
        }
        let (mut opened, mut subjects, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for entry in all {
            let device = entry.facts.built_on == BuiltOn::Device;
            match entry.open(Opening::Checked) {
                Ok(reader) => {
                    if let Some(subject) = subject(entry, &reader) {
                        subjects.push(subject);
                        opened.push(LookedAt { reader, device, slow: false });
                    }
                }
                Err(why) if device && !entry.is_on_other_system() => {
                    missing.push((entry.id, why.0))
                }
                Err(_) => {}
            }
        }
        os::forget_continue();
        let (set, freezer) = (ClockSet::open().ok(), Freezer::of(&Root::host()));
        let watcher = Self { kind, tick_ns, clocks: opened, set, freezer, looks: 0 };
        (watcher, subjects, missing)
    }

    fn look(&mut self) -> Look {
        let rarely = self.looks.is_multiple_of(RARELY);
        self.looks += 1;
        let (kind, tick_ns) = (self.kind, self.tick_ns);
        let see = |clock: &mut LookedAt| {
            if clock.slow && !rarely {
                return None;
            }
            let tries = if clock.slow || clock.device { 1 } else { TRIES };
            let read = || clock.reader.value();
            let bracket = Bracket::tightest(tries, || kind.start(), read, || kind.stop());
            clock.slow |= clock.device && bracket.width() as f64 * tick_ns > SLOW_NS;
            // An unreadable device returns zero.
            (!clock.device || bracket.value != 0).then_some(bracket)
        };
        Look {
            brackets: self.clocks.iter_mut().map(see).collect(),
            was_set: self.set.as_mut().is_some_and(ClockSet::was_set),
            steal_ns: rarely.then(|| noise::steal_ns(None)).flatten(),
            run_queue_ns: rarely.then(noise::run_queue_ns).flatten(),
            halted: self.freezer.take() | os::take_continue(),
            cpus: rarely.then(machine::online).flatten(),
        }
    }

    /// Takes looks until it is asked to stop. Their number is bounded by `time`, in case that clock
    /// stands still.
    pub(super) fn watch(
        mut self,
        log: &Mutex<Log>,
        stop: &AtomicBool,
        interrupt: &Interrupt,
        time: Duration,
    ) {
        let period = Duration::from_nanos(PERIOD_NS as u64);
        let most = 2 * (time.as_nanos() / period.as_nanos()) + 100;
        for _ in 0..most {
            let look = self.look();
            if let Ok(mut log) = log.lock() {
                log.add(look);
            }
            if stop.load(Ordering::Relaxed) || interrupt.is_set() {
                break;
            }
            chronoscope_probes::time::sleep(period);
        }
    }
}

/// Returns what is known about a clock to watch; `None` if there is nothing to see, because it
/// counts CPU time or cycles, is the counter itself, or is coarse and may be set.
fn subject(entry: &Entry, reader: &Reader) -> Option<Subject> {
    let Unit::Hz(hz) = reader.unit else {
        return None;
    };
    let built_on = reader.facts.built_on;
    let device = built_on == BuiltOn::Device;
    let tick_ns = reader.nominal_ns.unwrap_or(0.0).max(1e9 / hz);
    let coarse = !device && (tick_ns > COARSE_NS || built_on == BuiltOn::Tick);
    let at_ticks = if coarse && cfg!(windows) { WINDOWS_TICK_NS } else { 0.0 };
    let role = match reader.kind {
        _ if entry.id == RTC => Role::Battery,
        _ if device => Role::Device,
        Kind::Monotonic if coarse => Role::Coarse,
        _ if coarse => return None,
        _ if BOOT.contains(&entry.id) => Role::Boot,
        Kind::Wall => Role::Wall,
        Kind::Monotonic | Kind::Counter => Role::Steady,
        Kind::Cpu => return None,
    };
    let counts = !matches!(built_on, BuiltOn::Counter | BuiltOn::Cycles | BuiltOn::CpuTime);
    counts.then(|| Subject {
        id: entry.id.into(),
        role,
        ns_per_unit: 1e9 / hz,
        tick_ns: tick_ns.max(at_ticks),
        raw: RAW.contains(&entry.id),
    })
}

/// The most rows: a run that names many clocks still has a table that can be read.
const MOST: usize = 60;

const OWN_OSCILLATOR: &str = "a device with an oscillator of its own, or the host's clock";

/// Returns the rate of the counter, and of each clock, against each reference, from at most this
/// many moments. `counter` is the counter's name and the rate that the log assumes; `None` if the
/// system's clock keeps the log, which is one of the clocks that are compared.
pub(super) fn rates(
    log: &Log,
    counter: Option<(&str, f64)>,
    env: &Environment,
    most: usize,
) -> Vec<RateAgainst> {
    let subjects = &log.subjects;
    let reference = |at: &usize| {
        subjects[*at].raw || subjects[*at].role.is_device() || disciplined(*at, log, env)
    };
    let references: Vec<usize> = (0..subjects.len()).filter(reference).collect();
    let others = (0..subjects.len()).filter(|at| !subjects[*at].role.is_device());
    let clocks = counter.map(|_| None).into_iter().chain(others.map(Some));
    let mut found = Vec::new();
    for clock in clocks {
        for &against in &references {
            let steered = clock.is_some_and(|at| !subjects[at].raw);
            // A clock is not a reference for itself, nor is a clock that the same program steers.
            if clock == Some(against) || steered && disciplined(against, log, env) {
                continue;
            }
            let Some(ppm) = log.rate(clock, Some(against), most) else {
                continue;
            };
            // The log's rates are differences of two rates against the counter.
            let (id, offset) = match (clock, counter) {
                (Some(at), _) => (subjects[at].id.as_str(), 0.0),
                (None, Some((id, hz))) => (id, (hz / stated(env).unwrap_or(hz) - 1.0) * 1e6),
                (None, None) => continue,
            };
            let (standing, why) = standing(clock, against, log, env);
            found.push(RateAgainst {
                id: id.into(),
                against: subjects[against].id.clone(),
                ppm: ppm.value + offset,
                low_ppm: ppm.low + offset,
                high_ppm: ppm.high + offset,
                pairs: ppm.moments,
                seconds: ppm.seconds,
                standing,
                why,
            });
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the counter's rate as stated by the processor, the hypervisor or the kernel.
pub(super) fn stated(env: &Environment) -> Option<f64> {
    let mut rates = env.counter_rates().iter();
    let stated = rates.find(|rate| rate.kind == RateKind::Stated && rate.hz.is_some())?;
    stated.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

/// Whether this is the principal wall clock, and something outside the machine disciplines it.
fn disciplined(at: usize, log: &Log, env: &Environment) -> bool {
    log.principal(Role::Wall) == Some(at) && env.discipline.is_some_and(|found| found.synchronised)
}

fn standing(
    clock: Option<usize>,
    against: usize,
    log: &Log,
    env: &Environment,
) -> (Standing, String) {
    let reference = &log.subjects[against];
    let source = env.clocksource.as_ref().map(|source| source.current.as_str());
    if reference.role.is_device() {
        return (Standing::Independent, OWN_OSCILLATOR.into());
    }
    if disciplined(against, log, env) {
        let within = env.discipline.map_or(0.0, |found| found.max_error_ns);
        let why = format!("disciplined from outside to within {}", human_ns(within));
        return (Standing::Independent, why);
    }
    let named = source.map_or(String::new(), |name| format!(" {name}"));
    if clock.is_some() {
        (Standing::SameOscillator, format!("both count the clock source{named}"))
    } else if env.keeps_time_by_counter() {
        (Standing::SameOscillator, format!("the clock source{named} is this counter"))
    } else if source.is_some() {
        let why = format!("the clock source{named} is another timer, whose own error is not known");
        (Standing::Unverified, why)
    } else {
        (Standing::Unverified, "it is not known what the system keeps time with".into())
    }
}

/// What could show a wrong rate: the kernel's discipline and who keeps it, and devices.
pub(super) fn outside(
    log: &Log,
    missing: &[(&'static str, String)],
    rates: &[RateAgainst],
    env: &Environment,
) -> Vec<Outside> {
    let mut found = Vec::new();
    let programs = env.keeping.as_ref().and_then(|keeping| keeping.programs.as_deref());
    let kept = match programs.unwrap_or_default() {
        [] => "no program that synchronises it was found".to_owned(),
        some => format!("running: {}", some.join(", ")),
    };
    let wall = log.subjects.iter().find(|one| one.role == Role::Wall);
    let used = |id: &str| {
        let independent = |rate: &RateAgainst| rate.standing == Standing::Independent;
        rates.iter().any(|rate| rate.against == id && independent(rate))
    };
    let says = match &env.discipline {
        Some(it) if it.synchronised => format!(
            "reports that its clock is synchronised to within {} (maxerror), corrected by \
             {:+.3} ppm",
            human_ns(it.max_error_ns),
            it.correction_ppm
        ),
        Some(_) => "reports that its clock is not synchronised (STA_UNSYNC)".into(),
        None => "does not report whether its clock is synchronised".into(),
    };
    found.push(Outside {
        id: "discipline".into(),
        used: env.discipline.is_some_and(|it| it.synchronised)
            && wall.is_some_and(|wall| used(&wall.id)),
        text: format!("the kernel {says}; {kept}"),
    });
    for id in [PTP, RTC] {
        let why = missing.iter().find(|(missing, _)| *missing == id);
        let text = if log.subjects.iter().any(|one| one.id == id) {
            OWN_OSCILLATOR.into()
        } else if let Some((_, why)) = why {
            why.clone()
        } else {
            continue;
        };
        found.push(Outside { id: id.into(), used: used(id), text });
    }
    found
}
