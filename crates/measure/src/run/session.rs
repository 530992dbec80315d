//! Prepares to measure on this machine: opens the clocks, chooses a CPU and pins the thread to it,
//! and calibrates the ruler.
//!
//! A clock with an oscillator of its own, which is read when a session begins and when it ends. The
//! ruler is calibrated against the system's clock, which mostly counts the ruler's own oscillator;
//! an independent reference can show that the system's clock is wrong.
//!
//! At the end come results that contradict each other. They are shown as measured, with a note that
//! names the cause.

use super::{Error, Setting};
use crate::engine::machine::{Gauges, Neighbour};
use crate::engine::ruler::{self, Bench, Bracket, Reference, RulerKind};
use crate::engine::schedule::Time;
use crate::engine::{Machine, Offer, Ruler, Timed, notes, unavailable_row};
use crate::grown;
use chronoscope_model::between::Between;
use chronoscope_model::clock::{Clock, Comparison, Standing};
use chronoscope_model::environment::{CoreClass, Cpu, Environment, Rate, RateKind, TscKind};
use chronoscope_model::run::{self, Noise};
use chronoscope_model::{Estimate, Note, Report};
use chronoscope_probes::clocks::{Entry, Unit, steps};
use chronoscope_probes::machine::affinity::{self, PinGuard};
use chronoscope_probes::machine::noise;
use chronoscope_probes::time::Instant;
use std::time::Duration;

pub struct Session {
    pub machine: Machine,
    /// The subjects that are clocks rather than empty loops.
    pub subjects: Vec<usize>,
    /// The clocks that cannot be read here, with the reasons.
    pub unavailable: Vec<Clock>,
    /// How the session differs from the request.
    pub notes: Vec<Note>,
    /// The CPU to which the thread is pinned.
    pub cpu: Option<usize>,
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

impl Setting<'_> {
    /// Opens the clocks, pins the thread and calibrates the ruler.
    ///
    /// # Errors
    /// The CPU may not be used, or none of the clocks can be read.
    pub fn session(
        &self,
        environment: &Environment,
        entries: &[&'static Entry],
    ) -> Result<Session, Error> {
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
            return Err(Error::Nothing(why));
        }
        let mut notes = Vec::new();
        let distrust = distrust(environment);
        let gauged = distrust.is_none() && environment.emulated.is_none();
        let (cpu, pin) = keep_to(self.cpu, &environment.cpu, gauged, &mut notes)?;
        if self.fifo.is_some() && cpu.is_none() {
            let why = "a real-time thread must be pinned, so that another CPU is free: --cpu N";
            return Err(Error::Invalid(why.into()));
        }
        if distrust.is_some() {
            give_counters_their_own_rate(&mut offers);
        }
        let mut ruler = Ruler::new(distrust, CALIBRATION);
        notes.append(&mut ruler.notes);
        let independent = Independent::open(&ruler);
        let subjects = (0..offers.len()).collect();
        let mut machine = Machine::new(ruler, offers, self.interrupt.clone());
        machine.rested = self.fifo.map(|_| Duration::ZERO);
        machine.gauges = environment.emulated.is_none().then(Gauges::here).flatten();
        machine.between = Between::of(environment);
        machine.children.clone_from(&self.children);
        Ok(Session {
            subjects,
            machine,
            unavailable,
            notes,
            cpu,
            fifo: self.fifo,
            before: taken(),
            after: None,
            independent,
            _pin: pin,
        })
    }
}

impl Session {
    /// States that the tool itself disturbs the thread from now on.
    pub(crate) fn end_undisturbed(&mut self) {
        self.after = Some(taken());
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
        let after = self.after.take().unwrap_or_else(taken);
        let since = |of: usize| grown(self.before[of], after[of]);
        let interrupted = self.machine.interrupted();
        let noise = Noise {
            taken: (!interrupted).then(|| ruler::time_taken(self.machine.ruler())).flatten(),
            involuntary_switches: since(0),
            steal_ms: since(1).map(|ns| ns as f64 / 1e6),
            run_queue_ms: since(2).map(|ns| ns as f64 / 1e6),
            ..noise
        };
        let ruler = self.machine.ruler().report(cost_ns, self.cpu, noise);
        run::Ruler { fifo: self.fifo, ..ruler }
    }
}

/// What others have taken from the thread so far: its CPU, so often; time from the machine; and
/// time in the run queue, both in nanoseconds.
type Taken = [Option<u64>; 3];

fn taken() -> Taken {
    [noise::thread_switches(), noise::steal_ns(None), noise::run_queue_ns()]
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
                Err(Error::Invalid(format!(
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

/// The clocks that can serve as one. A real-time clock cannot, because it shows whole seconds.
const INDEPENDENT: [&str; 1] = ["linux/ptp"];

/// How many brackets are tried; the tightest counts. A read is a transfer over a bus or a call of
/// the hypervisor.
const TRIES: usize = 40;

/// A rate further off means that the device was stepped, or does not keep time: the kernel lets a
/// clock be slewed by 500 ppm (MAXFREQ in include/linux/timex.h).
const STEPPED_PPM: f64 = 500.0;

/// An independent reference, and its first bracket.
pub(crate) struct Independent {
    reference: Reference,
    first: Bracket,
}

impl Independent {
    /// Opens the first of these clocks that can be read here, and reads it.
    pub(crate) fn open(ruler: &Ruler) -> Option<Self> {
        let mut reference = Reference::open(&INDEPENDENT)?;
        let first = reference.bracket(ruler.kind(), TRIES);
        Some(Self { reference, first })
    }

    /// Returns the rate of the ruler by this clock, over the whole time since it was opened.
    /// `measured` is the rate by the system's clock.
    pub(crate) fn rate(&mut self, ruler: &Ruler, measured: f64) -> Option<Rate> {
        let last = self.reference.bracket(ruler.kind(), TRIES);
        let (hz, error_ppm) = ruler::slope(self.first, last, self.reference.hz)?;
        let difference = (measured / hz - 1.0) * 1e6;
        if !difference.is_finite() || difference.abs() > STEPPED_PPM + error_ppm {
            return None;
        }
        let id = self.reference.id;
        Some(Rate {
            source: format!("measured, {id}"),
            kind: RateKind::Measured,
            hz: Some(hz),
            error_ppm: Some(error_ppm),
            note: format!("against {id}"),
            compared: Some(Comparison {
                with: id.into(),
                standing: Standing::Independent,
                difference_ppm: Some(difference),
                why: format!("{id} is a device with an oscillator of its own, or the host's clock"),
            }),
        })
    }
}

/// The median of the batches may lie outside the interval by this share of the cost, because
/// delays are one-sided.
const ONE_SIDED: f64 = 0.02;

pub(crate) fn contradiction_notes(clocks: &[Clock]) -> Vec<Note> {
    let named = |is: fn(&Clock) -> bool| -> Vec<&str> {
        let found = clocks.iter().filter(|clock| is(clock));
        found.map(|clock| clock.id.as_str()).collect()
    };
    let mut found = Vec::new();
    let above = named(is_above_ordered);
    if !above.is_empty() {
        found.push(notes::above_ordered(&above));
    }
    let outside = named(has_median_outside);
    if !outside.is_empty() {
        found.push(notes::median_outside(&outside));
    }
    found
}

/// Back-to-back reads may overlap and ordered ones may not, so they should not cost more.
fn is_above_ordered(clock: &Clock) -> bool {
    let costs = clock.cost.throughput.as_ref().zip(clock.cost.latency.as_ref());
    costs.is_some_and(|(back_to_back, ordered)| back_to_back.low_ns > ordered.high_ns)
}

/// If most batches took longer than the interval allows, the estimate is not what a read usually
/// costs.
fn has_median_outside(clock: &Clock) -> bool {
    let outside = |cost: &Estimate| {
        let median = cost.median_ns - cost.empty_ns;
        let slack = ONE_SIDED * cost.value_ns;
        median > cost.high_ns + slack || median < cost.low_ns - slack
    };
    clock.cost.throughput.as_ref().is_some_and(outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::clock::Cost;

    fn clock(back_to_back: f64, ordered: f64, median: f64) -> Clock {
        let estimate = |value: f64| Estimate {
            value_ns: value,
            low_ns: value * 0.99,
            high_ns: value * 1.01,
            median_ns: median,
            ..Estimate::default()
        };
        Clock {
            id: "fake/clock".into(),
            cost: Cost {
                throughput: Some(estimate(back_to_back)),
                latency: Some(estimate(ordered)),
                ..Cost::default()
            },
            ..Clock::default()
        }
    }

    #[test]
    fn only_what_cannot_be_is_noted() {
        let ids = |clock: Clock| -> Vec<String> {
            contradiction_notes(&[clock]).into_iter().map(|note| note.id).collect()
        };
        assert!(ids(clock(20.0, 25.0, 20.1)).is_empty());
        assert!(ids(clock(20.0, 19.9, 20.0)).is_empty());
        assert_eq!(ids(clock(240.0, 201.0, 240.0)), ["above-ordered"]);
        assert_eq!(ids(clock(20.0, 25.0, 24.0)), ["median-outside"]);
        assert!(contradiction_notes(&[Clock::default()]).is_empty());
    }
}
