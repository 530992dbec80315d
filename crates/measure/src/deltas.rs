//! The differences between successive reads of a clock: measures them, counts them, whoever made
//! the reads, and takes them in short slices for `watch`.

use crate::engine::machine::Neighbour;
use crate::engine::schedule::{DELTAS_NOTHING, Limit, Time};
use crate::engine::{Batches, Ruler, Spec, Values};
use crate::run::{Conditions, Error, Measurement, Progress, Setting};
use crate::stats::period::{LARGE_NS, Places};
use chronoscope_model::deltas::{Changes, Counts, Deltas, Nothing, Row, median};
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::{Clock, Report, recording};
use chronoscope_probes::clocks::{Entry, Opening, Reader};
use chronoscope_probes::time::Instant;
use std::collections::HashMap;
use std::time::Duration;

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
        let longest = setting.left().map(|left| left / (1 + conditions.loads()));
        let mut found = Vec::new();
        setting.budget.into_iter().for_each(|time| (setting.progress)(Progress::Time(time)));
        conditions.each(&mut session, report, |session, load, whole| {
            let host = &mut session.machine;
            let progress = |part| (setting.progress)(Progress::Phase("deltas", whole(part)));
            let deltas = measure(host, 0, self.reads, NOTHING_TRIES, longest, progress);
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
    subject: usize,
    reads: u64,
    tries: u64,
    longest: Option<Duration>,
    mut progress: impl FnMut(f64),
) -> Option<Deltas> {
    let spec = host.specs()[subject].clone();
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
        call: Some(spec.row.call.clone()),
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

/// The most distinct differences that are counted exactly; a clock with more is represented by its
/// histogram.
const MOST_DISTINCT: usize = 1 << 16;
/// The most rows in the report.
const MOST_ROWS: usize = 4096;

/// Counts differences.
pub(crate) struct Tally {
    ns_per_tick: f64,
    counts: HashMap<i64, u64>,
    uncounted: u64,
    hdr: hdrhistogram::Histogram<u64>,
    /// The positive differences: how many there are, their sum and the smallest, in ticks.
    changes: (u64, f64, i64),
    places: Places,
}

impl Tally {
    pub fn new(ns_per_tick: f64) -> Self {
        Self {
            ns_per_tick,
            counts: HashMap::with_capacity(1 << 12),
            uncounted: 0,
            hdr: histogram::empty(),
            changes: (0, 0.0, i64::MAX),
            places: Places::default(),
        }
    }

    /// Adds the differences between successive values, which are in ticks.
    pub fn add(&mut self, values: &[u64]) {
        self.places.add(values, self.ns_per_tick);
        for pair in values.windows(2) {
            let delta = pair[1].wrapping_sub(pair[0]) as i64;
            if self.counts.len() < MOST_DISTINCT || self.counts.contains_key(&delta) {
                *self.counts.entry(delta).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
            if delta >= 0 {
                self.hdr.saturating_record((delta as f64 * self.ns_per_tick).round() as u64);
            }
            if delta > 0 {
                let (count, sum, least) = self.changes;
                self.changes = (count + 1, sum + delta as f64, least.min(delta));
            }
        }
    }

    /// The differences, without what is known about the clock and about the reads.
    pub fn deltas(self) -> Deltas {
        let changes = self.changes();
        let Self { ns_per_tick, counts, uncounted, .. } = self;
        let total = counts.values().sum::<u64>() + uncounted;
        let max_ticks = counts.keys().copied().max().unwrap_or(0);
        let negative = counts.iter().filter(|(delta, _)| **delta < 0).map(|(_, count)| count).sum();
        let zero_share = counts.get(&0).map_or(0.0, |zeros| *zeros as f64 / total.max(1) as f64);
        let (rows, rows_left_out) = rows(counts, ns_per_tick, uncounted);
        Deltas {
            ns_per_tick,
            zero_share,
            changes,
            rows,
            rows_left_out,
            negative,
            max_ticks,
            histogram: Histogram::of(&self.hdr),
            periods: self.places.period().into_iter().collect(),
            ..Deltas::default()
        }
    }

    /// The positive differences; `None` if there are none. The median is exact unless more than
    /// half of them were too many to count.
    fn changes(&self) -> Option<Changes> {
        let (count, sum, least) = self.changes;
        let counts = self.counts.iter().map(|(delta, times)| (*delta, *times));
        let mut sorted: Vec<_> = counts.filter(|(delta, _)| *delta > 0).collect();
        sorted.sort_unstable();
        Some(Changes {
            count,
            min_ns: least as f64 * self.ns_per_tick,
            mean_ns: sum / count as f64 * self.ns_per_tick,
            median_ns: median(sorted, count)? as f64 * self.ns_per_tick,
        })
    }
}

/// Returns the rows in the order of their differences: all of them, or the most frequent and the
/// outermost.
fn rows(counts: HashMap<i64, u64>, ns_per_tick: f64, uncounted: u64) -> (Vec<Row>, u64) {
    let mut all: Vec<(i64, u64)> = counts.into_iter().collect();
    let mut left_out = uncounted;
    if all.len() > MOST_ROWS {
        all.sort_unstable();
        let mut kept: Vec<(i64, u64)> = all.split_off(all.len() - MOST_ROWS / 8);
        kept.extend(all.drain(..MOST_ROWS / 8));
        all.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
        left_out += all.split_off(MOST_ROWS - kept.len()).len() as u64;
        all.extend(kept);
    }
    all.sort_unstable();
    let row = |(ticks, count): (i64, u64)| Row { ticks, ns: ticks as f64 * ns_per_tick, count };
    (all.into_iter().map(row).collect(), left_out)
}

/// The longest time for a slice: ten of them a second take at most 1 % of a CPU.
const SLICE: Duration = Duration::from_millis(1);
/// The fewest reads of a slice, and the most.
const FEWEST: usize = 16;
const MOST: usize = 1 << 14;

/// Reads a clock.
pub struct Slices {
    id: &'static str,
    reader: Reader,
    ns_per_tick: f64,
    values: Vec<u64>,
    /// How many of `values` are read at a time.
    reads: usize,
    counts: Counts,
    backwards: u64,
}

impl Slices {
    /// Opens the clock.
    ///
    /// # Errors
    /// It cannot be read here, or its unit has no fixed length.
    pub fn open(entry: &Entry, ruler: &Ruler) -> Result<Self, String> {
        let reader = entry.open(Opening::Checked).map_err(|why| why.0)?;
        let spec = Spec::of(Clock::default(), &reader);
        let unit = spec.ns_per_unit(ruler.hz()).ok_or("its unit has no fixed length")?;
        let (values, reads) = (vec![1; MOST], FEWEST);
        let counts = Counts::default();
        let id = entry.id;
        Ok(Self { id, reader, ns_per_tick: unit, values, reads, counts, backwards: 0 })
    }

    /// Reads for a slice of time.
    pub fn read(&mut self) {
        let values = &mut self.values[..self.reads];
        let began = Instant::now();
        self.reader.fill(values);
        let took = began.elapsed();
        for pair in values.windows(2) {
            let delta = pair[1].wrapping_sub(pair[0]).cast_signed();
            match u64::try_from(delta) {
                Ok(ticks) => {
                    self.counts.add((ticks as f64 * self.ns_per_tick).round() as u64, 1);
                }
                Err(_) => self.backwards += 1,
            }
        }
        self.reads = if took > SLICE {
            (self.reads / 2).max(FEWEST)
        } else if took < SLICE / 2 {
            (self.reads * 2).min(MOST)
        } else {
            self.reads
        };
    }

    /// Takes away what was read; `None` if that is nothing. `at_ns` is now.
    pub fn take(&mut self, at_ns: u64) -> Option<recording::Deltas> {
        let counts = std::mem::take(&mut self.counts);
        let backwards = std::mem::take(&mut self.backwards);
        let any = !counts.is_empty() || backwards > 0;
        any.then(|| recording::Deltas {
            at_ns,
            clock: self.id.into(),
            counts: counts.iter().collect(),
            ns_per_tick: self.ns_per_tick,
            backwards,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_probes::clocks::find;

    #[test]
    fn slices_count_every_difference_and_are_taken_once() {
        let ruler = Ruler::new(None, Duration::from_millis(5));
        let entry = find("rust/instant").expect("everywhere");
        let mut slices = Slices::open(entry, &ruler).expect("everywhere");
        slices.read();
        let seen = slices.take(7).expect("it was read");
        let count: u64 = seen.counts.iter().map(|(_, n)| n).sum();
        assert_eq!((count + seen.backwards, seen.at_ns), (FEWEST as u64 - 1, 7));
        assert_eq!(seen.clock, "rust/instant");
        assert!(seen.counts.is_sorted_by(|a, b| a.0 < b.0) && slices.take(7).is_none());
        (0..40).for_each(|_| slices.read());
        assert!(slices.reads <= MOST);
    }
}
