//! Reads all clocks of this machine together, a hundred times per second.

use super::log::{Glimpse, Log, Look, PERIOD_NS, Role, Subject};
use crate::engine::RulerKind;
use crate::engine::time::Interrupt;
use chronoscope_model::clock::{BuiltOn, Kind};
use chronoscope_probes::clocks::{self, Entry, Opening, Reader, Unit};
use chronoscope_probes::machine::ClockSet;
use chronoscope_probes::machine::noise;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// A clock that claims a longer tick, in nanoseconds, is not watched unless it is a device.
const COARSE_NS: f64 = 1e6;
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
    set: Option<ClockSet>,
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
        let watcher = Self { kind, tick_ns, clocks: opened, set: ClockSet::open().ok(), looks: 0 };
        (watcher, subjects, missing)
    }

    /// Whether the kernel reports when the wall clock is set.
    pub(super) fn is_told(&self) -> bool {
        self.set.is_some()
    }

    fn look(&mut self) -> Look {
        let rarely = self.looks.is_multiple_of(RARELY);
        self.looks += 1;
        let (kind, tick_ns) = (self.kind, self.tick_ns);
        let see = |clock: &mut LookedAt| {
            if clock.slow && !rarely {
                return None;
            }
            let mut once = || {
                let before = kind.start();
                let value = clock.reader.value();
                let after = kind.stop();
                Glimpse { before, value, after }
            };
            let tries = if clock.slow || clock.device { 1 } else { TRIES };
            let glimpse = (0..tries).map(|_| once()).min_by_key(Glimpse::width)?;
            clock.slow |= clock.device && glimpse.width() as f64 * tick_ns > SLOW_NS;
            // An unreadable device returns zero.
            (!clock.device || glimpse.value != 0).then_some(glimpse)
        };
        Look {
            glimpses: self.clocks.iter_mut().map(see).collect(),
            was_set: self.set.as_mut().is_some_and(ClockSet::was_set),
            steal_ns: rarely.then(|| noise::steal_ns(None)).flatten(),
            run_queue_ns: rarely.then(noise::run_queue_ns).flatten(),
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
/// counts CPU time or cycles, is the counter itself, or is coarse.
fn subject(entry: &Entry, reader: &Reader) -> Option<Subject> {
    let Unit::Hz(hz) = reader.unit else {
        return None;
    };
    let device = reader.facts.built_on == BuiltOn::Device;
    let tick_ns = reader.nominal_ns.unwrap_or(0.0).max(1e9 / hz);
    if !device && tick_ns > COARSE_NS {
        return None;
    }
    let role = match reader.kind {
        _ if entry.id == RTC => Role::Battery,
        _ if device => Role::Device,
        _ if BOOT.contains(&entry.id) => Role::Boot,
        Kind::Wall => Role::Wall,
        Kind::Monotonic | Kind::Counter => Role::Steady,
        Kind::Cpu => return None,
    };
    let at_interval = matches!(
        reader.facts.built_on,
        BuiltOn::Counter | BuiltOn::Cycles | BuiltOn::CpuTime | BuiltOn::Tick
    );
    (!at_interval).then(|| Subject {
        id: entry.id.into(),
        role,
        ns_per_unit: 1e9 / hz,
        tick_ns,
        raw: RAW.contains(&entry.id),
    })
}
