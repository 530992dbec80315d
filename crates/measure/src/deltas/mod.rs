//! The differences between successive reads.

pub mod slices;
pub(crate) mod tally;

use crate::clocks::disturbance::Conditions;
use crate::engine::Spec;
use crate::engine::host::{Batches, Values};
use crate::engine::neighbour::Neighbour;
use crate::engine::schedule::DELTAS_NOTHING;
use crate::engine::time::{Limit, Time};
use crate::run::measurement::{Error, Measurement, Progress, Setting};
use crate::stats::periodicity::LARGE_NS;
use chronoscope_model::Report;
use chronoscope_model::deltas::{Deltas, Nothing};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::Entry;
use std::time::Duration;
use tally::Tally;

/// The number of timings of an empty interval if none is given.
pub const NOTHING_TRIES: u64 = 10_000_000;
/// The most reads kept at once: 8 MB.
pub(crate) const CHUNK: usize = 1_000_000;

/// The reads of a chunk before it is known how long they take, and the fewest reads of a chunk
/// within a limit.
const FEW: usize = 200;
/// Checks for a neighbour on the core before the reads, and after each chunk of them.
pub(crate) const LOOKS: usize = 16;

/// The share of the reads in the progress; the empty intervals follow.
const READS: f64 = 0.9;

pub struct Request {
    pub entry: &'static Entry,
    /// Reads to make.
    pub reads: u64,
    pub disturbance: Disturbance,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let conditions = Conditions::new(&self.disturbance, setting)?;
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let specs = session.specs.clone();
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        let mut found = Vec::new();
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        let (mut done, all) = (0.0, 1.0 + f64::from(conditions.loads()));
        conditions.each(&mut session, report, |session, load| {
            let host = &mut session.machine;
            let progress =
                |part| (setting.progress)(Progress::Phase("deltas", (done + part) / all));
            let deltas = measure(host, &specs, 0, self.reads, NOTHING_TRIES, longest, progress);
            done += 1.0;
            found.extend(deltas.map(|deltas| Deltas { load, ..deltas }));
        })?;
        setting.require_unit(found.first(), self.entry)?;
        let shared = found.first().and_then(|found| found.shared);
        report.deltas.append(&mut found);
        let noise = Noise { shared, ..Noise::default() };
        session.conclude(report, 0.0, noise);
        Ok(())
    }
}

/// Measures one subject, within a time limit if there is one; [`Deltas::wanted`] then gives the
/// number asked for if not all reads were made. `None` if the clock's unit has no fixed length, or
/// if the user asked to stop before anything was read. `progress` gets the share that is done, 0 to
/// 1.
pub fn measure<H: Values + Batches>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    reads: u64,
    tries: u64,
    longest: Option<Duration>,
    mut progress: impl FnMut(f64),
) -> Option<Deltas> {
    let spec = &specs[subject];
    let ns_per_tick = spec.ns_per_unit(host.hz())?;
    let mut chunk = vec![1; usize::try_from(reads).unwrap_or(CHUNK).clamp(2, CHUNK)];
    let nothing_longest = DELTAS_NOTHING.within(longest);
    let portions = Portions::new(host, longest.map(|longest| longest - nothing_longest));
    let mut tally = Tally::new(ns_per_tick);
    let mut neighbour = Neighbour::new(host.least_width());
    neighbour.look(LOOKS, |what| host.gauge(what));
    let mut made = 0u64;
    while made < reads && !host.interrupted() {
        progress(READS * made as f64 / reads as f64);
        let Some(portion) = portions.next(host, made) else {
            break;
        };
        // A single read has no other to be compared with.
        let take = (reads - made).min(chunk.len() as u64) as usize;
        let take = take.min(portion).max(2);
        host.fill(subject, &mut chunk[..take]);
        made += take as u64;
        neighbour.look(LOOKS, |what| host.gauge(what));
        tally.add(&chunk[..take]);
    }
    if made == 0 {
        return None;
    }
    neighbour.judge();
    Some(Deltas {
        id: spec.row.id.clone(),
        load: None,
        reads: made,
        wanted: (made < reads).then_some(reads),
        shared: neighbour.share(),
        nothing_measured: nothing(host, subject, ns_per_tick, tries, nothing_longest),
        ..tally.deltas()
    })
}

/// Decides how many reads to make at once: as many as can be kept, or as fit the time.
pub(crate) struct Portions {
    /// When the reads began, and the limit.
    limit: Option<(Duration, Limit)>,
}

impl Portions {
    pub fn new(time: &impl Time, longest: Option<Duration>) -> Self {
        let limit = |longest| (time.elapsed(), Limit::new(time, longest, u64::MAX));
        Self { limit: longest.map(limit) }
    }

    /// Returns the next number of reads, after `made` reads; `None` if the time is over. It is half
    /// of what would fit at the rate so far, because that rate may not last.
    pub fn next(&self, time: &impl Time, made: u64) -> Option<usize> {
        let Some((start, limit)) = &self.limit else {
            return Some(CHUNK);
        };
        if made == 0 {
            return Some(FEW);
        }
        let left = Some(limit.left(time)).filter(|left| !left.is_zero())?;
        let taken = time.elapsed().saturating_sub(*start).as_secs_f64().max(1e-9);
        let fits = made as f64 * left.as_secs_f64() / taken / 2.0;
        Some((fits as usize).clamp(FEW, CHUNK))
    }
}

/// Times an empty interval repeatedly: the second read of a pair less the first. `None` if there
/// was no time, or if the user asked to stop.
fn nothing<H: Values>(
    host: &mut H,
    subject: usize,
    ns_per_tick: f64,
    wanted: u64,
    longest: Duration,
) -> Option<Nothing> {
    let mut values = [1; 512];
    let (mut tries, mut largest, mut smallest) = (0, i64::MIN, i64::MAX);
    let mut interrupted = None;
    let mut limit = Limit::new(host, longest, wanted / 256 + 1);
    while tries < wanted && !limit.reached(host) {
        let entered = host.fill_watched(subject, &mut values);
        for pair in values.chunks_exact(2) {
            let elapsed = pair[1].wrapping_sub(pair[0]) as i64;
            if elapsed > largest {
                (largest, interrupted) = (elapsed, entered);
            }
            smallest = smallest.min(elapsed);
        }
        tries += 256;
    }
    (tries > 0).then_some(Nothing {
        tries,
        max_ticks: largest,
        max_ns: largest as f64 * ns_per_tick,
        min_ns: smallest as f64 * ns_per_tick,
        interrupted: interrupted.filter(|_| largest as f64 * ns_per_tick >= LARGE_NS),
    })
}
