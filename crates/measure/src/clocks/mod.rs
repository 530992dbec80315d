//! Everything about every clock: the phases of the main job, one after the other, each within its
//! share of the time.

pub mod costs;
pub mod single;

use super::run::Conditions;
use crate::engine::rounds::{self, Plan};
use crate::engine::schedule::{
    self, ACROSS, BRIEF_ACROSS, CHANGES, COLD, DIFFERENCE, FIRST, ORDER, PATIENT, Phase, QUICK,
    QUIET, ROUNDS,
};
use crate::engine::{
    Batches, Mode, Rate, RulerKind, Spec, Timed, Values, notes, ordering, resolution,
};
use crate::run::session::{self, Session, contradiction_notes};
use crate::run::{Error, Measurement, Progress, Setting};
use crate::trust::handover::{measure_across, serialised, without};
use chronoscope_model::clock::{BuiltOn, Clock, Cost, Displaced};
use chronoscope_model::environment::{Cache, Environment};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::waits::Load;
use chronoscope_model::{Estimate, Note, Report};
use chronoscope_probes::clocks::{Entry, Unit};
use chronoscope_probes::machine::Root;
use chronoscope_probes::machine::quota::memory_left;
use costs::{instructions_per_read, measure_bulk, measure_difference};
use single::measure_until_change;
use std::time::Duration;

#[derive(Default)]
pub struct Request {
    pub entries: Vec<&'static Entry>,
    /// How many calls of each clock to really make; absent: none.
    pub calls: Option<u64>,
    pub disturbance: Disturbance,
    /// Whether to leave out reads that no advice follows from: cold ones and first ones.
    pub for_advice: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let loads = self.disturbance.loads().len() as u32;
        let usual = schedule::CLOCKS.time + schedule::LOADED.time * loads;
        self.within(setting.budget.unwrap_or(usual), setting, report)
    }
}

impl Request {
    /// Measures within this time.
    ///
    /// # Errors
    /// No clock can be read, or the time is too short to measure one.
    pub fn within(
        &self,
        budget: Duration,
        setting: &mut Setting,
        report: &mut Report,
    ) -> Result<(), Error> {
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &self.entries)?;
        (setting.progress)(Progress::Time(budget));
        let all = setting.left_of(budget);
        let usual = [schedule::CLOCKS.time, schedule::LOADED.time * conditions.loads()];
        let left = all.mul_f64(usual[0].div_duration_f64(usual[0] + usual[1]));
        let under_load = all.saturating_sub(left) / conditions.loads().max(1);
        let options = Options {
            budget: left.saturating_sub(ORDER.of(left) + ACROSS.of(left)),
            calls: self.calls,
            cold: !setting.gentle && !self.for_advice,
            first: !self.for_advice,
            seed: setting.seed,
            ruler_tick: session.machine.ruler().tick(),
            caches: report.environment.cpu.caches.clone(),
            memory: memory_left(&Root::host()),
            ruler_is_clock_source: session.machine.ruler().kind() != RulerKind::System
                && report.environment.keeps_time_by_counter(),
        };
        let subjects = session.subjects.clone();
        let (mut found, mut loaded) = (None, Vec::new());
        let progress = &mut setting.progress;
        conditions.each(&mut session, report, |session, load, _| match load {
            None => {
                let host = &mut session.machine;
                found = Some(measure(host, &subjects, &options, |phase, done| {
                    progress(Progress::Phase(phase, done));
                }));
            }
            Some(load) => {
                progress(Progress::Phase(load.name(), schedule::CLOCKS.done(&ORDER, 0.0)));
                let host = &mut session.machine;
                loaded.extend(under(host, &subjects, &options, load, under_load));
            }
        })?;
        // One clock after the other.
        loaded.sort_by_key(|(at, _)| *at);
        report.clocks_under_load.extend(loaded.into_iter().map(|(_, clock)| clock));
        let Some(found) = found else {
            return Ok(());
        };
        let mut measured = found.clocks;
        if setting.gentle {
            compare_cpus(&session, report, BRIEF_ACROSS);
        } else if left < ORDER.from {
            let (id, what) = ("no-ordering", "no test of the order of reads");
            report.notes.push(notes::too_short(id, what, left, ORDER.from));
        } else if !setting.interrupt.is_set() {
            (setting.progress)(Progress::Phase(ORDER.name, schedule::CLOCKS.done(&ORDER, 0.0)));
            let cycles = found.noise.core.map(|core| 1e9 / core.hz);
            compare_cpus(&session, report, ACROSS.of(left));
            order(&mut session, report, &mut measured, cycles, left);
        }
        session.conclude(report, found.ruler_cost_ns, found.noise);
        report.notes.extend(found.notes);
        measured.append(&mut session.unavailable);
        // In the order of the catalogue.
        for entry in &self.entries {
            if let Some(at) = measured.iter().position(|clock| clock.id == entry.id) {
                report.clocks.push(measured.swap_remove(at));
            }
        }
        let measured = |clock: &Clock| clock.cost.throughput.is_some() || clock.bulk.is_some();
        if !report.clocks.iter().any(measured) && !setting.interrupt.is_set() {
            return Err(Error::Nothing(
                "no clock could be measured in such a short time: raise --budget, or name fewer \
                 clocks"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// Why the counters of several CPUs cannot be compared, if there is a reason.
fn not_comparable(session: &Session, env: &Environment) -> Option<String> {
    let distrust = serialised(env).or_else(|| session::distrust(env)).or_else(|| {
        let has = chronoscope::counter::is_hardware();
        (!has).then(|| "user code cannot read a counter here".into())
    });
    distrust.or_else(|| {
        let system = session.machine.ruler().kind() == RulerKind::System;
        system.then(|| "the system's clock is the ruler".into())
    })
}

/// Compares the processor's counter on several CPUs, in this time.
fn compare_cpus(session: &Session, report: &mut Report, time: Duration) {
    let env = &mut report.environment;
    env.across_cpus = Some(match (session.cpu, not_comparable(session, env)) {
        (Some(cpu), None) => {
            measure_across(cpu, &env.allowed_cpus, time, session.machine.ruler().hz())
        }
        (_, Some(why)) => without(why),
        (None, _) => without("the measuring thread is not pinned".into()),
    });
}

/// Tests the order of reads in its share of the remaining time.
fn order(
    session: &mut Session,
    report: &Report,
    clocks: &mut [Clock],
    cycle_ns: Option<f64>,
    left: Duration,
) {
    let env = &report.environment;
    let hz = session.machine.rate().hz;
    let other = session.cpu.map(|cpu| {
        let others = env.allowed_cpus.iter().filter(|other| **other != cpu);
        (cpu, others.max_by_key(|other| other.abs_diff(cpu)).copied())
    });
    let setting = ordering::Setting {
        cpus: match other {
            Some((cpu, Some(other))) => serialised(env).map_or(Ok([cpu, other]), Err),
            Some((_, None)) => Err("this process may run on one CPU only".into()),
            None => Err("the measuring thread is not pinned".into()),
        },
        counter_ns: not_comparable(session, env).is_none().then_some(1e9 / hz),
        cycle_ns,
        budget: ORDER.of(left),
    };
    let (specs, subjects) = (session.machine.specs().to_vec(), &session.subjects);
    ordering::measure(&mut session.machine, &specs, subjects, clocks, &setting, hz);
}

/// What to measure, and what is known about the ruler.
#[derive(Clone, Debug)]
pub struct Options {
    /// Wall time for everything but `calls`.
    pub budget: Duration,
    /// How many calls of each clock to really make.
    pub calls: Option<u64>,
    /// Whether to read the clocks cold, which displaces the caches.
    pub cold: bool,
    /// Whether to take first reads, in processes of their own.
    pub first: bool,
    /// The seed of all random order.
    pub seed: u64,
    /// The ruler's tick, in its own units.
    pub ruler_tick: f64,
    /// The processor's caches, the smallest level first; empty if they are not known.
    pub caches: Vec<Cache>,
    /// The memory that the process may still take; absent without a limit.
    pub memory: Option<u64>,
    /// Whether the system keeps time with the counter that is the ruler.
    pub ruler_is_clock_source: bool,
}

impl Options {
    fn is_built_on_ruler(&self, spec: &Spec) -> bool {
        match spec.row.facts.map(|facts| facts.built_on) {
            Some(BuiltOn::Counter) => spec.unit == Unit::Counter,
            Some(BuiltOn::ClockSource) => self.ruler_is_clock_source,
            _ => false,
        }
    }
}

pub struct Found {
    /// One row for each subject, in the order of the subjects.
    pub clocks: Vec<Clock>,
    pub noise: Noise,
    /// The cost of the ruler, in nanoseconds.
    pub ruler_cost_ns: f64,
    pub notes: Vec<Note>,
}

const COLD_ROUNDS: u64 = 101;
/// Processes started per clock for first reads.
const FIRST_PROCESSES: u64 = 5;

/// Measures everything about the subjects. `progress` gets the phase and the share of the whole
/// that is done, 0 to 1, and after the rounds the cost of a clock; it must not print when a round
/// calls it.
pub fn measure<H: Batches + Values>(
    host: &mut H,
    subjects: &[usize],
    options: &Options,
    mut progress: impl FnMut(&str, f64),
) -> Found {
    let mut rng = fastrand::Rng::with_seed(options.seed);
    let (budget, all, specs) = (options.budget, subjects.len(), host.specs().to_vec());
    let mut at = |phase: &Phase, done| progress(phase.name, schedule::CLOCKS.done(phase, done));
    let mut noted = Vec::new();

    at(&QUIET, 0.0);
    host.sleep(QUIET.of(budget));

    let plan = Plan::within(ROUNDS.of(budget));
    let modes = [Mode::Throughput, Mode::Latency];
    let outcome = rounds::run(host, subjects, &modes, plan, options.seed, |done| at(&ROUNDS, done));

    if let Some(rounds) = outcome.stolen_but_counted() {
        noted.push(notes::steal_counted(rounds, outcome.rounds()));
    }

    noted.extend(outcome.shared_but_counted().map(notes::core_shared));
    if outcome.processes() == 1 && !host.interrupted() {
        noted.push(notes::one_process());
    }

    at(&QUICK, 0.0);
    let (quick, patient) = (QUICK.of_each(budget, all), PATIENT.of(budget));
    let mut seen = resolution::watch(host, subjects, quick, patient);

    at(&CHANGES, 0.0);
    let (span, cost) = (CHANGES.of_each(budget, all), outcome.ruler_ticks);
    let until_change = subjects.iter().map(|at| measure_until_change(host, *at, span, cost));
    let until_change: Vec<_> = until_change.collect();

    at(&DIFFERENCE, 0.0);
    let mut rate = host.rate();
    let costs: Vec<Option<Estimate>> =
        subjects.iter().map(|subject| outcome.estimate(*subject, Mode::Throughput, rate)).collect();
    let named = subjects.iter().zip(&costs).filter_map(|(subject, cost)| {
        Some(format!("{} {}", specs[*subject].row.id, cost.as_ref()?.human()?))
    });
    let mut named = named.collect::<Vec<_>>().into_iter();
    let mut at = |phase: &Phase, done| {
        let found = named.next().map_or(String::new(), |found| format!(", {found}"));
        progress(&(phase.name.to_owned() + &found), schedule::CLOCKS.done(phase, done));
    };
    let resolutions: Vec<_> = subjects
        .iter()
        .zip(&mut seen)
        .zip(&costs)
        .map(|((subject, seen), cost)| {
            let spec = &specs[*subject];
            let ns = spec.ns_per_unit(rate.hz)?;
            let cost = cost.as_ref().map(|cost| cost.value_ns);
            let mut judged = resolution::judge(seen, ns, spec.nominal_ns, cost);
            if options.is_built_on_ruler(spec) {
                resolution::built_on(&mut judged, options.ruler_tick * 1e9 / rate.hz, cost);
            }
            Some((judged, resolution::backwards(seen, ns)))
        })
        .collect();
    let mut differences = vec![None; subjects.len()];
    let stopped = host.interrupted();
    if !stopped && budget < DIFFERENCE.from {
        let (id, what) = ("no-difference", "no 100 ms difference");
        noted.push(notes::too_short(id, what, budget, DIFFERENCE.from));
    } else if !stopped {
        let ticks = resolutions.iter().map(|found| found.as_ref()?.0.known_step_ns());
        let ticks: Vec<_> = ticks.collect();
        differences = measure_difference(host, subjects, &ticks, rate.hz);
    }

    at(&COLD, 0.0);
    let ways = single::displaceable(&options.caches, options.memory);
    if options.cold && ways.is_empty() {
        noted.push(notes::no_memory());
    }
    let (cold, displaced) = if options.cold && !ways.is_empty() {
        let limits = (COLD_ROUNDS, COLD.of(budget));
        single::cold(host, subjects, &ways, limits, &mut rng)
    } else {
        (vec![single::Cold::default(); specs.len()], Displaced::default())
    };

    at(&FIRST, 0.0);
    let mut first = vec![single::Singles::default(); specs.len()];
    if options.first && budget < FIRST.from {
        let (id, what) = ("no-first-reads", "no first reads");
        noted.push(notes::too_short(id, what, budget, FIRST.from));
    } else if options.first {
        let share = FIRST.of(budget);
        match single::first(host, subjects, FIRST_PROCESSES, share) {
            Ok(found) => first = found,
            Err((each, all)) => {
                noted.push(notes::slow_processes(subjects.len(), each, all, share));
            }
        }
    }

    rate = host.rate();
    let tick = options.ruler_tick;
    let mut clocks = Vec::with_capacity(subjects.len());
    for (at, &subject) in subjects.iter().enumerate() {
        let spec = &specs[subject];
        let (resolution, backwards) = resolutions[at].clone().unzip();
        let estimate = |mode| outcome.estimate(subject, mode, rate);
        let (throughput, latency) = (estimate(Mode::Throughput), estimate(Mode::Latency));
        let cold = single::cold_estimate(&cold[subject], throughput.as_ref(), rate, tick);
        let value = host.value(subject);
        clocks.push(Clock {
            cost: Cost {
                throughput,
                latency,
                displaced: cold.is_some().then_some(displaced),
                cold,
                first: single::first_estimate(&first[subject], rate, tick, &mut rng),
                instructions: instructions_per_read(host, subject, spec.baseline),
            },
            resolution,
            until_change: until_change[at].clone(),
            difference_100ms: differences[at].clone(),
            backwards,
            wraps_after_s: wraps_after(spec, rate),
            bits: bits(spec, rate),
            example: Some(example(spec.unit, value)),
            example_ms: spec.ns_per_unit(rate.hz).map(|ns| value as f64 * ns / 1e6),
            ..spec.row.clone()
        });
    }
    if let Some(calls) = options.calls {
        for (clock, &subject) in clocks.iter_mut().zip(subjects) {
            progress("calls", schedule::CLOCKS.done(&ORDER, 0.0));
            clock.bulk = measure_bulk(host, subject, calls, rate.hz);
        }
    }
    // An emulated processor runs loops in whatever rhythm the emulator has.
    if outcome.knows_pace() {
        noted.extend(contradiction_notes(&clocks));
    }
    Found {
        clocks,
        noise: outcome.noise(rate),
        ruler_cost_ns: outcome.ruler_ticks * 1e9 / rate.hz,
        notes: noted,
    }
}

/// Measures what reads of the subjects cost under a load, within this time: each clock with the
/// position of its subject.
fn under<H: Batches>(
    host: &mut H,
    subjects: &[usize],
    options: &Options,
    load: Load,
    time: Duration,
) -> Vec<(usize, Clock)> {
    let modes = [Mode::Throughput, Mode::Latency];
    // A load does not act at every moment, so precision is no reason to stop.
    let plan = Plan { relative: 0.0, absolute_ns: 0.0, ..Plan::within(time) };
    let outcome = rounds::run(host, subjects, &modes, plan, options.seed, |_| ());
    let (rate, specs) = (host.rate(), host.specs().to_vec());
    let row = |(at, &subject): (usize, &usize)| {
        let estimate = |mode| outcome.estimate(subject, mode, rate);
        let cost = Cost {
            throughput: estimate(Mode::Throughput),
            latency: estimate(Mode::Latency),
            ..Cost::default()
        };
        let calls = options.calls;
        let bulk = calls.and_then(|calls| measure_bulk(host, subject, calls, rate.hz));
        (at, Clock { load: Some(load), cost, bulk, ..specs[subject].row.clone() })
    };
    subjects.iter().enumerate().map(row).collect()
}

/// Returns when the value wraps to zero, in seconds from zero, by its type and rate.
fn wraps_after(spec: &Spec, rate: Rate) -> Option<f64> {
    let per_second = match (spec.range.per_second, spec.unit) {
        (Some(per_second), _) => per_second,
        (None, _) if spec.range.of_counter => rate.is_tsc.then_some(rate.hz)?,
        (None, Unit::Hz(hz)) => hz,
        (None, Unit::Counter) => rate.hz,
        (None, Unit::Variable) => return None,
    };
    Some((f64::from(spec.range.bits)).exp2() / per_second)
}

/// The significant bits of the value.
fn bits(spec: &Spec, rate: Rate) -> Option<u32> {
    match spec.unit {
        Unit::Hz(hz) if spec.range.of_counter => {
            Some((wraps_after(spec, rate)? * hz).log2().ceil() as u32)
        }
        _ => Some(spec.range.bits),
    }
}

fn example(unit: Unit, value: u64) -> String {
    const NAMES: [(f64, &str); 6] =
        [(1e9, "ns"), (1e7, "x 100 ns"), (1e6, "us"), (1e3, "ms"), (100.0, "x 10 ms"), (1.0, "s")];
    let name = NAMES.iter().find(|(hz, _)| unit == Unit::Hz(*hz)).map_or("ticks", |(_, name)| name);
    format!("{value} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::clocks::Range;

    #[test]
    fn a_fraction_of_a_counter_wraps_when_the_counter_does() {
        let (range, unit) = (Range::counter(64), Unit::Hz(1000.0));
        let spec = Spec { row: Clock::default(), baseline: 0, unit, nominal_ns: None, range };
        let of = |hz, is_tsc| {
            let rate = Rate { hz, error_ppm: 0.0, is_tsc };
            let years = wraps_after(&spec, rate).map(|s| (s / 365.25 / 86_400.0).round());
            (years, bits(&spec, rate))
        };
        assert_eq!(of(2.596e9, true), (Some(225.0), Some(43)));
        assert_eq!(of(4.2e9, true), (Some(139.0), Some(42)));
        assert_eq!(of(1e9, false), (None, None), "the rate of the counter is not known");
    }
}
