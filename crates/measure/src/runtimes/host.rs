//! The host of runtimes: clocks of C that this process reads, and probes in the same rounds. To the
//! engine, a probe's clock is a subject like any other.
//!
//! `calls` and `overhead` of a clock of a runtime. Its probe makes the calls and runs the loops; to
//! the engine, it is a host like any other.

use super::answer::Hello;
use super::prepare::Ready;
use super::probe::Probe;
use super::series::{
    self, ENOUGH, ENOUGH_COMPILED, Enough, Passed, SAFELY, SHORT, Trend, clock_of,
};
use super::{Wanted, reference};
use crate::engine::{
    Additions, Around, Batch, Batches, Gauge, Job, LOST, Machine, Mode, Pairs, Rate, RulerKind,
    Sampled, Spec, Time, Timed, Values, sampling, schedule,
};
use crate::loops::{measure_calls, measure_overhead, negative};
use crate::run::{Conditions, Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::between::Between;
use chronoscope_model::clock::Clock;
use chronoscope_model::loops::{Calls, Overhead};
use chronoscope_model::run::Noise;
use chronoscope_model::runtimes::WarmUp;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::{Range, Unit};
use chronoscope_probes::time::Instant;
use std::time::Duration;

/// A runtime that takes part.
pub(super) struct Slot {
    pub id: String,
    pub ready: Ready,
    /// What the runtime's first process reported about itself.
    pub hello: Hello,
    /// The current process; absent if it failed.
    pub probe: Option<Probe>,
    /// Why the process failed.
    pub reason: Option<String>,
    /// The warm-up of the first process.
    pub warm_up: WarmUp,
    /// What each series of a later process needs to warm up, from the first process.
    later: Vec<Enough>,
    /// How long a later process should take to start and warm up.
    pub restart: Duration,
    /// The rate, in units of the stopwatch per second, with which batches are converted.
    pub hz: f64,
    /// Whether the runtime is compiled ahead of time: its loops need no time to become faster.
    pub compiled: bool,
    /// The runtime's first subject, which is its empty loop.
    first: usize,
}

pub(super) struct Joined<'a> {
    machine: &'a mut Machine,
    specs: Vec<Spec>,
    pub slots: Vec<Slot>,
    /// The number of subjects of the machine.
    own: usize,
    rng: fastrand::Rng,
    /// The time that went into later processes before their rounds.
    starting: Duration,
    /// How long a probe may take to settle; after that, it is measured as it is.
    longest: Duration,
}

/// How long a probe may take to settle if there is time.
const LONGEST: Duration = Duration::from_secs(6);
/// The length of a batch during the warm-up, most of which shall not go into requests.
const BATCH_NS: f64 = 500_000.0;
/// The most reads of a batch during the warm-up.
const MOST_READS: u64 = 1 << 20;
/// The fewest reads in a batch, even if they take longer, up to this time: a loop of few reads may
/// never run often enough to be compiled.
const FEW_READS: u64 = 64;
const LONG_NS: f64 = 10_000_000.0;
/// If a stopwatch's rate is wrong by more than this, its measured rate converts its batches. A
/// stopwatch that is slewed is wrong by at most 0.0005 (adjtimex(2)).
const WRONG: f64 = 0.005;

impl<'a> Joined<'a> {
    /// Returns a host for the machine's subjects and those of these probes.
    pub fn new(machine: &'a mut Machine, seed: u64) -> Self {
        let specs = machine.specs().to_vec();
        Self {
            own: specs.len(),
            machine,
            specs,
            slots: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
            starting: Duration::ZERO,
            longest: LONGEST,
        }
    }

    pub fn add(&mut self, id: String, ready: Ready, hello: Hello, compiled: bool) {
        let first = self.specs.len();
        let spec = |clock: &str, call: &str, kind, hz| Spec {
            row: Clock { id: format!("{id}/{clock}"), call: call.into(), kind, ..Clock::default() },
            baseline: first,
            unit: Unit::Hz(hz),
            nominal_ns: None,
            range: Range::bits(64),
        };
        self.specs.push(spec("empty", "", hello.clocks[0].kind, 1e9));
        for clock in &hello.clocks {
            self.specs.push(spec(&clock.id, &clock.call, clock.kind, clock.hz));
        }
        self.slots.push(Slot {
            id,
            ready,
            hz: hello.stopwatch.hz,
            hello,
            probe: None,
            reason: None,
            warm_up: WarmUp::default(),
            later: Vec::new(),
            restart: Duration::ZERO,
            compiled,
            first,
        });
    }

    /// Returns the subject number of a runtime's clock.
    pub fn subject(&self, slot: usize, clock: usize) -> usize {
        self.slots[slot].first + 1 + clock
    }

    /// Starts the first processes of all runtimes, and warms each of them up, within this time: a
    /// runtime for which there is none is left out.
    pub fn first_start(&mut self, time: Duration, mut progress: impl FnMut(usize)) {
        let (begun, all) = (self.machine.elapsed(), self.slots.len());
        for at in 0..all {
            if self.machine.interrupted() {
                return;
            }
            let left = time.saturating_sub(self.machine.elapsed().saturating_sub(begun));
            if at > 0 && left.is_zero() {
                self.fail(at, super::OUT_OF_TIME.into());
                continue;
            }
            self.longest = LONGEST.min(left / (all - at) as u32);
            progress(at);
            self.restart_one(at);
        }
    }

    /// Starts new processes of all runtimes that have not failed, and warms each of them up.
    fn restart(&mut self) {
        for at in 0..self.slots.len() {
            if self.machine.interrupted() {
                return;
            }
            self.restart_one(at);
        }
    }

    fn restart_one(&mut self, at: usize) {
        let begun = self.machine.elapsed();
        if let Some(mut old) = self.slots[at].probe.take() {
            old.end();
        }
        if self.slots[at].reason.is_some() {
            return;
        }
        let ruler = self.machine.ruler().kind();
        let mut command = self.slots[at].ready.command();
        match Probe::start(&mut command, ruler, &self.machine.interrupt) {
            Ok(mut probe) if same(&probe.hello, &self.slots[at].hello) => {
                if let Err(why) = probe.begin() {
                    return self.fail(at, why);
                }
                self.slots[at].probe = Some(probe);
                let started = self.machine.elapsed().saturating_sub(begun);
                self.warm_up(at, started);
                self.find_thread(at);
                self.settle_rate(at);
            }
            Ok(_) => self.fail(at, "a second process described other clocks".into()),
            Err(why) => self.fail(at, why),
        }
    }

    /// Drops the runtime's process, and keeps the first reason unless the user ended the run.
    fn fail(&mut self, at: usize, why: String) {
        if !self.machine.interrupted() {
            self.slots[at].reason.get_or_insert(why);
        }
        self.slots[at].probe = None;
    }

    /// Makes a batch; `None` if the runtime failed.
    fn ask(&mut self, at: usize, clock: usize, mode: Mode, reads: u64) -> Option<Batch> {
        let request = Probe::batch(self.name(at, clock), mode.name(), reads);
        self.timed(at, &request)
    }

    /// The name of a runtime's clock in requests.
    fn name(&self, at: usize, clock: usize) -> &str {
        match clock {
            0 => "empty",
            _ => &self.slots[at].hello.clocks[clock - 1].id,
        }
    }

    /// The runtime and the clock of a subject that is not the machine's.
    fn place(&self, subject: usize) -> (usize, usize) {
        let at = self.slots.partition_point(|slot| slot.first <= subject) - 1;
        (at, subject - self.slots[at].first)
    }

    /// Makes a request that is timed by the stopwatch; `None` if the runtime failed.
    fn timed(&mut self, at: usize, request: &str) -> Option<Batch> {
        let slot = &mut self.slots[at];
        let probe = slot.probe.as_mut()?;
        let ticks_per_unit = self.machine.hz() / slot.hz;
        let checked = probe.timed(request).and_then(|made| {
            let ticks = made.ticks * ticks_per_unit;
            probe.check_length(ticks)?;
            Ok((made, ticks))
        });
        match checked {
            Ok((made, ticks)) => Some(Batch {
                ticks: (ticks + (self.rng.f64() - 0.5) * ticks_per_unit * made.step())
                    .max(0.0)
                    .round() as u64,
                disturbed: made.disturbed,
            }),
            Err(why) => {
                self.fail(at, why);
                None
            }
        }
    }

    /// Returns the series of a runtime: its empty loop and its clocks, each in the modes that it
    /// has.
    fn series(&self, at: usize) -> Vec<(usize, Mode)> {
        let clocks = &self.slots[at].hello.clocks;
        let both = [Mode::Throughput, Mode::Latency];
        let empty = both.map(|mode| (0, mode));
        let of_clocks = clocks.iter().zip(1..).flat_map(|(clock, nth)| {
            let has = move |mode: &Mode| clock.modes.iter().any(|name| name == mode.name());
            both.into_iter().filter(has).map(move |mode| (nth, mode))
        });
        empty.into_iter().chain(of_clocks).collect()
    }

    /// Makes batches in turn until none of them becomes faster. The first process, which took this
    /// long to start, shows how long the others need.
    fn warm_up(&mut self, at: usize, started: Duration) {
        let series = self.series(at);
        let slot = &self.slots[at];
        let is_first = slot.later.is_empty();
        let enough = match (is_first, slot.compiled) {
            (false, _) => slot.later.clone(),
            (true, true) => vec![ENOUGH_COMPILED; series.len()],
            (true, false) => vec![ENOUGH; series.len()],
        };
        let mut reads = vec![1u64; series.len()];
        let mut trends = vec![Trend::default(); series.len()];
        let hz = self.machine.hz();
        let (aim, long) = (BATCH_NS * hz / 1e9, LONG_NS * hz / 1e9);
        let start = self.machine.elapsed();
        // Each cost settles by itself: on a busy machine, all of them would hardly ever seem
        // settled at once.
        let mut settled = vec![false; series.len()];
        let mut passed = Duration::ZERO;
        while settled.contains(&false) && passed < self.longest && !self.machine.interrupted() {
            for (nth, &(clock, mode)) in series.iter().enumerate() {
                // Each loop of a later process takes its turns only until it is ready.
                if settled[nth] && !is_first {
                    continue;
                }
                let Some(batch) = self.ask(at, clock, mode, reads[nth]) else {
                    return;
                };
                let ticks = batch.ticks as f64;
                let took = Duration::from_secs_f64(ticks / hz);
                passed = self.machine.elapsed().saturating_sub(start);
                trends[nth].push(passed, reads[nth], took);
                let few = reads[nth] < FEW_READS && ticks < long / 2.0;
                if (few || ticks < aim / 2.0) && reads[nth] < MOST_READS {
                    reads[nth] *= 2;
                }
            }
            for (nth, trend) in trends.iter().enumerate() {
                settled[nth] |= trend.has_settled(enough[nth]);
            }
        }
        if !is_first {
            return;
        }
        let ups = trends.iter().filter_map(Trend::speed_up);
        let slot = &mut self.slots[at];
        slot.warm_up = WarmUp {
            seconds: passed.as_secs_f64(),
            batches: trends.first().map_or(0, |trend| trend.len() as u64),
            settled: !settled.contains(&false),
            speed_up: ups.fold(1.0, f64::max),
        };
        let needed: Vec<Passed> = trends.iter().map(Trend::needed).collect();
        slot.later = enough.iter().zip(&needed).map(|(enough, &it)| enough.again(it)).collect();
        let busy: Duration = needed.iter().map(|needed| needed.busy).sum();
        let time = slot.later.iter().map(|later| later.least.time).max().unwrap_or_default();
        slot.restart = started + SHORT + time.max(busy * SAFELY);
    }

    /// Runs the loops of this clock around sums of `m` integers until a compiler that does so
    /// while they run has replaced them.
    pub fn warm_up_around(&mut self, subject: usize, m: u64) {
        let (at, _) = self.place(subject);
        let (begun, values) = (self.machine.elapsed(), vec![0; m as usize]);
        let span = if self.slots[at].compiled { SHORT } else { ENOUGH.span };
        while self.slots[at].probe.is_some()
            && self.machine.elapsed().saturating_sub(begun) < span
            && !self.machine.interrupted()
        {
            self.around(self.slots[at].first, FEW_READS, &values);
            self.around(subject, FEW_READS, &values);
        }
    }

    /// Finds the thread that reads, so that the time it spends off the CPU is seen. That thread
    /// needs a CPU of its own: the account of a thread that runs elsewhere at this moment is
    /// behind.
    fn find_thread(&mut self, at: usize) {
        let slot = &mut self.slots[at];
        if let (Some(probe), Some(clock)) = (&mut slot.probe, slot.hello.clocks.first()) {
            probe.find_thread(&Probe::batch(&clock.id, Mode::Throughput.name(), 20_000));
        }
    }

    /// Corrects the conversion if the stopwatch does not run at the rate that it claims.
    fn settle_rate(&mut self, at: usize) {
        let slot = &mut self.slots[at];
        match slot.probe.as_mut().map(|probe| probe.rate(0.0)) {
            Some(Ok(Some((rate, error)))) => {
                let measured = rate * self.machine.hz();
                if (measured / slot.hello.stopwatch.hz - 1.0).abs() > WRONG + error {
                    slot.hz = measured;
                }
            }
            Some(Err(why)) => self.fail(at, why),
            Some(Ok(None)) | None => {}
        }
    }
}

/// Whether another process of a runtime has all the clocks that are wanted.
fn same(one: &Hello, wanted: &Hello) -> bool {
    wanted.clocks.iter().all(|clock| one.clocks.iter().any(|other| other.id == clock.id))
}

impl Time for Joined<'_> {
    /// Leaves out what goes into later processes before their rounds, so that each process gets an
    /// equal part of the time.
    fn elapsed(&self) -> Duration {
        self.machine.elapsed().saturating_sub(self.starting)
    }

    fn interrupted(&self) -> bool {
        self.machine.interrupted()
    }
}

impl Timed for Joined<'_> {
    fn specs(&self) -> &[Spec] {
        &self.specs
    }

    fn ticks(&mut self) -> u64 {
        self.machine.ticks()
    }

    fn hz(&self) -> f64 {
        self.machine.hz()
    }

    fn rate(&mut self) -> Rate {
        self.machine.rate()
    }
}

impl Batches for Joined<'_> {
    fn batch(&mut self, subject: usize, mode: Mode, reads: u64) -> Batch {
        if subject < self.own {
            return self.machine.batch(subject, mode, reads);
        }
        let (at, clock) = self.place(subject);
        let known = clock == 0 || {
            let modes = &self.slots[at].hello.clocks[clock - 1].modes;
            modes.iter().any(|name| name == mode.name())
        };
        if !known {
            return LOST;
        }
        self.ask(at, clock, mode, reads).unwrap_or(LOST)
    }

    fn displace(&mut self, bytes: usize) {
        self.machine.displace(bytes);
    }

    fn end_round(&mut self) -> bool {
        self.machine.end_round()
    }

    fn gauge(&mut self, what: Additions) -> Option<Gauge> {
        self.machine.gauge(what)
    }

    fn least_width(&self) -> Option<f64> {
        self.machine.least_width()
    }

    fn between(&self) -> Between {
        self.machine.between()
    }

    fn has_children(&self) -> bool {
        true
    }

    /// Makes the rounds with new processes of all runtimes. This process reads the clocks of C
    /// itself, with another copy of its loops.
    fn child_rounds(&mut self, job: &Job) -> Option<Sampled> {
        let begun = self.machine.elapsed();
        self.restart();
        self.starting += self.machine.elapsed().saturating_sub(begun);
        self.machine.use_copy(job.copy);
        (!self.interrupted()).then(|| sampling::sample(self, job, |_, _| false))
    }
}

/// The most reads that a probe makes in a row.
const MOST_IN_A_ROW: u64 = 1_000_000;

impl Values for Joined<'_> {
    /// The probe of a runtime answers with differences, which are spans.
    fn fill(&mut self, subject: usize, out: &mut [u64]) {
        if subject < self.own {
            self.machine.fill(subject, out);
        }
    }

    /// A runtime's in picoseconds, because the values of some clocks are fractions of a unit.
    fn span(&mut self, subject: usize, calls: u64) -> u64 {
        if subject < self.own {
            return self.machine.span(subject, calls);
        }
        let (at, clock) = self.place(subject);
        let request = format!("deltas {} {}", self.name(at, clock), calls + 1);
        let slot = &mut self.slots[at];
        let Some(probe) = slot.probe.as_mut() else { return 0 };
        match series::last(probe, &request, calls) {
            Ok(units) => (units / slot.hello.clocks[clock - 1].hz * 1e12).round() as i64 as u64,
            Err(why) => {
                self.fail(at, why);
                0
            }
        }
    }

    fn longest_span(&self) -> u64 {
        MOST_IN_A_ROW - 1
    }

    fn around(&mut self, subject: usize, n: u64, v: &[u64]) -> u64 {
        if subject < self.own {
            return self.machine.around(subject, n, v);
        }
        let (at, clock) = self.place(subject);
        let request = format!("around {} {n} {}", self.name(at, clock), v.len());
        self.timed(at, &request).map_or(0, |made| made.ticks)
    }

    /// Makes the samples with a new process of each runtime.
    fn child_around(&mut self, job: &Around) -> Option<Pairs> {
        let begun = self.machine.elapsed();
        self.restart();
        self.warm_up_around(job.subject, job.m);
        let spent = self.machine.elapsed().saturating_sub(begun);
        let job = Around { budget: job.budget.saturating_sub(spent), ..job.clone() };
        let runs = self.slots.iter().all(|slot| slot.probe.is_some()) && !self.interrupted();
        runs.then(|| sampling::sample_around(self, &job, |_| ()))
    }
}

/// Loops of one clock of a runtime.
pub struct Loops {
    /// The runtime, and its build if it has several.
    pub wanted: Wanted,
    /// The clock's id within the runtime.
    pub clock: String,
    pub of: Loop,
    /// The loads to repeat them under. The probe has no priority: it is a process of its own.
    pub disturbance: Disturbance,
}

#[derive(Clone, Copy)]
pub enum Loop {
    /// A million calls, ten, and one.
    Calls,
    /// Sums, with and without timing: samples, iterations per sample, integers per sum.
    Around([u64; 3]),
}

/// Why there are no figures.
const OUT_OF_TIME: &str = "the --budget was used up before the process was ready";
/// The most of a budget that the first process may take to become ready.
const WARM: f64 = 0.4;

impl Measurement for Loops {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let interrupt = setting.interrupt.clone();
        let Some((candidate, ready)) = self.wanted.ready(&interrupt)? else { return Ok(()) };
        let id = candidate.id;
        let failed = |why: String| Error::Nothing(format!("{id}: {why}"));
        let probe = Probe::start(&mut ready.command(), RulerKind::System, &interrupt);
        let mut probe = probe.map_err(failed)?;
        probe.end();
        let clock = clock_of(&id, &self.clock, &probe.hello)?;
        let mut hello = probe.hello.clone();
        // The others need not be warm.
        hello.clocks = vec![clock.clone()];
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &reference())?;
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        let (mut calls, mut overhead, mut reason) = (Vec::new(), Vec::new(), None);
        conditions.each(&mut session, report, |session, load, whole| {
            let (began, seed) = (Instant::now(), setting.seed);
            let mut host = Joined::new(&mut session.machine, seed);
            host.add(id.clone(), ready.clone(), hello.clone(), candidate.runtime.compiled);
            host.first_start(longest.map_or(Duration::MAX, |time| time.mul_f64(WARM)), |_| ());
            let longest = longest.map(|longest| longest.saturating_sub(began.elapsed()));
            let subject = host.subject(0, 0);
            host.specs[subject].nominal_ns = clock.claimed_ns;
            // Of spans, see `Joined`.
            host.specs[subject].unit = Unit::Hz(1e12);
            let mut progress = |phase, part| {
                (setting.progress)(Progress::Phase(phase, whole(part)));
            };
            match self.of {
                Loop::Calls => {
                    let phase = |part| progress("calls", part);
                    let made = measure_calls(&mut host, subject, longest, phase);
                    calls.extend(made.map(|made| Calls { load, ..made }));
                }
                Loop::Around(shape) => {
                    host.warm_up_around(subject, shape[2]);
                    let longest = longest.unwrap_or(schedule::OVERHEAD.time);
                    let phase = |part| progress("overhead", part);
                    let made = measure_overhead(&mut host, subject, shape, longest, seed, phase);
                    overhead.extend(made.map(|made| Overhead { load, ..made }));
                }
            }
            reason = reason.take().or(host.slots.swap_remove(0).reason);
        })?;
        let nothing = calls.is_empty() && overhead.is_empty();
        let reason = reason.or(nothing.then(|| OUT_OF_TIME.into()));
        if let Some(why) = reason.filter(|_| !interrupt.is_set()) {
            return Err(failed(why));
        }
        report.notes.extend(overhead.first().and_then(negative));
        report.calls.append(&mut calls);
        report.overhead.append(&mut overhead);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Values;
    use crate::engine::{Interrupt, Machine, Ruler};
    use crate::runtimes::for_each_installed;

    #[test]
    fn every_probe_calls_each_clock_and_times_sums_with_it() {
        for_each_installed(|runtime, ready, probe| {
            let source = chronoscope_model::packed::text(runtime.source.packed);
            let known = chronoscope_runtimes::clocks_in(&source);
            for clock in &probe.hello.clocks {
                let named = |it: &[&str; 3]| it[..2] == [&clock.id, &clock.call];
                assert!(known.iter().any(named), "{}/{} is not explained", runtime.id, clock.id);
            }
            let ruler = Ruler::new(None, Duration::from_millis(5));
            let mut machine = Machine::new(ruler, Vec::new(), Interrupt::default());
            let mut host = Joined::new(&mut machine, 1);
            host.add(runtime.id.into(), ready, probe.hello.clone(), true);
            host.first_start(Duration::from_millis(1), |_| ());
            let clocks = probe.hello.clocks.len();
            let spans: Vec<u64> =
                (0..clocks).map(|at| host.span(host.subject(0, at), 25_000)).collect();
            let baseline = host.specs()[host.subject(0, 0)].baseline;
            let sums = vec![0; 200];
            for at in 0..clocks {
                let timed = host.around(host.subject(0, at), 500, &sums);
                let plain = host.around(baseline, 500, &sums);
                let why = host.slots[0].reason.as_ref();
                assert!(timed > 0 && plain > 0 && why.is_none(), "{} {at}: {why:?}", runtime.id);
            }
            // No read takes 20 ns less than nothing, and none a millisecond.
            assert!(
                spans.iter().all(|ps| *ps < 25_000 * 1_000_000_000),
                "{}: {spans:?}",
                runtime.id
            );
            assert!(spans.iter().any(|ps| *ps > 0), "{}: {spans:?}", runtime.id);
        });
    }
}
