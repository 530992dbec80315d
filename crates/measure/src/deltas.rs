//! The differences between successive reads.

use crate::disturbance::Conditions;
use crate::engine::Spec;
use crate::engine::host::{Batches, Values};
use crate::engine::neighbour::Neighbour;
use crate::engine::time::{Limit, Time};
use crate::measurement::{Error, Measurement, Setting};
use crate::schedule::DELTAS_NOTHING;
use crate::stats::recurrence::recurrence;
use crate::tally::Tally;
use chronoscope_model::Report;
use chronoscope_model::deltas::{Deltas, Nothing, Period};
use chronoscope_model::run::Noise;
use chronoscope_model::spec::Disturbance;
use chronoscope_probes::clocks::Entry;
use std::cmp::Ordering;
use std::time::Duration;

/// The number of timings of an empty interval if none is given.
pub const NOTHING_TRIES: u64 = 10_000_000;
/// The most reads kept at once: 8 MB.
pub(crate) const CHUNK: usize = 1_000_000;
/// The most large differences whose positions are kept.
const MOST_PLACES: usize = 4096;

/// The reads of a chunk before it is known how long they take, and the fewest reads of a chunk
/// within a limit.
const FEW: usize = 200;
/// Checks for a neighbour on the core before the reads, and after each chunk of them.
pub(crate) const LOOKS: usize = 16;

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
        conditions.each(&mut session, report, |session, load| {
            let host = &mut session.machine;
            let deltas = measure(host, &specs, 0, self.reads, NOTHING_TRIES, longest);
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
/// if the user asked to stop before anything was read.
pub fn measure<H: Values + Batches>(
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
    let nothing_longest = DELTAS_NOTHING.within(longest);
    let portions = Portions::new(host, longest.map(|longest| longest - nothing_longest));
    let mut tally = Tally::new(ns_per_tick);
    let mut neighbour = Neighbour::new(host.least_width());
    neighbour.look(LOOKS, |what| host.gauge(what));
    let mut made = 0u64;
    while made < reads && !host.interrupted() {
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

/// The positions of the large differences in time.
#[derive(Default)]
pub(crate) struct Places {
    /// A longer difference, in nanoseconds, is something that happened to the program rather than a
    /// property of the clock. `None` until the clock has changed.
    large_ns: Option<f64>,
    /// The start of each large difference, in nanoseconds by the clock.
    starts: Vec<f64>,
}

/// The shortest large difference, in nanoseconds.
const LARGE_NS: f64 = 1_000.0;
/// A large difference is this many times as long as most that are not zero: a clock of milliseconds
/// changes every millisecond, and a slow read may itself take a microsecond.
const LARGER: f64 = 3.0;
/// The number of differences after which the length of most of them is known.
const FIRST: usize = 10_000;

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
/// How often random differences may lead to a name, over all known timers.
const BY_CHANCE: f64 = 1e-3;

impl Places {
    pub fn add(&mut self, values: &[u64], ns_per_tick: f64) {
        let deltas = || values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64);
        if self.large_ns.is_none() {
            let mut changes: Vec<i64> = deltas().filter(|delta| *delta > 0).take(FIRST).collect();
            if changes.is_empty() {
                return;
            }
            let middle = changes.len() / 2;
            let most = *changes.select_nth_unstable(middle).1 as f64 * ns_per_tick;
            self.large_ns = Some(LARGE_NS.max(LARGER * most));
        }
        let large = self.large_ns.unwrap_or(LARGE_NS);
        for (value, delta) in values.iter().zip(deltas()) {
            if self.starts.len() == MOST_PLACES {
                return;
            }
            if delta as f64 * ns_per_tick > large {
                self.starts.push(*value as f64 * ns_per_tick);
            }
        }
    }

    /// Returns the known timer at whose period the large differences recur, if there is one: of
    /// several, the one whose match is least likely by chance.
    pub fn period(&self) -> Option<Period> {
        let found = KNOWN_HZ.iter().filter_map(|(hz, name)| {
            let period_ns = 1e9 / hz;
            let it = recurrence(&self.starts, period_ns)?;
            (it.chance * (KNOWN_HZ.len() as f64) < BY_CHANCE).then(|| Period {
                period_ns,
                name: (*name).into(),
                count: it.count,
                periods: Some(it.periods),
                chance: Some(it.chance),
            })
        });
        let unlikely = |it: &Period| (it.chance, std::cmp::Reverse(it.count));
        found.min_by(|a, b| unlikely(a).partial_cmp(&unlikely(b)).unwrap_or(Ordering::Equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of a clock that takes 200 ns, except for delays of 20 us at these times.
    fn places(reads: u64, mut delays: impl Iterator<Item = u64>) -> Places {
        let mut next = delays.next();
        let mut now = 1_000_000_000;
        let values: Vec<u64> = (0..reads)
            .map(|_| {
                now += 200;
                if next.is_some_and(|at| at <= now) {
                    now += 20_000;
                    next = delays.find(|at| *at > now);
                }
                now
            })
            .collect();
        let mut places = Places::default();
        places.add(&values, 1.0);
        places
    }

    #[test]
    fn one_timer_is_named_and_its_count_fits_the_time() {
        for (period, name) in [(4_000_000, "250"), (1_000_000, "1000"), (10_000_000, "100")] {
            // These are 0.6 s of reads.
            let found = places(3_000_000, (1..).map(|at| 1_000_000_000 + at * period));
            let found = found.period().expect(name);
            assert_eq!(found.name, format!("timer tick at {name} Hz"));
            let fit = 700_000_000 / period;
            assert!(found.count <= fit && found.count * 10 >= fit * 8, "{found:?}");
            assert!(found.periods.is_some_and(|all| found.count <= all && all <= fit));
        }
    }

    #[test]
    fn delays_at_random_times_name_no_timer() {
        let mut rng = fastrand::Rng::with_seed(1);
        for gap_us in [30, 150, 700, 1500, 4000, 9000] {
            let mut at = 1_000_000_000;
            let random = std::iter::repeat_with(|| {
                at += rng.u64(20_000..gap_us * 2_000);
                at
            });
            let found = places(3_000_000, random.take(100_000)).period();
            assert_eq!(found, None, "every {gap_us} us");
        }
    }

    #[test]
    fn the_tick_of_the_clock_itself_is_no_timer() {
        // This clock counts milliseconds.
        let mut places = Places::default();
        let values: Vec<u64> = (0..2_000_000u64).map(|at| at / 3_000).collect();
        places.add(&values, 1e6);
        assert_eq!(places.period(), None);
    }
}
