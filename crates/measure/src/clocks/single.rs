//! Reads that are timed one at a time: cold reads, and the first read in a process.
//!
//! How long it takes until a clock changes. The clock is read once, and then until it returns
//! another value. A program that waits for the next tick does this, and Akinshin's benchmark of
//! timers measures resolution in this way (*Pro .NET Benchmarking*, 2019, chapter 9).

use crate::engine::rounds::{FINEST_NS, RELATIVE, difference, in_ns};
use crate::engine::ruler::LEAST_DISPLACED;
use crate::engine::schedule::Limit;
use crate::engine::{Batch, Batches, Mode, Rate, Values, ticks};
use crate::stats::Summary;
use crate::stats::estimate::{Estimator, MIN_SAMPLES, ModeEstimate, student_975};
use chronoscope_model::Estimate;
use chronoscope_model::clock::{Displaced, UntilChange};
use chronoscope_model::environment::Cache;
use chronoscope_model::estimate::SampledTo;
use std::time::Duration;

/// Samples of single reads, in ticks of the ruler.
#[derive(Clone, Debug, Default)]
pub struct Singles {
    samples: Vec<f64>,
    disturbed: u64,
}

impl Singles {
    fn add(&mut self, batch: Batch) {
        if batch.disturbed {
            self.disturbed += 1;
        } else {
            self.samples.push(batch.ticks as f64);
        }
    }
}

/// Cold reads of one subject, and warm reads timed in the same way.
#[derive(Clone, Debug, Default)]
pub struct Cold {
    cold: Singles,
    warm: Singles,
}

/// The most memory that is walked to displace caches: the tool must stay within 64 MiB.
const MOST_DISPLACED: u64 = 40 << 20;
/// The share of a cache, an eighth, that is walked in addition, because not all loaded memory stays
/// in the cache.
const SPARE: u64 = 8;
/// The least memory that is walked for a last-level cache.
const LAST_LEVEL: u64 = 32 << 20;
/// A last-level cache is displaced only if the time suffices for this many cold reads of each
/// subject.
const FEWEST_COLD: u32 = 15;
/// Warm reads after each cold one. The first may still be slow: on Zen 4, the second one took 80 ns
/// longer in most rounds ...
const WARM: usize = 9;
/// ... so only the last ones count.
const SETTLED: usize = 3;

/// Returns what can be displaced with the available memory, the most first; nothing if not even the
/// least fits into half of the room that there is.
pub fn displaceable(caches: &[Cache], room: Option<u64>) -> Vec<Displaced> {
    let least = LEAST_DISPLACED as u64;
    let last = caches.len().saturating_sub(1);
    let mut ways: Vec<Displaced> = caches
        .iter()
        .enumerate()
        .rev()
        // The first level by itself would leave everything in the second.
        .filter(|(at, _)| *at > 0 || last == 0)
        .map(|(at, cache)| Displaced {
            bytes: (cache.bytes + cache.bytes / SPARE).max(if at == last && at > 1 {
                LAST_LEVEL
            } else {
                least
            }),
            level: Some(cache.level),
            last: at == last,
        })
        .filter(|way| way.bytes <= MOST_DISPLACED)
        .collect();
    if ways.is_empty() {
        ways.push(Displaced { bytes: least, ..Displaced::default() });
    }
    ways.retain(|way| room.is_none_or(|room| way.bytes <= room / 2));
    ways
}

/// Reads each subject cold, in rounds of random order, and warm after each cold read. Takes the
/// first way to displace caches that the budget is long enough for. Returns the samples by number
/// of subject, and what was displaced.
pub fn cold<H: Batches>(
    host: &mut H,
    subjects: &[usize],
    ways: &[Displaced],
    limits: (u64, Duration),
    rng: &mut fastrand::Rng,
) -> (Vec<Cold>, Displaced) {
    let (rounds, budget) = limits;
    let mut found = vec![Cold::default(); host.specs().len()];
    let mut limit = Limit::new(host, budget, rounds);
    let displaced = chosen(host, subjects, ways, budget);
    let mut order = subjects.to_vec();
    while !limit.reached(host) {
        rng.shuffle(&mut order);
        for &subject in &order {
            if limit.spent(host) {
                break;
            }
            let found = &mut found[subject];
            found.cold.add(host.batch(subject, Mode::Cold, 1));
            for left in (0..WARM).rev() {
                let warm = host.batch(subject, Mode::Throughput, 1);
                if left < SETTLED {
                    found.warm.add(warm);
                }
            }
        }
    }
    host.displace(0);
    (found, displaced)
}

/// Chooses what is displaced: the first of `ways` that the budget is long enough for, or the last.
fn chosen<H: Batches>(
    host: &mut H,
    subjects: &[usize],
    ways: &[Displaced],
    budget: Duration,
) -> Displaced {
    let (Some(last), Some(first)) = (ways.last(), subjects.first()) else {
        return Displaced::default();
    };
    for way in ways {
        host.displace(way.bytes as usize);
        if way == last {
            break;
        }
        let start = host.elapsed();
        host.batch(*first, Mode::Cold, 1);
        let each = host.elapsed().saturating_sub(start);
        let all = each.saturating_mul(FEWEST_COLD.saturating_mul(subjects.len() as u32));
        if all <= budget {
            return *way;
        }
    }
    *last
}

/// The number of processes after which the time of one process is known. The quickest of them
/// counts, because the first may have to be loaded from a disk.
const PILOT: u64 = 3;

/// Reads each subject once in each of several new processes.
///
/// # Errors
/// Processes start too slowly here to give every subject enough samples for an estimate within the
/// budget. The error is the time that one process takes, and the time that all would take, in
/// seconds.
pub fn first<H: Values>(
    host: &mut H,
    subjects: &[usize],
    processes: u64,
    budget: Duration,
) -> Result<Vec<Singles>, (f64, f64)> {
    let mut found = vec![Singles::default(); host.specs().len()];
    let all = processes * subjects.len() as u64;
    let mut limit = Limit::new(host, budget, all);
    let (mut before, mut made, mut quickest) = (host.elapsed(), 0, Duration::MAX);
    for _ in 0..processes {
        for &subject in subjects {
            if limit.reached(host) {
                return Ok(found);
            }
            found[subject].samples.extend(host.first(subject).map(|ticks| ticks as f64));
            made += 1;
            let now = host.elapsed();
            quickest = quickest.min(now.saturating_sub(before));
            before = now;
            if made == PILOT {
                let each = quickest.as_secs_f64();
                let whole = each * all as f64;
                if whole > budget.as_secs_f64() {
                    return Err((each, whole));
                }
            }
        }
    }
    Ok(found)
}

/// The distance from the median within which samples count, in standard deviations or in ticks.
const NEAR: f64 = 4.0;

/// The mean of the samples near the median, with its 95 % interval (Hampel 1985, *The breakdown
/// points of the mean combined with some rejection rules*, Technometrics 27, rule X84).
///
/// Single reads differ by whole ticks of the ruler, and a duration that is no multiple of the tick
/// appears as two of them. Their mean is the duration, because the phase is random; a mode would
/// be one or the other.
fn typical(samples: &[f64], tick: f64) -> Option<ModeEstimate> {
    let summary = Summary::of(samples)?;
    let reach = NEAR * (GAUSSIAN * summary.mad).max(tick);
    let near = || samples.iter().filter(|x| (*x - summary.median).abs() <= reach);
    let count = near().count();
    if count < MIN_SAMPLES {
        return None;
    }
    let n = count as f64;
    let value = near().sum::<f64>() / n;
    let variance = near().map(|x| (x - value).powi(2)).sum::<f64>() / (n - 1.0);
    // Samples that are all equal may be off by their rounding.
    let half = student_975(n - 1.0) * (variance / n).sqrt().max(tick / (2.0 * n));
    Some(ModeEstimate { value, low: value - half, high: value + half, second: None })
}

/// The standard deviation of Gaussian noise in units of its median absolute deviation.
const GAUSSIAN: f64 = 1.4826;

/// Estimates the cost of a cold read: the cost `warm` of a warm read from the rounds, plus the
/// additional time of a single cold read over a single warm one. The code that times the read
/// is part of both single reads, so it cancels, and so does the part of the read that overlaps
/// with it.
///
/// A cold read that seems faster, by no more than twice the uncertainty or a tick of the ruler,
/// costs as much as a warm one, and its interval begins there. If it seems faster by more than
/// that, the method is at fault, and the figure is marked.
pub fn cold_estimate(
    own: &Cold,
    warm: Option<&Estimate>,
    rate: Rate,
    ruler_tick: f64,
) -> Option<Estimate> {
    let warm_ns = warm?;
    let ticks = |ns: f64| ns * rate.hz / 1e9;
    let [value, low, high] = [warm_ns.value_ns, warm_ns.low_ns, warm_ns.high_ns].map(ticks);
    let cost = ModeEstimate { value, low, high, second: None };
    let single = typical(&own.warm.samples, ruler_tick)?;
    let timing = ModeEstimate {
        value: single.value - cost.value,
        low: single.low - cost.high,
        high: single.high - cost.low,
        second: None,
    };
    let raw = typical(&own.cold.samples, ruler_tick)?;
    let mut estimate = estimate(&own.cold, raw, timing, rate)?;
    estimate.processes = Some(1);
    let half = estimate.high_ns - estimate.value_ns;
    let tick = ruler_tick * 1e9 / rate.hz;
    if estimate.value_ns + (2.0 * half).max(tick) >= warm_ns.value_ns {
        estimate.low_ns = estimate.low_ns.max(warm_ns.low_ns);
        estimate.value_ns = estimate.value_ns.max(warm_ns.value_ns);
        estimate.high_ns = estimate.high_ns.max(warm_ns.high_ns);
        estimate.cycles = estimate.cycles.map(|cycles| cycles.max(cost.value));
        estimate.below_resolution = warm_ns.below_resolution && estimate.low_ns <= 0.0;
    } else {
        estimate.below_resolution = true;
    }
    Some(estimate)
}

/// Estimates the cost of a first read. The process that made the read has already subtracted
/// the cost of the empty loop.
pub fn first_estimate(
    own: &Singles,
    rate: Rate,
    ruler_tick: f64,
    rng: &mut fastrand::Rng,
) -> Option<Estimate> {
    let nothing = ModeEstimate { value: 0.0, low: 0.0, high: 0.0, second: None };
    // One read per sample, so a step is a whole tick.
    let estimator = Estimator { quantum: ruler_tick, ..Estimator::default() };
    let mode = estimator.estimate(&own.samples, rng)?;
    let mut estimate = estimate(own, mode, nothing, rate)?;
    // Each process reads once.
    estimate.processes = u32::try_from(own.samples.len()).ok();
    Some(estimate)
}

fn estimate(own: &Singles, mode: ModeEstimate, base: ModeEstimate, rate: Rate) -> Option<Estimate> {
    let summary = Summary::of(&own.samples)?;
    let found = in_ns(&difference(&mode, &base, 1.0), [&mode, &base], &summary, rate);
    let narrow = (found.value_ns.abs() * RELATIVE).max(FINEST_NS);
    let precise = found.high_ns - found.low_ns <= narrow;
    Some(Estimate {
        reads_per_batch: 1,
        disturbed: own.disturbed,
        stopped_by: if precise { SampledTo::Precision } else { SampledTo::Budget },
        ..found
    })
}

const SAMPLES: u64 = 200;
/// The fewest samples that have a deviation.
const FEWEST: usize = 5;
/// A sample is the mean of as many changes as take this long ...
const SAMPLE: Duration = Duration::from_micros(20);
/// ... up to this number.
const MOST_CHANGES: u64 = 64;
/// The reads between two checks of the time limit.
const READS: u64 = 256;
/// No read through a call takes less, in nanoseconds. This bounds the reads in case the ruler and
/// the system's clock stand still.
const LEAST_NS: u64 = 2;

/// Measures one clock within a span. `ruler_ticks` is the cost of the ruler. `None` if the clock
/// did not change often enough.
pub fn measure_until_change<H: Values>(
    host: &mut H,
    subject: usize,
    span: Duration,
    ruler_ticks: f64,
) -> Option<UntilChange> {
    let mut limit = Limit::new(host, span, SAMPLES);
    let looks = span.as_nanos() as u64 / LEAST_NS / READS;
    let mut until = Until { limit, looks: looks.max(1) };
    let enough = ticks(host, SAMPLE);
    let mut last = until.change(host, subject, None)?;
    let start = host.ticks();
    last = until.change(host, subject, Some(last))?;
    let once = host.ticks().saturating_sub(start).max(1);
    let changes = (enough / once).clamp(1, MOST_CHANGES);
    let mut samples = Vec::new();
    'samples: while !limit.reached(host) {
        let start = host.ticks();
        for _ in 0..changes {
            match until.change(host, subject, Some(last)) {
                Some(value) => last = value,
                None => break 'samples,
            }
        }
        let whole = host.ticks().saturating_sub(start) as f64 - ruler_ticks;
        samples.push(whole / changes as f64 * 1e9 / host.hz());
    }
    let summary = Summary::of(&samples).filter(|summary| summary.n >= FEWEST)?;
    Some(UntilChange {
        median_ns: summary.median,
        mean_ns: summary.mean,
        sd_ns: summary.sd,
        samples: summary.n as u64,
        changes_per_sample: changes,
    })
}

struct Until {
    limit: Limit,
    /// The most checks of the time.
    looks: u64,
}

impl Until {
    /// Returns the value after a change: reads once, or continues from `last`, and reads until the
    /// value differs. `None` if the time is over first.
    fn change<H: Values>(
        &mut self,
        host: &mut H,
        subject: usize,
        last: Option<u64>,
    ) -> Option<u64> {
        let mut value = host.value(subject);
        let first = last.unwrap_or(value);
        while self.looks > 0 {
            for _ in 0..READS {
                if value != first {
                    return Some(value);
                }
                value = host.value(subject);
            }
            self.looks -= 1;
            if self.limit.spent(host) {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod single_tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    /// The cold cost of a clock that takes 18 ns warm, as the fake host finds it.
    fn cold_ns(cold_ns: f64, ruler_tick: u64, seed: u64) -> Estimate {
        let clock = FakeClock { cost_ns: 18.0, cold_ns, ..FakeClock::default() };
        let disturbance = Disturbance {
            jitter: 0.01,
            interrupts: 0.01,
            interrupt_ns: 5000.0,
            ..Disturbance::default()
        };
        let mut host = Fake::new(vec![clock], disturbance, seed);
        host.ruler_tick = ruler_tick;
        let mut rng = fastrand::Rng::with_seed(seed);
        let limits = (101, Duration::from_secs(1));
        let ways = displaceable(&[], None);
        let (found, _) = cold(&mut host, &[0], &ways, limits, &mut rng);
        let rate = Rate { hz: crate::engine::fake::HZ, error_ppm: 0.1, is_tsc: true };
        let warm =
            Estimate { value_ns: 18.0, low_ns: 17.95, high_ns: 18.05, ..Estimate::default() };
        cold_estimate(&found[0], Some(&warm), rate, ruler_tick as f64).expect("there are samples")
    }

    #[test]
    fn a_cold_read_costs_what_it_takes_longer_than_a_warm_one() {
        for (cost, ruler_tick, seed) in [(60.0, 1, 1), (700.0, 1, 2), (60.0, 26, 3), (700.0, 26, 4)]
        {
            let found = cold_ns(cost, ruler_tick, seed);
            let error = (found.value_ns - cost).abs();
            assert!(error < 0.02 * cost + ruler_tick as f64 / 26.0 * 4.0, "{cost}: {found:?}");
            assert!(!found.below_resolution, "{cost}: {found:?}");
            assert_eq!(found.processes, Some(1));
        }
    }

    #[test]
    fn the_method_never_makes_a_cold_read_cheaper_than_a_warm_one() {
        for seed in 0..40 {
            // The cold read is as cheap as a warm one, with a ruler of 1 and of 26 units, as on
            // Zen.
            for ruler_tick in [1, 26] {
                let found = cold_ns(18.0, ruler_tick, seed);
                assert!(!found.below_resolution, "{found:?}");
                assert!(found.low_ns >= 17.9 && found.value_ns >= 18.0, "{found:?}");
                assert!(found.value_ns < 24.0 && found.high_ns >= found.value_ns, "{found:?}");
            }
        }
    }

    #[test]
    fn a_cold_read_that_is_clearly_cheaper_is_marked_and_not_hidden() {
        // No machine does this: if one seems to, the method is wrong on it.
        let found = cold_ns(4.0, 1, 5);
        assert!(found.below_resolution && found.value_ns < 10.0, "{found:?}");
    }

    #[test]
    fn the_last_level_is_displaced_if_there_is_memory_and_time_for_it() {
        let cache = |level, mib: u64| Cache { level, bytes: mib << 20 };
        let level = |ways: &[Displaced]| ways.iter().map(|way| way.level).collect::<Vec<_>>();
        let zen = displaceable(&[cache(1, 0), cache(2, 1), cache(3, 32)], None);
        assert_eq!(level(&zen), [Some(3), Some(2)]);
        assert!(zen[0].last && zen[0].bytes == 36 << 20 && zen[1].bytes == 4 << 20);
        // This cache is too large for the memory that the tool may use.
        let server = displaceable(&[cache(1, 0), cache(2, 2), cache(3, 105)], None);
        assert_eq!(level(&server), [Some(2)]);
        assert!(!server[0].last);
        let arm = displaceable(&[cache(1, 0), cache(2, 1)], None);
        assert!(arm[0].last && arm[0].bytes == 4 << 20);
        assert_eq!(displaceable(&[], None).len(), 1);
        // In a small control group, less is displaced or nothing.
        let two = [cache(1, 0), cache(2, 1), cache(3, 32)];
        assert_eq!(displaceable(&two, Some(20 << 20)).len(), 1);
        assert!(displaceable(&two, Some(5 << 20)).is_empty());
        assert_eq!(displaceable(&[cache(1, u64::MAX >> 21)], None).len(), 1);

        let mut host = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1);
        let long = chosen(&mut host, &[0], &zen, Duration::from_secs(1));
        assert_eq!(long.level, Some(3));
        let short = chosen(&mut host, &[0], &zen, Duration::from_micros(1));
        assert_eq!(short.level, Some(2));
    }
}

#[cfg(test)]
mod until_change_tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    fn found(tick_ns: f64, cost_ns: f64, frozen: bool) -> Option<UntilChange> {
        let clock = FakeClock { tick_ns, cost_ns, frozen, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], Disturbance::default(), 1);
        measure_until_change(&mut host, 0, Duration::from_millis(100), 17.0 * 2.6)
    }

    #[test]
    fn it_is_the_tick_or_the_cost_of_the_reads() {
        let coarse = found(4e6, 20.0, false).expect("it changes 25 times");
        assert!((coarse.median_ns / 4e6 - 1.0).abs() < 0.01, "{coarse:?}");
        assert_eq!(coarse.changes_per_sample, 1);
        let hundred = found(1000.0, 20.0, false).expect("it changes");
        assert!((hundred.mean_ns / 1000.0 - 1.0).abs() < 0.05, "{hundred:?}");
        let fine = found(1.0, 20.0, false).expect("it changes");
        assert!((fine.median_ns - 20.0).abs() < 2.0, "{fine:?}");
        assert!(fine.sd_ns >= 0.0 && fine.samples > 100);
    }

    #[test]
    fn a_clock_that_does_not_change_in_time_has_none() {
        assert_eq!(found(1.0, 20.0, true), None);
        assert_eq!(found(90e6, 20.0, false), None);
        let mut host = Fake::new(
            vec![FakeClock { frozen: true, ..FakeClock::default() }],
            Disturbance::default(),
            1,
        );
        host.frozen = true;
        assert_eq!(measure_until_change(&mut host, 0, Duration::from_millis(1), 0.0), None);
    }
}
