//! The differences between successive reads.

use crate::engine::host::Values;
use crate::engine::subject::Spec;
use crate::engine::time::{Limit, Time};
use crate::measurement::{Error, Measurement, Setting};
use chronoscope_model::Report;
use chronoscope_model::deltas::{Deltas, Nothing, Period, Row};
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::run::Noise;
use chronoscope_probes::clocks::Entry;
use std::collections::HashMap;
use std::time::Duration;

/// Reads if no other number is asked for.
pub const READS: u64 = 1_000_000;
/// Timings of an empty interval if no other number is asked for.
pub const NOTHING_TRIES: u64 = 10_000_000;
/// The longest time for the empty intervals.
const NOTHING_LONGEST: Duration = Duration::from_secs(4);
/// Reads kept at once: 8 MB.
const CHUNK: usize = 1_000_000;
/// Distinct differences that are counted exactly; a clock with more is represented by its
/// histogram.
const MOST_DISTINCT: usize = 1 << 16;
/// Rows in the report.
const MOST_ROWS: usize = 4096;
/// Large differences whose positions are kept.
const MOST_PLACES: usize = 4096;

/// The share of a limit that is for the empty intervals.
const NOTHING_SHARE: f64 = 0.25;
/// Reads at once before it is known how long they take, and the fewest at once within a limit.
const FEW: usize = 200;

/// A request for the differences between this many successive reads of the clock.
pub struct Request {
    /// The clock.
    pub entry: &'static Entry,
    /// Reads to make, for example [`READS`].
    pub reads: u64,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let mut session = setting.session(&report.environment, &[self.entry])?;
        let specs = session.specs.clone();
        let host = &mut session.machine;
        let found = measure(host, &specs, 0, self.reads, NOTHING_TRIES, setting.left());
        setting.require_unit(found.as_ref(), self.entry)?;
        report.deltas.extend(found);
        session.conclude(report, 0.0, Noise::default());
        Ok(())
    }
}

/// Measures one subject, within a time limit if there is one; [`Deltas::wanted`] then gives the
/// number asked for if not all reads were made. `None` if its unit has no fixed length, or if the
/// user asked to stop before anything was read.
pub fn measure<H: Values>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    reads: u64,
    tries: u64,
    longest: Option<Duration>,
) -> Option<Deltas> {
    let spec = &specs[subject];
    let ns_per_tick = spec.ns_per_unit(host.hz())?;
    let mut chunk = vec![1; usize::try_from(reads).unwrap_or(CHUNK).clamp(2, CHUNK)];
    let nothing_longest = longest.map_or(NOTHING_LONGEST, |longest| {
        longest.mul_f64(NOTHING_SHARE).min(NOTHING_LONGEST)
    });
    let portions = Portions::new(host, longest.map(|longest| longest - nothing_longest));
    let mut counts: HashMap<i64, u64> = HashMap::with_capacity(1 << 12);
    let mut hdr = histogram::empty();
    let mut uncounted = 0u64;
    let mut places = Places::default();
    let mut made = 0u64;
    while made < reads && !host.interrupted() {
        let Some(portion) = portions.next(host, made) else {
            break;
        };
        // A single read would have no other to be compared with.
        let take = (reads - made).min(chunk.len() as u64) as usize;
        let take = take.min(portion).max(2);
        host.fill(subject, &mut chunk[..take]);
        made += take as u64;
        places.begin();
        for pair in chunk[..take].windows(2) {
            let delta = pair[1].wrapping_sub(pair[0]) as i64;
            if counts.len() < MOST_DISTINCT || counts.contains_key(&delta) {
                *counts.entry(delta).or_default() += 1;
            } else {
                uncounted += 1;
            }
            if delta >= 0 {
                hdr.saturating_record((delta as f64 * ns_per_tick).round() as u64);
            }
            places.add(pair[0], delta as f64 * ns_per_tick, ns_per_tick);
        }
    }
    if made == 0 {
        return None;
    }
    let total = counts.values().sum::<u64>() + uncounted;
    let max_ticks = counts.keys().copied().max().unwrap_or(0);
    let negative = counts
        .iter()
        .filter(|(delta, _)| **delta < 0)
        .map(|(_, count)| count)
        .sum();
    let zero_share = counts
        .get(&0)
        .map_or(0.0, |zeros| *zeros as f64 / total.max(1) as f64);
    let (rows, rows_left_out) = rows(counts, ns_per_tick, uncounted);
    Some(Deltas {
        id: spec.id.clone(),
        reads: made,
        wanted: (made < reads).then_some(reads),
        ns_per_tick,
        zero_share,
        rows,
        rows_left_out,
        negative,
        max_ticks,
        histogram: Histogram::of(&hdr),
        periods: places.periods(),
        nothing_measured: nothing(host, subject, ns_per_tick, tries, nothing_longest),
    })
}

/// How many reads to make at once: as many as can be kept, or as fit the time.
struct Portions {
    /// When it began, and the limit.
    limit: Option<(Duration, Limit)>,
}

impl Portions {
    fn new(time: &impl Time, longest: Option<Duration>) -> Self {
        let limit = |longest| (time.elapsed(), Limit::new(time, longest, u64::MAX));
        Self {
            limit: longest.map(limit),
        }
    }

    /// The next number of reads, after `made` reads; `None` if the time is over. It is half of what
    /// would fit at the rate so far, because that rate may not last.
    fn next(&self, time: &impl Time, made: u64) -> Option<usize> {
        let Some((start, limit)) = &self.limit else {
            return Some(CHUNK);
        };
        if made == 0 {
            return Some(FEW);
        }
        let left = Some(limit.left(time)).filter(|left| !left.is_zero())?;
        let taken = (time.elapsed() - *start).as_secs_f64().max(1e-9);
        let fits = made as f64 * left.as_secs_f64() / taken / 2.0;
        Some((fits as usize).clamp(FEW, CHUNK))
    }
}

/// The rows in order of their difference: all of them, or the most frequent and the outermost.
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
    let row = |(ticks, count): (i64, u64)| Row {
        ticks,
        ns: ticks as f64 * ns_per_tick,
        count,
    };
    (all.into_iter().map(row).collect(), left_out)
}

/// An empty interval, timed repeatedly: the second read of a pair less the first. `None` if there
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
    let mut limit = Limit::new(host, longest, wanted / 256 + 1);
    while tries < wanted && !limit.reached(host) {
        host.fill(subject, &mut values);
        for pair in values.chunks_exact(2) {
            let elapsed = pair[1].wrapping_sub(pair[0]) as i64;
            largest = largest.max(elapsed);
            smallest = smallest.min(elapsed);
        }
        tries += 256;
    }
    (tries > 0).then_some(Nothing {
        tries,
        max_ticks: largest,
        max_ns: largest as f64 * ns_per_tick,
        min_ns: smallest as f64 * ns_per_tick,
    })
}

/// The positions of the large differences in time.
#[derive(Default)]
struct Places {
    /// The start of each, in nanoseconds by the clock; `None` between two chunks.
    starts: Vec<Option<f64>>,
}

/// A longer difference is something that happened to the program and not a property of the clock.
const LARGE_NS: f64 = 1_000.0;

/// The timer ticks that kernels are configured with: CONFIG_HZ in kernel/Kconfig.hz, and Windows'
/// 64 Hz (Microsoft Learn, timeBeginPeriod).
const KNOWN_HZ: [(f64, &str); 6] = [
    (1000.0, "timer tick at 1000 Hz"),
    (300.0, "timer tick at 300 Hz"),
    (250.0, "timer tick at 250 Hz"),
    (100.0, "timer tick at 100 Hz"),
    (64.0, "timer tick at 64 Hz"),
    (1024.0, "timer tick at 1024 Hz"),
];

impl Places {
    fn begin(&mut self) {
        self.starts.push(None);
    }

    fn add(&mut self, value: u64, delta_ns: f64, ns_per_tick: f64) {
        if delta_ns > LARGE_NS && self.starts.len() < MOST_PLACES {
            self.starts.push(Some(value as f64 * ns_per_tick));
        }
    }

    /// The known periods at which the large differences recur: at least four of them, and a third
    /// of all, lie one period (within 2 %) after some earlier one.
    fn periods(&self) -> Vec<Period> {
        let starts: Vec<f64> = self.starts.iter().flatten().copied().collect();
        KNOWN_HZ
            .iter()
            .filter_map(|(hz, name)| {
                let period_ns = 1e9 / hz;
                let follows = |(at, start): (usize, &f64)| {
                    starts[..at]
                        .iter()
                        .rev()
                        .map(|earlier| start - earlier)
                        .take_while(|d| *d < period_ns * 1.02)
                        .any(|distance| (distance - period_ns).abs() < period_ns * 0.02)
                };
                let count = starts
                    .iter()
                    .enumerate()
                    .filter(|place| follows(*place))
                    .count();
                (count >= 4 && count * 3 >= starts.len()).then(|| Period {
                    period_ns,
                    name: (*name).into(),
                    count: count as u64,
                })
            })
            .collect()
    }
}
