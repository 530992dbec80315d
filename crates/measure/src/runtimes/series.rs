//! Successive reads of one clock of a runtime. Its probe makes them in one uninterrupted series and
//! answers with their values afterwards, so the differences are those of a program in its language.

use super::answer::{self, Checked, Hello};
use super::cache::Cache;
use super::prepare::{Candidate, Ready};
use super::probe::Probe;
use super::{Wanted, reference};
use crate::clocks::disturbance::Conditions;
use crate::deltas::tally::Tally;
use crate::deltas::{CHUNK, LOOKS, NOTHING_TRIES, Portions};
use crate::engine::child::{Stop, shown};
use crate::engine::host::Batches;
use crate::engine::neighbour::Neighbour;
use crate::engine::schedule::DELTAS_NOTHING;
use crate::engine::time::{Limit, Time};
use crate::engine::{Machine, RulerKind};
use crate::run::measurement::{Error, Measurement, Setting};
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
        let stop = || interrupt.is_set();
        let cache = Cache::open().map_err(Error::Nothing)?;
        let candidate = self.candidate()?;
        let id = candidate.id.clone();
        let ready = match candidate.prepare(&cache, &stop) {
            Err(_) if stop() => return Ok(()),
            ready => ready.map_err(|why| Error::Nothing(format!("{id}: {why}")))?,
        };
        let conditions = Conditions::new(&self.disturbance, setting)?;
        // The probe inherits the CPU that the session keeps to.
        let mut session = setting.session(&report.environment, &reference())?;
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        let (mut found, mut failed) = (Vec::new(), None);
        conditions.each(&mut session, report, |session, load| {
            match self.deltas(&id, &ready, &mut session.machine, longest, &stop) {
                Ok(deltas) => found.push(Deltas { load, ..deltas }),
                Err(why) => failed = failed.take().or(Some(why)),
            }
        })?;
        if let Some(why) = failed.filter(|_| !stop()) {
            return Err(why);
        }
        let shared = found.first().and_then(|found: &Deltas| found.shared);
        session.conclude(report, 0.0, Noise { shared, ..Noise::default() });
        report.deltas.append(&mut found);
        Ok(())
    }
}

impl Series {
    /// Returns the one build that is wanted.
    fn candidate(&self) -> Result<Candidate, Error> {
        let id = self.wanted.rows.first().map_or(self.wanted.runtime.id, String::as_str);
        let mut found = self
            .wanted
            .candidates()
            .map_err(|why| Error::Nothing(format!("{}: {why}", self.wanted.runtime.id)))?;
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

    fn deltas(
        &self,
        id: &str,
        ready: &Ready,
        machine: &mut Machine,
        longest: Option<Duration>,
        stop: Stop,
    ) -> Result<Deltas, Error> {
        let mut neighbour = Neighbour::new(machine.least_width());
        let failed = |why: String| Error::Nothing(format!("{id}: {why}"));
        let mut probe =
            Probe::start(&mut ready.command(), RulerKind::System, stop).map_err(failed)?;
        let clock = self.clock_of(id, &probe.hello)?;
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
            let portion = (made < self.reads && !stop()).then(|| portions.next(machine, made));
            let Some(portion) = portion.flatten() else { break };
            let take = (self.reads - made).min(portion as u64).max(2);
            let values = series(&mut probe, &clock.id, take as usize, stop).map_err(failed)?;
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
        let started = repeated(&mut probe, &request("pairs"), machine, aside, stop);
        let watched = repeated(&mut probe, &request("watch"), machine, aside, stop);
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

    /// Returns the clock as the probe describes it.
    fn clock_of(&self, id: &str, hello: &Hello) -> Result<answer::Clock, Error> {
        let wanted = &self.clock;
        if let Some(found) = hello.clocks.iter().find(|clock| clock.id == *wanted) {
            return Ok(found.clone());
        }
        if let Some(gone) = hello.unavailable.iter().find(|gone| gone.id == *wanted) {
            return Err(Error::Nothing(format!("{id}/{wanted} cannot be read: {}", gone.reason)));
        }
        let of_runtime = hello.clocks.iter().map(|clock| clock.id.as_str());
        // The tool's own clocks of that language have ids of the same form.
        let own = clocks::every().filter_map(|entry| entry.id.strip_prefix(id)?.strip_prefix('/'));
        let ids: Vec<&str> = own.chain(of_runtime).collect();
        let (wanted, ids) = (shown(wanted, 40), ids.join(", "));
        Err(Error::Invalid(format!("{id} has no clock '{wanted}', only: {ids}")))
    }
}

/// Lets the probe make successive reads, and returns their values less the first: fewer than
/// `count` if the probe had to stop early.
///
/// # Errors
/// The probe is of no further use, for the reason given.
fn series(probe: &mut Probe, clock: &str, count: usize, stop: Stop) -> Result<Vec<f64>, String> {
    let work = READ * u32::try_from(count).unwrap_or(u32::MAX);
    let mut request = format!("deltas {clock} {count}");
    let mut values = Vec::with_capacity(count);
    loop {
        let answer: answer::Deltas = probe.demand(&request, work, stop)?;
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
        let ticks = values.iter().map(|value| whole(value * unit_ns / *ns_per_tick) as u64);
        tally.add(&ticks.collect::<Vec<u64>>());
    }
}

/// The length of a tick: the clock's unit, or a nanosecond if some values are fractions of a unit.
fn ns_per_tick(values: &[Vec<f64>], unit_ns: f64) -> f64 {
    let whole = values.iter().flatten().all(|value| value.fract() == 0.0);
    if whole { unit_ns } else { 1.0 }
}

fn whole(value: f64) -> i64 {
    value.round() as i64
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
    stop: Stop,
) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    let mut limit = Limit::new(machine, longest, NOTHING_TRIES / AT_ONCE);
    while !limit.reached(machine) {
        let Some(answer) = probe.ask(request, WORK, stop)? else { break };
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
        max_ticks: whole(longest * ticks),
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
        max_ticks: whole(longest * ticks),
        max_ns: longest * unit_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::super::prepare;
    use super::*;

    /// Each runtime that is installed here, in its first build.
    #[test]
    fn every_probe_makes_a_series_longer_than_an_answer() {
        let cache = Cache::of_this_run().expect("a directory");
        for runtime in chronoscope_runtimes::ALL {
            let first =
                prepare::candidates(runtime, None).ok().and_then(|all| all.first().cloned());
            let Some(Ok(ready)) = first.map(|one| one.prepare(&cache, &|| false)) else { continue };
            let mut probe = Probe::start(&mut ready.command(), RulerKind::System, &|| false)
                .unwrap_or_else(|why| panic!("{}: {why}", runtime.id));
            for clock in probe.hello.clocks.clone() {
                const READS: usize = 45_000;
                let made = series(&mut probe, &clock.id, READS, &|| false);
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
            let unknown = series(&mut probe, "no-such-clock", 9, &|| false).map(drop);
            let why = unknown.expect_err("there is no such clock");
            assert!(
                why.starts_with("it refuses 'deltas no-such-clock 9'"),
                "{}: {why}",
                runtime.id
            );
            probe.end();
        }
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
