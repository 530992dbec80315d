//! Prepares to measure on this machine: opens the clocks, chooses a CPU and pins the thread to it,
//! and calibrates the ruler.

use crate::engine::bench::Bench;
use crate::engine::children::Children;
use crate::engine::gauges::Gauges;
use crate::engine::neighbour::Neighbour;
use crate::engine::ruler::RulerKind;
use crate::engine::spec::unavailable_row;
use crate::engine::time::{Interrupt, Time};
use crate::engine::{Machine, Offer, Ruler, Spec, Timed};
use crate::engine::{notes, time_taken};
use crate::run::independent::Independent;
use chronoscope_model::between::Between;
use chronoscope_model::clock::Clock;
use chronoscope_model::environment::{CoreClass, Cpu, Environment, Rate, RateKind, TscKind};
use chronoscope_model::run::{self, Noise};
use chronoscope_model::{Note, Report};
use chronoscope_probes::clocks::{Entry, Unit, steps};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_probes::machine::noise;
use chronoscope_probes::time::Instant;
use std::fmt;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The CPU to pin to; absent: the quietest of those allowed.
    pub cpu: Option<usize>,
    /// The real-time priority at which the thread will measure.
    pub fifo: Option<u32>,
    /// Set when the user asks to stop.
    pub interrupt: Interrupt,
    /// How to start children of this tool, for first reads; absent: no first reads are made.
    pub children: Option<Children>,
}

/// Why nothing can be measured. The text is one line.
#[derive(Debug)]
pub enum Error {
    /// This process may not use the requested CPU.
    NoSuchCpu(String),
    /// None of the requested clocks can be read here.
    NothingAvailable(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::NoSuchCpu(why) | Self::NothingAvailable(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Error {}

pub struct Session {
    pub machine: Machine,
    /// What the engine must know about each subject.
    pub specs: Vec<Spec>,
    /// The subjects that are clocks rather than empty loops.
    pub subjects: Vec<usize>,
    /// The clocks that cannot be read here, with the reasons.
    pub unavailable: Vec<Clock>,
    /// How the session differs from the request.
    pub notes: Vec<Note>,
    cpu: Option<usize>,
    fifo: Option<u32>,
    before: Taken,
    /// The same when the loads began, which the noise of the machine does not include.
    after: Option<Taken>,
    independent: Option<Independent>,
    _pin: Option<PinGuard>,
}

/// The span of the first calibration. With brackets of some 40 ns, the error is about 2 ppm.
const CALIBRATION: Duration = Duration::from_millis(25);

/// A read of the counter that takes longer than this is trapped or emulated.
const TRAPPED: Duration = Duration::from_micros(1);

impl Session {
    /// Opens the clocks, pins the thread and calibrates the ruler.
    ///
    /// # Errors
    /// The CPU may not be used, or none of the clocks can be read.
    pub fn open(
        entries: &[&'static Entry],
        environment: &Environment,
        options: Options,
    ) -> Result<Self, Error> {
        let (mut offers, mut unavailable, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries {
            match Offer::clock(entry) {
                Ok(offer) => offers.push(offer),
                Err(reason) => {
                    unavailable.push(unavailable_row(entry, &reason.0));
                    reasons.push(format!("{} ({reason})", entry.id));
                }
            }
        }
        if offers.is_empty() {
            let more = match reasons.len() {
                0..=3 => String::new(),
                all => format!(", and {} more", all - 3),
            };
            reasons.truncate(3);
            let reasons = reasons.join(", ");
            let why = format!("none of these clocks can be read here: {reasons}{more}");
            return Err(Error::NothingAvailable(why));
        }
        let mut notes = Vec::new();
        let distrust = distrust(environment);
        let gauged = distrust.is_none() && environment.emulated.is_none();
        let (cpu, pin) = keep_to(options.cpu, &environment.cpu, gauged, &mut notes)?;
        if options.fifo.is_some() && cpu.is_none() {
            let why = "a real-time thread must be pinned, so that another CPU is free: --cpu N";
            return Err(Error::NoSuchCpu(why.into()));
        }
        if distrust.is_some() {
            give_counters_their_own_rate(&mut offers);
        }
        let mut ruler = Ruler::new(distrust, CALIBRATION);
        notes.append(&mut ruler.notes);
        let independent = Independent::open(&ruler);
        let subjects = (0..offers.len()).collect();
        let mut machine = Machine::new(ruler, offers, options.interrupt);
        if options.fifo.is_some() {
            machine = machine.with_rests();
        }
        if environment.emulated.is_none() {
            machine = machine.with_gauges();
        }
        machine = machine.with_shares(Between::of(environment).shares);
        if let Some(children) = options.children {
            machine = machine.with_children(children);
        }
        Ok(Self {
            specs: machine.specs(),
            subjects,
            machine,
            unavailable,
            notes,
            cpu,
            fifo: options.fifo,
            before: Taken::now(),
            after: None,
            independent,
            _pin: pin,
        })
    }

    /// The CPU to which the thread is pinned.
    pub fn cpu(&self) -> Option<usize> {
        self.cpu
    }

    /// States that the tool itself disturbs the thread from now on.
    pub(crate) fn end_undisturbed(&mut self) {
        self.after = Some(Taken::now());
    }

    /// Adds the ruler, its rate and the notes of this session to the report.
    pub fn conclude(&mut self, report: &mut Report, cost_ns: f64, noise: Noise) {
        let ruler = self.ruler(cost_ns, noise);
        if ruler.is_counter
            && let Some(rates) = report.environment.counter_rates_mut()
        {
            rates.push(Rate {
                source: "measured".into(),
                kind: RateKind::Measured,
                hz: Some(ruler.hz),
                error_ppm: Some(ruler.hz_error_ppm),
                note: format!("against {}", ruler.reference),
                ..Rate::default()
            });
            let independent = self.independent.as_mut();
            rates.extend(independent.and_then(|it| it.rate(self.machine.ruler(), ruler.hz)));
        }
        report.ruler = Some(ruler);
        report.run.between = Some(Between::of(&report.environment));
        report.notes.append(&mut self.notes);
    }

    /// The ruler as the report shows it, calibrated over the whole time since the session began.
    pub fn ruler(&mut self, cost_ns: f64, noise: Noise) -> run::Ruler {
        self.machine.rate();
        let (before, after) = (&self.before, self.after.take().unwrap_or_else(Taken::now));
        let since = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
        let interrupted = self.machine.interrupted();
        let noise = Noise {
            taken: (!interrupted).then(|| time_taken::watch(self.machine.ruler())).flatten(),
            involuntary_switches: since(before.switches, after.switches),
            steal_ms: since(before.steal_ns, after.steal_ns).map(|ns| ns as f64 / 1e6),
            run_queue_ms: since(before.queued_ns, after.queued_ns).map(|ns| ns as f64 / 1e6),
            ..noise
        };
        let ruler = self.machine.ruler().report(cost_ns, self.cpu, noise);
        run::Ruler { fifo: self.fifo, ..ruler }
    }
}

/// What others have taken from the thread so far.
struct Taken {
    steal_ns: Option<u64>,
    switches: Option<u64>,
    queued_ns: Option<u64>,
}

impl Taken {
    fn now() -> Self {
        Self {
            steal_ns: noise::steal_ns(None),
            switches: noise::thread_switches(),
            queued_ns: noise::run_queue_ns(),
        }
    }
}

/// Returns why the counter must not be the ruler here, if there is a reason.
pub fn distrust(environment: &Environment) -> Option<String> {
    if let Some(tsc) = &environment.tsc {
        if tsc.permitted == Some(false) {
            return Some("this process may not read the TSC (PR_SET_TSC)".into());
        }
        if tsc.kind != TscKind::Invariant {
            return Some(format!(
                "the TSC is not invariant ({}): its rate may change, or it may stop",
                tsc.evidence
            ));
        }
    }
    let fastest = (0..64)
        .map(|_| {
            let start = Instant::now();
            chronoscope::counter::now();
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    (fastest > TRAPPED && environment.emulated.is_none()).then(|| {
        format!("a read of the counter takes {} us, so something traps it", fastest.as_micros())
    })
}

/// If the counter is not the ruler, its ticks are not the ruler's, so this gives the counter the
/// rate that is measured for it. The measurement does not sleep, because such a counter may stop
/// while the CPU sleeps.
fn give_counters_their_own_rate(offers: &mut [Offer]) {
    let mut counters =
        offers.iter_mut().filter(|offer| offer.spec.unit == Unit::Counter).peekable();
    // Reading the counter may be forbidden; then no counter is open.
    if counters.peek().is_none() {
        return;
    }
    let mut counter = Ruler::new(None, Duration::ZERO);
    let start = Instant::now();
    while start.elapsed() < CALIBRATION {
        std::hint::spin_loop();
    }
    counter.recalibrate();
    for offer in counters {
        offer.spec.unit = Unit::Hz(counter.hz());
    }
}

/// Pins the thread, and returns the CPU: the requested one, or the quietest of the fastest type of
/// core.
fn keep_to(
    wanted: Option<usize>,
    processor: &Cpu,
    gauged: bool,
    notes: &mut Vec<Note>,
) -> Result<(Option<usize>, Option<PinGuard>), Error> {
    let allowed = affinity::allowed();
    if let Some(cpu) = wanted {
        return match affinity::pin(cpu) {
            Ok(guard) if allowed.is_empty() || allowed.contains(&cpu) => {
                Ok((Some(cpu), Some(guard)))
            }
            _ => {
                let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
                Err(Error::NoSuchCpu(format!(
                    "this process may not run on CPU {cpu}: it may run on {}",
                    allowed.join(", ")
                )))
            }
        };
    }
    let Some(cpu) = quietest(&processor.fastest(&allowed), gauged) else {
        let why = "the system does not report which CPUs the process may use";
        notes.push(notes::not_pinned(why.into()));
        return Ok((None, None));
    };
    match affinity::pin(cpu) {
        Ok(guard) => {
            let slower = processor.core_type(cpu);
            let slower = slower.filter(|one| one.class != CoreClass::Performance);
            notes.extend(slower.map(|one| notes::slower_core(cpu, one)));
            Ok((Some(cpu), Some(guard)))
        }
        Err(error) => {
            notes.push(notes::not_pinned(format!("CPU {cpu}: {error}")));
            Ok((None, None))
        }
    }
}

/// Watches one CPU after the other for a short time, and returns the one that lost the least time
/// to others, or the first that lost next to none. Starts with the last one, because the first
/// serves most interrupts.
fn quietest(allowed: &[usize], gauged: bool) -> Option<usize> {
    const MOST: usize = 8;
    // Longer than a scheduler's time slice: a thread that has just arrived runs its first slice
    // undisturbed even on a busy CPU.
    const LOOK: Duration = Duration::from_millis(20);
    const NEXT_TO_NONE: Duration = Duration::from_micros(100);
    // The time that a neighbour on the core takes, roughly: it makes most code 20 to 70 % slower.
    const SLOWER: f64 = 0.3;
    if let [only] = allowed {
        return Some(*only);
    }
    let mut best: Option<(Duration, usize)> = None;
    for &cpu in allowed.iter().rev().take(MOST) {
        let Ok(_pin) = affinity::pin(cpu) else {
            continue;
        };
        let lost = lost(LOOK) + LOOK.mul_f64(SLOWER * shared(gauged));
        if best.is_none_or(|(least, _)| lost < least) {
            best = Some((lost, cpu));
        }
        if lost < NEXT_TO_NONE {
            break;
        }
    }
    best.map(|(_, cpu)| cpu)
}

/// The share of a few looks in which something else used the core of this CPU; 0 if the core is not
/// `gauged`, because it is emulated or its counter cannot be read.
fn shared(gauged: bool) -> f64 {
    const LOOKS: usize = 100;
    let Some(mut gauges) = Gauges::here().filter(|_| gauged) else {
        return 0.0;
    };
    let mut bench = Bench::new(RulerKind::here());
    let mut neighbour = Neighbour::new(steps::least_width());
    neighbour.look(LOOKS, |what| Some(gauges.time(&mut bench, what)));
    neighbour.judge();
    neighbour.share().unwrap_or(0.0)
}

/// Returns the time that others took from this thread during a span.
fn lost(span: Duration) -> Duration {
    const TURNS: usize = 5_000_000;
    let start = Instant::now();
    let mut last = start;
    let mut lost = Duration::ZERO;
    for _ in 0..TURNS {
        let now = Instant::now();
        let gap = now.saturating_duration_since(last);
        if gap > Duration::from_micros(1) {
            lost += gap;
        }
        last = now;
        if now.saturating_duration_since(start) > span {
            break;
        }
    }
    lost
}
