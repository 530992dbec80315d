//! Successive reads of one clock of a runtime. Its probe makes them in one uninterrupted series and
//! answers with their values afterwards, so the differences are those of a program in its language.
//!
//! Whether the batches of a runtime still become faster. A just-in-time compiler replaces a loop
//! when it has run often enough, or when a timer expires; no fixed number of batches is right for
//! all compilers.

use super::answer::{self, Checked, Hello};
use super::prepare::{Cache, Candidate, Ready};
use super::probe::Probe;
use super::{Wanted, reference};
use crate::deltas::{CHUNK, LOOKS, NOTHING_TRIES, Portions, Tally};
use crate::engine::children::shown;
use crate::engine::machine::Neighbour;
use crate::engine::schedule::{DELTAS_NOTHING, Limit, Time};
use crate::engine::{Batches, Interrupt, Machine, RulerKind};
use crate::run::{Conditions, Error, Measurement, Setting};
use crate::sorted;
use crate::stats::quantile;
use chronoscope_model::Report;
use chronoscope_model::deltas::{Deltas, Nothing, Pairs};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks;
use std::time::Duration;

/// The most values in an answer; one with fewer is the last.
const ANSWER: usize = 20_000;
/// The longest that a read may take under any clock source, with those that warm up the loop.
const READ: Duration = Duration::from_micros(20);
/// The empty intervals, or pairs, that are asked for at once.
const AT_ONCE: u64 = 200_000;
/// The time that the protocol allows for those.
const WORK: Duration = Duration::from_secs(2);

/// The differences between successive reads of one clock of a runtime.
pub struct Series {
    /// The runtime, and its build if it has several.
    pub wanted: Wanted,
    /// The clock's id within the runtime.
    pub clock: String,
    /// Reads to make.
    pub reads: u64,
    /// The loads to repeat them under. The probe has no priority: it is a process of its own.
    pub disturbance: Disturbance,
}

impl Measurement for Series {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let interrupt = setting.interrupt.clone();
        let Some((candidate, ready)) = self.wanted.ready(&interrupt)? else { return Ok(()) };
        let id = candidate.id;
        let conditions = Conditions::new(&self.disturbance, setting)?;
        // The probe inherits the CPU that the session keeps to.
        let mut session = setting.session(&report.environment, &reference())?;
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        let (mut found, mut failed) = (Vec::new(), None);
        conditions.each(&mut session, report, |session, load, _| {
            match self.deltas(&id, &ready, &mut session.machine, longest, &interrupt) {
                Ok(deltas) => found.push(Deltas { load, ..deltas }),
                Err(why) => failed = failed.take().or(Some(why)),
            }
        })?;
        if let Some(why) = failed.filter(|_| !interrupt.is_set()) {
            return Err(why);
        }
        let shared = found.first().and_then(|found: &Deltas| found.shared);
        session.conclude(report, 0.0, Noise { shared, ..Noise::default() });
        report.deltas.append(&mut found);
        Ok(())
    }
}

impl Wanted {
    /// Builds the one build that is wanted; `None` if the user asked to stop.
    ///
    /// # Errors
    /// It cannot be built, or several are named.
    pub(super) fn ready(&self, stop: &Interrupt) -> Result<Option<(Candidate, Ready)>, Error> {
        let cache = Cache::open().map_err(Error::Nothing)?;
        let candidate = self.candidate()?;
        match candidate.prepare(&cache, &|| stop.is_set()) {
            Err(_) if stop.is_set() => Ok(None),
            Err(why) => Err(Error::Nothing(format!("{}: {why}", candidate.id))),
            Ok(ready) => Ok(Some((candidate, ready))),
        }
    }

    fn candidate(&self) -> Result<Candidate, Error> {
        let id = self.rows.first().map_or(self.runtime.id, String::as_str);
        let found = self.candidates();
        let mut found =
            found.map_err(|why| Error::Nothing(format!("{}: {why}", self.runtime.id)))?;
        if let Some(whole) = found.iter().position(|one| one.id == id) {
            return Ok(found.swap_remove(whole));
        }
        match found.as_slice() {
            [_] => Ok(found.remove(0)),
            several => {
                let names: Vec<&str> = several.iter().map(|one| one.id.as_str()).collect();
                let (count, names) = (names.len(), names.join(", "));
                Err(Error::Invalid(format!("'{id}' names {count} builds: {names}")))
            }
        }
    }
}

impl Series {
    fn deltas(
        &self,
        id: &str,
        ready: &Ready,
        machine: &mut Machine,
        longest: Option<Duration>,
        stop: &Interrupt,
    ) -> Result<Deltas, Error> {
        let mut neighbour = Neighbour::new(machine.least_width());
        let failed = |why: String| Error::Nothing(format!("{id}: {why}"));
        let mut probe =
            Probe::start(&mut ready.command(), RulerKind::System, stop).map_err(failed)?;
        let clock = clock_of(id, &self.clock, &probe.hello)?;
        let unit_ns = 1e9 / clock.hz;
        let aside = DELTAS_NOTHING.within(longest);
        let portions = Portions::new(machine, longest.map(|longest| longest - aside * 2));
        let mut look = |machine: &mut Machine| neighbour.look(LOOKS, |what| machine.gauge(what));
        look(machine);
        let mut made = 0;
        // Values wait until there are enough of them to tell whether they are whole.
        let mut waiting: Vec<Vec<f64>> = Vec::new();
        let mut tally = None;
        loop {
            let portion =
                (made < self.reads && !stop.is_set()).then(|| portions.next(machine, made));
            let Some(portion) = portion.flatten() else { break };
            let take = (self.reads - made).min(portion as u64).max(2);
            let values = series(&mut probe, &clock.id, take as usize).map_err(failed)?;
            look(machine);
            let short = (values.len() as u64) < take;
            made += values.len() as u64;
            waiting.push(values);
            if made >= CHUNK as u64 {
                tell(&mut tally, &mut waiting, unit_ns);
            }
            if short {
                break;
            }
        }
        tell(&mut tally, &mut waiting, unit_ns);
        let Some((tally, ns_per_tick)) = tally.filter(|_| made > 0) else {
            return Err(failed("no reads were made".into()));
        };
        neighbour.judge();
        let ticks = unit_ns / ns_per_tick;
        let request = |what: &str| format!("{what} {} {AT_ONCE}", clock.id);
        let started = repeated(&mut probe, &request("pairs"), machine, aside);
        let watched = repeated(&mut probe, &request("watch"), machine, aside);
        let deltas = Deltas {
            id: format!("{id}/{}", clock.id),
            call: Some(clock.call.clone()),
            runtime: Some(format!("{} {}", probe.hello.runtime, probe.hello.version)),
            reads: made,
            wanted: (made < self.reads).then_some(self.reads),
            ns_per_tick_ppm: clock.hz_ppm,
            shared: neighbour.share(),
            pairs: pairs(&started.map_err(failed)?, unit_ns, ticks),
            nothing_measured: nothing(&watched.map_err(failed)?, unit_ns, ticks),
            ..tally.deltas()
        };
        probe.end();
        Ok(deltas)
    }
}

/// Returns the clock of the build `id` as its probe describes it.
///
/// # Errors
/// There is no such clock, or it cannot be read here.
pub(super) fn clock_of(id: &str, wanted: &str, hello: &Hello) -> Result<answer::Clock, Error> {
    if let Some(found) = hello.clocks.iter().find(|clock| clock.id == wanted) {
        return Ok(found.clone());
    }
    if let Some(gone) = hello.unavailable.iter().find(|gone| gone.id == wanted) {
        return Err(Error::Nothing(format!("{id}/{wanted} cannot be read: {}", gone.reason)));
    }
    let of_runtime = hello.clocks.iter().map(|clock| clock.id.as_str());
    // The tool's own clocks of that language have ids of the same form.
    let own = clocks::every().filter_map(|entry| entry.id.strip_prefix(id)?.strip_prefix('/'));
    let ids: Vec<&str> = own.chain(of_runtime).collect();
    let (wanted, ids) = (shown(wanted, 40), ids.join(", "));
    Err(Error::Invalid(format!("{id} has no clock '{wanted}', only: {ids}")))
}

/// Lets the probe make successive reads, and returns their values less the first: fewer than
/// `count` if the probe had to stop early.
///
/// # Errors
/// The probe is of no further use, for the reason given.
fn series(probe: &mut Probe, clock: &str, count: usize) -> Result<Vec<f64>, String> {
    let work = READ * u32::try_from(count).unwrap_or(u32::MAX);
    let mut request = format!("deltas {clock} {count}");
    let mut values = Vec::with_capacity(count);
    loop {
        let answer: answer::Deltas = probe.demand(&request, work)?;
        let more = answer.values.len();
        values.extend(answer.values);
        if values.len() > count {
            return Err(format!("it answers {} reads to '{request}'", values.len()));
        }
        if more < ANSWER || values.len() == count {
            break;
        }
        request = format!("more {}", values.len());
    }
    if values.len() < 2 {
        return Err("it made fewer than two reads".into());
    }
    Ok(values)
}

/// Lets the probe make `calls` reads after a first one, and returns the last value less the first.
///
/// # Errors
/// The probe is of no further use, for the reason given.
pub(super) fn last(probe: &mut Probe, request: &str, calls: u64) -> Result<f64, String> {
    let calls = calls as usize;
    let work = READ * u32::try_from(calls).unwrap_or(u32::MAX);
    let mut seen: answer::Deltas = probe.demand(request, work)?;
    let mut at = calls;
    if calls >= ANSWER {
        seen = probe.demand(&format!("more {calls}"), Duration::ZERO)?;
        at = 0;
    }
    let missing = || format!("it made fewer reads than '{request}' asks for");
    seen.values.get(at).copied().ok_or_else(missing)
}

/// Counts the differences of the values that wait. `tally` is made with the first.
fn tell(tally: &mut Option<(Tally, f64)>, waiting: &mut Vec<Vec<f64>>, unit_ns: f64) {
    if waiting.is_empty() {
        return;
    }
    let (tally, ns_per_tick) = tally.get_or_insert_with(|| {
        let ns_per_tick = ns_per_tick(waiting, unit_ns);
        (Tally::new(ns_per_tick), ns_per_tick)
    });
    for values in waiting.drain(..) {
        let ticks =
            values.iter().map(|value| (value * unit_ns / *ns_per_tick).round() as i64 as u64);
        tally.add(&ticks.collect::<Vec<u64>>());
    }
}

/// The length of a tick: the clock's unit, or a nanosecond if some values are fractions of a unit.
fn ns_per_tick(values: &[Vec<f64>], unit_ns: f64) -> f64 {
    let whole = values.iter().flatten().all(|value| value.fract() == 0.0);
    if whole { unit_ns } else { 1.0 }
}

/// Makes a request again and again, and returns the answers; none if the probe cannot serve it, or
/// if there was no time.
///
/// # Errors
/// The probe is of no further use, for the reason given.
fn repeated<T: Checked>(
    probe: &mut Probe,
    request: &str,
    machine: &impl Time,
    longest: Duration,
) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    let mut limit = Limit::new(machine, longest, NOTHING_TRIES / AT_ONCE);
    while !limit.reached(machine) {
        let Some(answer) = probe.ask(request, WORK)? else { break };
        all.push(answer);
    }
    Ok(all)
}

/// The longest of empty intervals: each read less the one before. There are `ticks` in a unit.
fn nothing(seen: &[answer::Watch], unit_ns: f64, ticks: f64) -> Option<Nothing> {
    let least = |seen: &answer::Watch| match (seen.backwards, seen.same) {
        (0, 0) => seen.smallest,
        (0, _) => 0.0,
        _ => -seen.worst,
    };
    let longest = seen.iter().map(|seen| seen.longest).fold(0.0, f64::max);
    let tries = seen.iter().fold(0u64, |tries, seen| tries.saturating_add(seen.reads));
    (tries > 0).then(|| Nothing {
        tries,
        max_ticks: (longest * ticks).round() as i64,
        max_ns: longest * unit_ns,
        min_ns: seen.iter().map(least).fold(f64::INFINITY, f64::min) * unit_ns,
        interrupted: None,
    })
}

/// What the runtime's objects that time intervals by this clock show if they are stopped at once.
/// There are `ticks` in a unit.
fn pairs(seen: &[answer::Pairs], unit_ns: f64, ticks: f64) -> Option<Pairs> {
    let count = seen.iter().fold(0u64, |count, seen| count.saturating_add(seen.pairs));
    let zeros: f64 = seen.iter().map(|seen| seen.zero as f64).sum();
    let total: f64 = seen.iter().map(|seen| seen.total).sum();
    let longest = seen.iter().map(|seen| seen.longest).fold(0.0, f64::max);
    (count > 0).then(|| Pairs {
        call: seen.last().map_or(String::new(), |seen| seen.call.clone()),
        count,
        zero_share: zeros / count as f64,
        mean_ns: total * unit_ns / count as f64,
        max_ticks: (longest * ticks).round() as i64,
        max_ns: longest * unit_ns,
    })
}

#[derive(Clone, Debug, Default)]
pub(super) struct Trend {
    batches: Vec<Point>,
}

/// A batch of a trend.
#[derive(Clone, Copy, Debug)]
struct Point {
    cost: f64,
    /// What had passed at its end.
    passed: Passed,
}

/// What has passed since the warm-up began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Passed {
    pub time: Duration,
    /// The time for which the loop itself ran.
    pub busy: Duration,
    /// The reads that the loop made.
    pub reads: u64,
}

impl Passed {
    fn reaches(&self, least: &Self) -> bool {
        self.time >= least.time && self.busy >= least.busy && self.reads >= least.reads
    }
}

/// What makes a trend conclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Enough {
    /// The span in which batches must not become faster.
    pub span: Duration,
    /// What must have passed before.
    pub least: Passed,
}

/// When a loop may have settled. .NET waits 100 ms before it compiles what has run often enough
/// (`TieredCompilation.BackgroundWorkerTimeoutMs` and `TC_CallCountingDelayMs`). V8 was seen to
/// replace a loop after 30 ms of its own time and 100,000 reads; PyPy counts 1,039 iterations
/// before it compiles a loop, and 200 before it compiles what leaves it. HotSpot was seen to
/// compile the loop of `Instant.now()` anew, by a quarter faster, after 1,700,000 reads.
pub(super) const ENOUGH: Enough = Enough {
    span: Duration::from_millis(250),
    least: Passed { time: Duration::ZERO, busy: Duration::from_millis(100), reads: 5_000 },
};
/// What must have passed for a loop that was compiled before it ran.
pub(super) const ENOUGH_COMPILED: Enough =
    Enough { span: SHORT, least: Passed { time: Duration::ZERO, busy: Duration::ZERO, reads: 0 } };
/// The span in which the batches of a loop must not become faster if it is known when it is ready.
pub(super) const SHORT: Duration = Duration::from_millis(30);
/// A later process makes this many times the reads that the first one needed, for as much time.
pub(super) const SAFELY: u32 = 2;

impl Enough {
    /// Returns what the same loop needs in another process, if it needed this in the first.
    pub fn again(&self, needed: Passed) -> Self {
        Self {
            span: self.span.min(SHORT),
            least: Passed {
                // Compilers count reads; only their timers count time.
                time: (needed.time * SAFELY).min(self.span),
                busy: Duration::ZERO,
                reads: needed.reads * u64::from(SAFELY),
            },
        }
    }
}

/// If the newer half is lower than the older one by more than this share, the batches still become
/// faster.
const FASTER: f64 = 0.02;
/// Batches that take at most this many times as long as the fastest are as fast as they become.
const NEAR: f64 = 1.15;
/// The fewest batches in a half.
const FEWEST: usize = 6;

impl Trend {
    /// Records a batch of this many reads, which ended at this time and took this long.
    pub fn push(&mut self, time: Duration, reads: u64, took: Duration) {
        let Passed { busy, reads: before, .. } = self.passed();
        let cost = took.as_secs_f64() / reads.max(1) as f64;
        let passed = Passed { time, busy: busy + took, reads: before + reads };
        self.batches.push(Point { cost, passed });
    }

    /// The number of batches so far.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    fn passed(&self) -> Passed {
        self.batches.last().map_or(Passed::default(), |point| point.passed)
    }

    /// Whether the batches of the last span no longer become faster: the median of the newer half
    /// is not below that of the older one.
    pub fn has_settled(&self, enough: Enough) -> bool {
        let passed = self.passed();
        if !passed.reaches(&enough.least) {
            return false;
        }
        let from = passed.time.saturating_sub(enough.span);
        let first = self.batches.partition_point(|point| point.passed.time < from);
        // The window must be full and contain enough: on a busy machine, it is longer.
        let first = first.min(self.len().saturating_sub(2 * FEWEST));
        if first == 0 {
            return false;
        }
        let recent = &self.batches[first..];
        let (older, newer) = recent.split_at(recent.len() / 2);
        match (median(older), median(newer)) {
            (Some(older), Some(newer)) => newer >= older * (1.0 - FASTER),
            _ => false,
        }
    }

    /// What had passed when the batches had become fast: when [`FEWEST`] in a row came near the
    /// fastest that did. Neighbours of the core make batches slower, never faster.
    pub fn needed(&self) -> Passed {
        let parts = || self.batches.chunks_exact(FEWEST);
        let fastest = parts().filter_map(median).fold(f64::INFINITY, f64::min);
        let mut fast = parts().filter(|part| median(part).is_some_and(|it| it <= fastest * NEAR));
        fast.next().and_then(<[Point]>::last).map_or(self.passed(), |point| point.passed)
    }

    /// By what factor the first batch took longer than the last ones.
    pub fn speed_up(&self) -> Option<f64> {
        let first = self.batches.first()?.cost;
        let recent = &self.batches[self.len().saturating_sub(FEWEST)..];
        let last = median(recent).filter(|last| *last > 0.0)?;
        Some(first / last)
    }
}

fn median(batches: &[Point]) -> Option<f64> {
    quantile(&sorted(batches.iter().map(|point| point.cost)), 0.5)
}

#[cfg(test)]
mod series_tests {
    use super::*;
    use crate::runtimes::for_each_installed;

    #[test]
    fn every_probe_makes_a_series_longer_than_an_answer() {
        for_each_installed(|runtime, _, probe| {
            for clock in probe.hello.clocks.clone() {
                const READS: usize = 45_000;
                let made = series(probe, &clock.id, READS);
                let name = format!("{}/{}", runtime.id, clock.id);
                let values = made.unwrap_or_else(|why| panic!("{name}: {why}"));
                assert_eq!((values.len(), values[0]), (READS, 0.0), "{name}");
                let mut tally = None;
                tell(&mut tally, &mut vec![values], 1e9 / clock.hz);
                let found = tally.expect("values").0.deltas();
                let zeros = (found.zero_share * (READS - 1) as f64).round() as u64;
                let positive = found.changes.map_or(0, |changes| changes.count);
                let all = found.negative + zeros + positive;
                assert_eq!(all, READS as u64 - 1, "{name}");
            }
            let unknown = series(probe, "no-such-clock", 9).map(drop);
            let why = unknown.expect_err("there is no such clock");
            assert!(
                why.starts_with("it refuses 'deltas no-such-clock 9'"),
                "{}: {why}",
                runtime.id
            );
        });
    }

    #[test]
    fn values_are_counted_in_whole_units_or_in_nanoseconds() {
        assert_eq!(ns_per_tick(&[vec![0.0, 3.0]], 100.0), 100.0);
        // These are milliseconds.
        let mut waiting = vec![vec![0.0, 41e-6, 41e-6, 82e-6], vec![0.0, 83e-6]];
        let mut tally = None;
        tell(&mut tally, &mut waiting, 1e6);
        let found = tally.expect("values").0.deltas();
        let rows: Vec<_> = found.rows.iter().map(|row| (row.ticks, row.count)).collect();
        assert_eq!(rows, [(0, 1), (41, 2), (83, 1)]);
        let changes = found.changes.expect("three");
        assert_eq!((changes.count, changes.min_ns), (3, 41.0));
        assert_eq!((changes.mean_ns, changes.median_ns), (55.0, 41.0));
    }
}

#[cfg(test)]
mod warm_tests {
    use super::*;

    const ANY: Passed = Passed { time: Duration::ZERO, busy: Duration::ZERO, reads: 0 };
    const QUICK: Enough = Enough { span: Duration::from_millis(200), least: ANY };

    /// Returns the trend of a loop whose reads take this many nanoseconds, with a batch per
    /// millisecond, and after how many batches it settles.
    fn trend_of(enough: Enough, cost: impl Fn(u64) -> f64) -> (Trend, Option<u64>) {
        let mut trend = Trend::default();
        let settled = (0..5000).find(|at| {
            let took = Duration::from_secs_f64(cost(*at) * 1e-9 * 100.0);
            trend.push(Duration::from_millis(*at), 100, took);
            trend.has_settled(enough)
        });
        (trend, settled)
    }

    fn settles_with(enough: Enough, cost: impl Fn(u64) -> f64) -> Option<u64> {
        trend_of(enough, cost).1
    }

    fn settles(cost: impl Fn(u64) -> f64) -> Option<u64> {
        settles_with(QUICK, cost)
    }

    #[test]
    fn a_loop_that_is_replaced_settles_after_the_last_replacement() {
        // Interpreted, then compiled, then compiled better, with some noise.
        let noise = |at: u64| 1.0 + (at * 37 % 11) as f64 * 1e-3;
        let tiers = |at: u64| match at {
            0..100 => 200.0,
            100..190 => 40.0,
            _ => 25.0,
        };
        let settled = settles(|at| tiers(at) * noise(at)).expect("it settles");
        assert!((290..450).contains(&settled), "{settled}");
    }

    #[test]
    fn what_never_changes_settles_as_soon_as_that_is_seen() {
        assert_eq!(settles(|_| 25.0), Some(201));
        // A loop that becomes slower is no reason to wait.
        assert_eq!(settles(|at| 25.0 + at as f64), Some(201));
    }

    #[test]
    fn a_loop_that_hardly_ran_has_not_settled() {
        // Of many loops in turn, each runs for a small part of the time; a compiler counts the runs
        // of each loop. This one is replaced after 60,000 reads.
        let replaced = |at: u64| if at < 600 { 320.0 } else { 180.0 };
        let busy = Duration::from_millis(20);
        let busy = Enough { least: Passed { busy, ..ANY }, ..QUICK };
        assert_eq!(settles(replaced), Some(201));
        let settled = settles_with(busy, replaced).expect("it settles");
        assert!(settled > 600, "{settled}");
        let many = Enough { least: Passed { reads: 70_000, ..ANY }, ..QUICK };
        assert!(settles_with(many, replaced).is_some_and(|at| at >= 699));
    }

    #[test]
    fn a_later_process_makes_twice_the_reads_that_the_first_one_needed() {
        // A loop that is replaced after 90 batches; later, a neighbour slows it down.
        let tiers = |at: u64| match at {
            0..90 => 9_000.0,
            90..300 => 1_000.0,
            _ => 1_500.0,
        };
        let (trend, settled) = trend_of(QUICK, tiers);
        assert!(settled.is_some_and(|at| at > 200), "{settled:?}");
        let needed = trend.needed();
        assert!((9_000..=9_600).contains(&needed.reads), "{needed:?}");
        let again = QUICK.again(needed);
        assert_eq!((again.least.reads, again.span), (needed.reads * 2, SHORT));
        let later = settles_with(again, tiers);
        assert!(later.is_some_and(|at| (180..260).contains(&at)), "{later:?}");
        // What was fast from the start is soon ready.
        let (trend, _) = trend_of(QUICK, |_| 1_000.0);
        let soon = settles_with(QUICK.again(trend.needed()), |_| 1_000.0);
        assert!(soon.is_some_and(|at| at < 40), "{soon:?}");
    }

    #[test]
    fn what_becomes_ever_faster_does_not_settle() {
        assert_eq!(settles(|at| 100.0 * 0.999f64.powi(at as i32)), None);
    }

    #[test]
    fn a_single_slow_batch_is_no_trend() {
        let settled = settles(|at| if at % 50 == 7 { 900.0 } else { 25.0 });
        assert_eq!(settled, Some(201));
    }
}
