//! What the same read costs in other languages: a runtime is a clock whose batches come from
//! another process. Its probe answers requests (`PROTOCOL.md` of chronoscope-runtimes); its batches
//! take part in the same rounds as those of C, and the same statistics apply.

mod answer;
mod call_trace;
mod details;
mod host;
mod prepare;
mod probe;
mod series;
pub(crate) mod waiting;

use crate::engine::rounds::{self, Outcome, Plan};
use crate::engine::schedule::{BUILDING, Phase, RUNTIME_CLOCKS, RUNTIME_ROUNDS, RUNTIMES, WARM_UP};
use crate::engine::{Mode, Rate, RulerKind, Timed, notes};
use crate::run::{Error, Measurement, Progress, Setting};
use call_trace::Counters;
use chronoscope_model::clock::Kind;
use chronoscope_model::run::Noise;
use chronoscope_model::runtimes::{Benchmark, Ratio, Runtime as Row, RuntimeClock};
use chronoscope_model::units::short_ns;
use chronoscope_model::{Environment, Estimate, Report, runtimes as model};
use chronoscope_probes::clocks::{self, Entry};
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits;
use chronoscope_runtimes::Runtime;
use details::{benchmark_spread, between_runs, limited_by, states_ns, widened_between_runs};
use host::{Joined, Slot};
pub use host::{Loop, Loops};
use prepare::{Cache, Candidate, Ready, candidates};
use probe::Probe;
pub use series::Series;
use std::path::PathBuf;
use std::time::Duration;

/// The most processes of each build. With six, Student's t is 2.57; with three, it is 4.30.
const PROCESSES: u32 = 6;
/// The fewest without a budget: one process cannot show by how much two differ.
const FEWEST_PROCESSES: u32 = 2;
/// The time for starting and warming up the processes after the first, for each build. A build that
/// needs 0.6 s each time gets all six.
const START: Duration = Duration::from_secs(3);
/// The least and the most time for the rounds without a budget.
const ROUNDS: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(30)];
/// The intended length of a batch: long compared with the cost of a request, and 1000 ticks of a
/// stopwatch of 100 ns.
const BATCH_NS: f64 = 100_000.0;

/// The clocks of C that costs are compared with: the first that can be read here.
const REFERENCES: [&str; 3] = ["posix/monotonic", "windows/qpc", "c/clock"];
/// The clock of C that clocks of CPU time are compared with, which costs a system call.
const CPU_REFERENCE: &str = "posix/process-cputime";

/// A runtime, its place if the user named one, and the rows that are wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub runtime: &'static Runtime,
    /// The runtime's program or the directory that holds it.
    pub place: Option<PathBuf>,
    /// The ids of the rows that are wanted (`c:gcc-O2`), as the user wrote them; none: all.
    pub rows: Vec<String>,
}

pub struct Request {
    pub wanted: Vec<Wanted>,
}

/// When a run with a budget must have finished its phases. A process that is being started or asked
/// is not interrupted, so a run may end later by one such step.
#[derive(Clone, Copy)]
struct Deadline {
    began: Instant,
    budget: Option<Duration>,
}

/// The share of a budget after which nothing more is built, and after which nothing is measured
/// that is not yet warm.
const BUILT: f64 = 0.4;
const WARM: f64 = 0.7;
/// The share after which too little is left for anything. Warming up ends before by itself.
const SPENT: f64 = 0.9;

impl Deadline {
    /// What is left of this share of the budget; without one, the longest time.
    fn left(&self, share: f64) -> Duration {
        let all = self.budget.map(|budget| budget.mul_f64(share));
        all.map_or(Duration::MAX, |all| all.saturating_sub(self.began.elapsed()))
    }

    /// # Errors
    /// The time is over.
    fn allows(&self, share: f64) -> Result<(), String> {
        if self.left(share).is_zero() { Err(OUT_OF_TIME.into()) } else { Ok(()) }
    }

    /// # Errors
    /// So much of the budget is spent before the first round that nothing can be measured within.
    fn suffices(&self) -> Result<(), Error> {
        let Some(budget) = self.budget.filter(|_| self.left(SPENT).is_zero()) else {
            return Ok(());
        };
        let spent = self.began.elapsed();
        let least = (spent.as_secs_f64() / BUILT).ceil();
        let [budget, spent] = [budget, spent].map(|time| short_ns(time.as_nanos() as f64));
        Err(Error::Nothing(format!(
            "--budget {budget} is too short: building and starting took {spent} of it; about \
             {least} s would do"
        )))
    }
}

/// Why a build or a phase was left out.
const OUT_OF_TIME: &str = "left out: the --budget was used up before it";

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let cache = Cache::open().map_err(Error::Nothing)?;
        let base = base_row(&report.environment);
        let mut rows: Vec<Row> = Vec::new();
        let deadline = Deadline { began: setting.began, budget: setting.budget };
        let ready = self.prepare(&cache, &base, setting, deadline, &mut rows);
        if ready.is_empty() {
            // Each row has its reason.
            report.runtimes = rows;
            return Ok(());
        }
        let builds = u32::try_from(ready.len()).unwrap_or(u32::MAX);
        let rounds = (RUNTIMES.time.saturating_mul(builds)).clamp(ROUNDS[0], ROUNDS[1]);
        let starts = START.saturating_mul(builds);
        let reference = reference();
        // The rounds of C are in this process; rounds elsewhere are those of the runtimes.
        let children = setting.children.take();
        let session = setting.session(&report.environment, &reference);
        setting.children = children;
        let mut session = session?;
        let mut host = Joined::new(&mut session.machine, setting.seed);
        for (row, candidate, ready, hello) in ready {
            // A wait that is missing is said where waits are measured.
            let is_wait = |id: &str| {
                let mut waits = waits::ALL.iter();
                let runtime = Some(candidate.runtime.id);
                waits.any(|it| it.runtime == runtime && it.name_in_runtime() == id)
            };
            let gone = hello.unavailable.iter().filter(|it| !is_wait(&it.id));
            report.notes.extend(gone.map(|it| notes::no_clock(&candidate.id, &it.id, &it.reason)));
            host.add(candidate.id.clone(), ready, hello, candidate.runtime.compiled);
            rows[row].reason = None;
        }
        let names: Vec<String> = host.slots.iter().map(|slot| slot.id.clone()).collect();
        let count = names.len().max(1) as f64;
        host.first_start(deadline.left(WARM), |at| {
            progress(setting, &WARM_UP, at as f64 / count);
        });
        if !setting.interrupt.is_set() {
            deadline.suffices()?;
        }
        // Of what is left, half is for the rounds, and a quarter for later processes.
        let left = deadline.left(1.0);
        let [rounds, starts] = match setting.budget {
            Some(budget) => [RUNTIME_ROUNDS.of(budget).min(left / 2), left / 4],
            None => [rounds, starts],
        };
        let least = if setting.budget.is_some() { 1 } else { FEWEST_PROCESSES };
        let subjects = subjects(&host, reference.len());
        let modes = [Mode::Throughput, Mode::Latency];
        let plan = Plan {
            min_rounds: 90,
            max_rounds: 900,
            processes: processes(starts, host.slots.iter().map(|slot| slot.restart).sum(), least),
            batch_ns: BATCH_NS,
            ..Plan::within(rounds)
        };
        let mut outcome = rounds::run(&mut host, &subjects, &modes, plan, setting.seed, |done| {
            progress(setting, &RUNTIME_ROUNDS, done);
        });
        let rate = host.rate();
        let between_runs = between_runs(outcome.take_drift());
        let of_c = |nth: usize| {
            reference.get(nth).and_then(|_| outcome.estimate(nth, Mode::Throughput, rate))
        };
        let of_c = [of_c(0), of_c(1)];
        for at in 0..host.slots.len() {
            let Some(row) = rows.iter_mut().find(|row| row.id == host.slots[at].id) else {
                continue;
            };
            describe(row, &host, at, (&outcome, rate), &of_c, between_runs);
            let reference = reference.first().filter(|_| of_c[0].is_some());
            row.relative_to = reference.map(|entry| entry.call.into());
        }
        let noise =
            Noise { batches: outcome.batches, disturbed: outcome.disturbed, ..Noise::default() };
        let ruler_cost = outcome.ruler_ticks * 1e9 / rate.hz;

        let counters = Counters::here(&cache, &setting.interrupt);
        let mut left_out = false;
        for at in 0..host.slots.len() {
            progress(setting, &RUNTIME_CLOCKS, at as f64 / count);
            let id = &host.slots[at].id;
            if let Some(row) = rows.iter_mut().find(|row| row.id == *id) {
                left_out |= !look(row, &mut host, at, rate, &counters, setting, deadline);
            }
        }
        report.notes.extend(left_out.then(notes::budget_used_up));
        rows.splice(0..0, reference_row(&base, &reference, (&outcome, rate), between_runs));
        session.conclude(report, ruler_cost, noise);
        if cfg!(any(windows, target_os = "macos")) {
            report.notes.push(notes::probes_not_pinned());
        }
        report.notes.extend(outcome.shared_but_counted().map(notes::core_shared));
        report.runtimes = rows;
        Ok(())
    }
}

/// Returns how many processes of each build there is time for, if starting one of each takes this
/// long.
fn processes(starts: Duration, each: Duration, least: u32) -> u32 {
    let more = starts.as_nanos() / each.as_nanos().max(1);
    let more = u32::try_from(more).unwrap_or(u32::MAX);
    more.saturating_add(1).clamp(least, PROCESSES)
}

fn progress(setting: &mut Setting, phase: &Phase, done: f64) {
    (setting.progress)(Progress::Phase(phase.name, RUNTIMES.done(phase, done)));
}

type Prepared = (usize, Candidate, Ready, answer::Hello);

impl Request {
    /// Finds and builds everything, and lets each probe introduce itself. `rows` gets a row for
    /// each, with the reason if it cannot be used.
    fn prepare(
        &self,
        cache: &Cache,
        base: &Row,
        setting: &mut Setting,
        deadline: Deadline,
        rows: &mut Vec<Row>,
    ) -> Vec<Prepared> {
        let mut prepared = Vec::new();
        let mut all: Vec<(&Wanted, Result<Candidate, String>)> = Vec::new();
        for wanted in &self.wanted {
            match wanted.candidates() {
                Ok(found) => all.extend(found.into_iter().map(|one| (wanted, Ok(one)))),
                Err(why) => all.push((wanted, Err(why))),
            }
        }
        let count = all.len().max(1) as f64;
        let interrupt = setting.interrupt.clone();
        for (nth, (wanted, found)) in all.into_iter().enumerate() {
            if interrupt.is_set() {
                break;
            }
            progress(setting, &BUILDING, nth as f64 / count);
            let mut row = Row {
                id: wanted.runtime.id.into(),
                name: wanted.runtime.name.into(),
                language: wanted.runtime.language.into(),
                ..base.clone()
            };
            row.settings = settings(wanted.runtime);
            let known = found.and_then(|candidate| {
                row.id.clone_from(&candidate.id);
                if !prepared.is_empty() {
                    deadline.allows(BUILT)?;
                }
                let ready = candidate.prepare(cache, &|| interrupt.is_set())?;
                row.program = Some(ready.program.display().to_string());
                row.version = Some(ready.version.clone());
                let system = RulerKind::System;
                let mut probe = Probe::start(&mut ready.command(), system, &interrupt)?;
                probe.end();
                Ok((candidate, ready, probe.hello.clone()))
            });
            match known {
                Ok((candidate, ready, hello)) => {
                    prepared.push((rows.len(), candidate, ready, hello));
                }
                Err(why) => row.reason = Some(why),
            }
            rows.push(row);
        }
        prepared
    }
}

impl Wanted {
    /// Returns the builds of the runtime that are wanted.
    fn candidates(&self) -> Result<Vec<Candidate>, String> {
        let mut found = candidates(self.runtime, self.place.as_deref())?;
        let known: Vec<String> = found.iter().map(|one| one.id.clone()).collect();
        found.retain(|candidate| self.wants(&candidate.id));
        if found.is_empty() {
            return Err(format!("no such build here, only: {}", known.join(", ")));
        }
        Ok(found)
    }

    fn wants(&self, row: &str) -> bool {
        let family = self.rows.iter().any(|wanted| wanted == self.runtime.id);
        self.rows.is_empty() || family || self.rows.iter().any(|wanted| row.starts_with(wanted))
    }
}

/// The clock of C that costs are compared with, if one can be read, and the one for clocks of CPU
/// time.
fn reference() -> Vec<&'static Entry> {
    let readable =
        |id: &&str| clocks::find(id).filter(|entry| entry.open(clocks::Opening::Checked).is_ok());
    let first = REFERENCES.iter().find_map(readable);
    let cpu = first.and_then(|_| readable(&CPU_REFERENCE));
    first.into_iter().chain(cpu).collect()
}

/// The row of this system, without a runtime.
fn base_row(environment: &Environment) -> Row {
    let kernel = environment.kernel.clone().unwrap_or_default();
    let timer = environment.clocksource.as_ref();
    Row {
        system: format!("{} {kernel}", environment.os).trim().to_owned(),
        hardware_timer: timer.map_or(String::new(), |source| source.current.clone()),
        processor: environment.cpu.model.clone().unwrap_or_default(),
        ..Row::default()
    }
}

fn settings(runtime: &Runtime) -> Vec<model::Setting> {
    let all = runtime.page().settings.iter();
    all.map(|it| model::Setting { name: it.name.into(), effect: it.effect.into() }).collect()
}

/// The subjects that are clocks: those of C and those of the runtimes that have not failed.
fn subjects(host: &Joined<'_>, own: usize) -> Vec<usize> {
    let of_slots = host.slots.iter().enumerate();
    let running = of_slots.filter(|(_, slot)| slot.probe.is_some());
    let clocks = running.flat_map(|(at, slot)| {
        (0..slot.hello.clocks.len()).map(move |clock| host.subject(at, clock))
    });
    (0..own).chain(clocks).collect()
}

/// Fills in what a runtime reported about itself, and its costs, by which whole runs differ by this
/// share.
fn describe(
    row: &mut Row,
    host: &Joined<'_>,
    at: usize,
    (outcome, rate): (&Outcome, Rate),
    of_c: &[Option<Estimate>; 2],
    between_runs: f64,
) {
    let slot: &Slot = &host.slots[at];
    let widened = |cost| widened_between_runs(cost, between_runs);
    row.reason.clone_from(&slot.reason);
    row.version = Some(slot.hello.version.clone()).filter(|version| !version.is_empty());
    row.build.clone_from(&slot.hello.build);
    row.stopwatch = Some(model::Stopwatch {
        call: slot.hello.stopwatch.call.clone(),
        hz: slot.hello.stopwatch.hz,
        fast_ppm: None,
        fast_error_ppm: None,
    });
    row.warm_up = Some(slot.warm_up).filter(|warm_up| warm_up.batches > 0);
    for (nth, clock) in slot.hello.clocks.iter().enumerate() {
        let subject = host.subject(at, nth);
        let throughput = outcome.estimate(subject, Mode::Throughput, rate);
        let batches = outcome.batches_ns(subject, Mode::Throughput, rate);
        let latency = batches.and_then(|batches| benchmark_spread(&batches));
        // A clock of CPU time is compared with that of C, not with a read without a system call.
        let of_c = of_c[usize::from(clock.kind == Kind::Cpu)].as_ref();
        row.processes =
            row.processes.max(throughput.as_ref().map_or(0, |e| e.processes.unwrap_or(1)));
        row.clocks.push(RuntimeClock {
            id: clock.id.clone(),
            call: clock.call.clone(),
            kind: clock.kind,
            unit_ns: 1e9 / clock.hz,
            claimed_ns: clock.claimed_ns,
            high_resolution: clock.high_resolution,
            claims: clock.claims.clone(),
            internal: clock.internal,
            relative: of_c.zip(throughput.as_ref()).and_then(|(c, own)| Ratio::of(own, c)),
            limited_by: throughput.as_ref().map(|cost| limited_by(cost, between_runs)),
            states_ns: throughput.as_ref().and_then(|cost| states_ns(&cost.by_process)),
            throughput: throughput.map(widened),
            latency: outcome.estimate(subject, Mode::Latency, rate).map(widened),
            benchmark: Some(Benchmark { latency, resolution: None }),
            ..RuntimeClock::default()
        });
    }
}

/// Examines everything outside the rounds: ticks, sleeps, allocations, calls of the system. Returns
/// whether there was time for all of it.
fn look(
    row: &mut Row,
    host: &mut Joined<'_>,
    at: usize,
    ruler: Rate,
    counters: &Counters,
    setting: &Setting,
    deadline: Deadline,
) -> bool {
    let slot = &mut host.slots[at];
    let Some(probe) = slot.probe.as_mut() else {
        return true;
    };
    let in_time = || deadline.allows(1.0).is_ok();
    let counts = slot.hello.allocations;
    let mut clocks = row.clocks.iter_mut().take_while(|_| in_time());
    let mut looked = clocks.try_for_each(|clock| details::clock(probe, clock, counts));
    if looked.is_ok() && in_time() {
        looked = details::stopwatch(probe, row, ruler);
    }
    let stopwatch_ns = 1e9 / slot.hello.stopwatch.hz;
    let tick_ns = row.clocks.iter().filter_map(|clock| clock.tick_ns);
    let tick_ns = tick_ns.fold(stopwatch_ns, f64::min).max(stopwatch_ns);
    if looked.is_ok() && in_time() {
        looked = details::sleeps(probe, tick_ns).map(|sleeps| row.sleeps = sleeps);
    }
    if let Err(why) = looked
        && !setting.interrupt.is_set()
    {
        row.reason.get_or_insert(why);
        slot.probe = None;
        return true;
    }
    if let Some(mut probe) = slot.probe.take() {
        probe.end();
    }
    for clock in &mut row.clocks {
        let longer = clock.tick_ns.zip(clock.read_ns()).map(|(tick, read)| tick.max(read));
        clock.resolution_ns = longer.or(clock.tick_ns);
    }
    // The calls are counted in two more processes.
    if deadline.left(1.0) < slot.restart * 2 {
        return false;
    }
    let ids: Vec<String> = row.clocks.iter().map(|clock| clock.id.clone()).collect();
    let counted = counters.count(&slot.ready, &ids, &setting.interrupt);
    for (clock, counted) in row.clocks.iter_mut().zip(counted) {
        clock.calls = counted.calls;
        clock.counted_by = counted.by;
        clock.system_calls = counted.of_system.map(|[calls, _]| calls);
        clock.futex_calls = counted.of_system.map(|[_, futex]| futex);
    }
    true
}

/// The row of the clock of C that this tool reads itself.
fn reference_row(
    base: &Row,
    reference: &[&'static Entry],
    (outcome, rate): (&Outcome, Rate),
    between_runs: f64,
) -> Option<Row> {
    let entry = reference.first()?;
    let throughput = outcome.estimate(0, Mode::Throughput, rate)?;
    let latency = outcome.estimate(0, Mode::Latency, rate);
    let widened = |cost| widened_between_runs(cost, between_runs);
    let itself = Ratio { value: 1.0, low: 1.0, high: 1.0 };
    Some(Row {
        id: "c:built-in".into(),
        name: "C, in this tool".into(),
        language: "C".into(),
        processes: throughput.processes.unwrap_or(1),
        clocks: vec![RuntimeClock {
            id: entry.id.replace('/', "-"),
            call: entry.call.into(),
            kind: entry.kind,
            unit_ns: 1.0,
            relative: Ratio::of(&throughput, &throughput).map(|_| itself),
            throughput: Some(widened(throughput)),
            latency: latency.map(widened),
            ..RuntimeClock::default()
        }],
        ..base.clone()
    })
}

/// Calls the test with the probe of each runtime that is installed here, in its first build.
#[cfg(test)]
fn for_each_installed(mut test: impl FnMut(&Runtime, Ready, &mut Probe)) {
    let cache = Cache::of_this_run().expect("a directory");
    for runtime in *chronoscope_runtimes::ALL {
        let first = candidates(runtime, None).ok().and_then(|all| all.first().cloned());
        let Some(Ok(ready)) = first.map(|one| one.prepare(&cache, &|| false)) else { continue };
        let interrupt = crate::engine::Interrupt::default();
        let mut probe = Probe::start(&mut ready.command(), RulerKind::System, &interrupt)
            .unwrap_or_else(|why| panic!("{}: {why}", runtime.id));
        test(runtime, ready, &mut probe);
        probe.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_is_spent_before_the_first_round_is_refused_in_one_line() {
        let of = |budget| Deadline { began: Instant::now(), budget };
        assert!(of(None).suffices().is_ok() && of(None).allows(BUILT).is_ok());
        assert!(of(Some(Duration::from_secs(60))).suffices().is_ok());
        let spent = of(Some(Duration::ZERO));
        assert_eq!(spent.allows(BUILT), Err(OUT_OF_TIME.into()));
        let Err(Error::Nothing(told)) = spent.suffices() else { panic!("it suffices") };
        assert!(told.contains("is too short") && told.contains("1 s would do"), "{told}");
    }

    #[test]
    fn there_are_six_processes_unless_starting_them_takes_too_long() {
        let of = |ms| processes(START, Duration::from_millis(ms), FEWEST_PROCESSES);
        assert_eq!([0, 300, 600, 800, 1500, 9000].map(of), [6, 6, 6, 4, 3, 2]);
    }
}
