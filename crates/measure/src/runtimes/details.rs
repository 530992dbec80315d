//! The requests about a runtime's clocks apart from their costs: ticks, long series of reads,
//! allocations, and sleeps.
//!
//! Some are latency and resolution as BenchmarkDotNet measures them in the benchmark of a
//! stopwatch:
//!
//! ```text
//! Latency() => GetTimestamp();
//! Resolution() { last = GetTimestamp(); while (GetTimestamp() == last) {} }
//! ```
//!
//! The rest says what limits the interval of a runtime's cost, and whether its processes have two
//! costs.

use super::PROCESSES;
use super::answer::{Allocations, Deltas, Slept, Spins, Watch};
use super::probe::Probe;
use crate::engine::Rate;
use crate::engine::resolution::Seen;
use crate::stats::{Summary, quantile};
use crate::{grown, sorted};
use chronoscope_model::Estimate;
use chronoscope_model::runtimes::{
    Allocates, LimitedBy, Runtime, RuntimeClock, RuntimeSleep, Spread, Watched,
};
use chronoscope_probes::time::Instant;
use std::time::Duration;

/// The number of successive reads that are examined individually.
const DELTAS: u64 = 4000;
/// The series of so many reads that are the iterations of a benchmark of the resolution:
/// BenchmarkDotNet makes at least 15.
const ITERATIONS: usize = 15;
/// The number of changes of value to wait for; a clock that ticks slowly shows fewer in the time
/// that the protocol allows.
const SPINS: u64 = 100;
/// The reads of the long series.
const WATCHED: u64 = 200_000;
/// The reads whose allocations are counted.
const ALLOCATING: u64 = 10_000;
/// The sleeps: their duration in nanoseconds, and their number.
const SLEEPS: [(u64, u64); 3] = [(100_000, 30), (1_000_000, 30), (10_000_000, 5)];
/// The time that the protocol allows for the slowest of these requests.
const WORK: Duration = Duration::from_secs(2);
/// Sleeps may take longer than asked for by this factor, and by the additional time for each.
const LATE: u32 = 4;
const LATE_EACH: Duration = Duration::from_millis(60);
/// A sleep that ends before its time by less than this share ended on time: the clock that it uses
/// may be slewed against the stopwatch by 500 ppm (adjtimex(2)).
const SLEW: f64 = 5e-4;

/// A probe that had its CPU for less than this share of a request may have missed changes of a
/// clock that are at least this far apart: a thread loses its CPU for milliseconds.
const HAD_CPU: f64 = 0.8;
const LONG_NS: f64 = 500_000.0;

/// The tick of a clock whose changes were partly missed, because others had the CPU: the least
/// change, if others are multiples of it. Otherwise it is not known.
fn unmissed(steps: &[f64]) -> Option<f64> {
    let steps = sorted(steps.iter().copied().filter(|step| *step > 0.0));
    let (least, most) = (*steps.first()?, *steps.last()?);
    let whole = |step: &f64| {
        let times = step / least;
        (times - times.round()).abs() < 0.1
    };
    // Every second tick would be missed always if each turn of another thread took one.
    let several =
        steps.iter().any(|step| (step / least).round() % 2.0 == 1.0 && *step > least * 1.5);
    (several && most > least && steps.iter().all(whole)).then_some(least)
}

/// Fills in the details of a probe's clock.
///
/// # Errors
/// The probe is of no further use, for the reason given.
pub(super) fn clock(
    probe: &mut Probe,
    row: &mut RuntimeClock,
    counts_allocations: bool,
) -> Result<(), String> {
    let unit = row.unit_ns;
    let deltas: Option<Deltas> = probe.ask(&format!("deltas {} {DELTAS}", row.id), WORK)?;
    let (since, cpu) = (Instant::now(), probe.cpu_ns());
    let spins: Option<Spins> = probe.ask(&format!("spins {} {SPINS}", row.id), WORK)?;
    let spent = grown(cpu, probe.cpu_ns());
    let shared = spent.is_some_and(|ns| (ns as f64) < HAD_CPU * since.elapsed().as_nanos() as f64);
    let values = deltas.map_or(Vec::new(), |deltas| deltas.values);
    let steps = spins.map_or(Vec::new(), |spins| spins.steps);
    let found = tick(&values, &steps).map(|units| units * unit);
    row.tick_ns = if shared && found.is_some_and(|ns| ns >= LONG_NS) {
        unmissed(&steps).map(|units| units * unit)
    } else {
        found
    };
    let mut means: Vec<f64> = benchmark_resolution(&values).into_iter().collect();
    while (1..ITERATIONS).contains(&means.len()) && !(probe.stop)() {
        let more: Option<Deltas> = probe.ask(&format!("deltas {} {DELTAS}", row.id), WORK)?;
        match more.and_then(|more| benchmark_resolution(&more.values)) {
            Some(mean) => means.push(mean),
            None => break,
        }
    }
    let means = if means.is_empty() { &steps } else { &means };
    let means: Vec<f64> = means.iter().map(|units| units * unit).collect();
    row.benchmark.get_or_insert_default().resolution = benchmark_spread(&means);
    let between = sorted(values.windows(2).map(|pair| (pair[1] - pair[0]) * unit));
    row.median_delta_ns = quantile(&between, 0.5);
    let watched: Option<Watch> = probe.ask(&format!("watch {} {WATCHED}", row.id), WORK)?;
    row.watched = watched.filter(|seen| seen.reads > 0).map(|seen| Watched {
        reads: seen.reads,
        same: seen.same as f64 / seen.reads as f64,
        longest_ns: seen.longest * unit,
        backwards: seen.backwards,
        worst_ns: seen.worst * unit,
    });
    if counts_allocations {
        let mut of = |id: &str| -> Result<Option<Allocations>, String> {
            probe.ask(&format!("allocations {id} {ALLOCATING}"), WORK)
        };
        let (empty, own) = (of("empty")?, of(&row.id)?);
        row.allocates = empty.zip(own).and_then(|(empty, own)| {
            let less = |own: Option<f64>, empty: Option<f64>| {
                own.map(|own| (own - empty.unwrap_or(0.0)).max(0.0) / ALLOCATING as f64)
            };
            let allocates = Allocates {
                bytes: less(own.bytes, empty.bytes),
                objects: less(own.objects, empty.objects),
            };
            (allocates != Allocates::default()).then_some(allocates)
        });
    }
    Ok(())
}

/// Compares the stopwatch with the ruler over the life of the process.
///
/// # Errors
/// The probe is of no further use, for the reason given.
pub(super) fn stopwatch(probe: &mut Probe, row: &mut Runtime, ruler: Rate) -> Result<(), String> {
    let Some(stopwatch) = &mut row.stopwatch else {
        return Ok(());
    };
    let own = row.clocks.iter().find(|clock| clock.call == stopwatch.call);
    let tick = own.and_then(|clock| Some(clock.tick_ns? / 1e9 * stopwatch.hz));
    if let Some((rate, error)) = probe.rate(tick.unwrap_or(1.0))? {
        stopwatch.fast_ppm = Some((rate * ruler.hz / stopwatch.hz - 1.0) * 1e6);
        stopwatch.fast_error_ppm = Some(error * 1e6 + ruler.error_ppm);
    }
    Ok(())
}

/// Makes the sleeps of a runtime, for each duration that is a whole number of its units.
///
/// # Errors
/// The probe is of no further use, for the reason given.
pub(super) fn sleeps(
    probe: &mut Probe,
    stopwatch_tick_ns: f64,
) -> Result<Vec<RuntimeSleep>, String> {
    let mut rows = Vec::new();
    for sleep in probe.hello.sleeps.clone() {
        for (ns, count) in SLEEPS {
            if (ns as f64) < sleep.unit_ns || (probe.stop)() {
                continue;
            }
            let asked = Duration::from_nanos(ns * count) * LATE + LATE_EACH * count as u32;
            let request = format!("sleep {} {ns} {count}", sleep.id);
            let slept: Option<Slept> = probe.ask(&request, asked)?;
            let Some(slept) = slept.filter(|slept| !slept.slept.is_empty()) else {
                continue;
            };
            rows.push(RuntimeSleep {
                id: sleep.id.clone(),
                call: sleep.call.clone(),
                unit_ns: sleep.unit_ns,
                ..overshoot(&slept.slept, ns as f64, stopwatch_tick_ns)
            });
        }
    }
    Ok(rows)
}

/// Returns how late sleeps of one duration ended. A sleep is early if it ended before its time by
/// more than the stopwatch's tick and slew explain.
fn overshoot(slept: &[f64], asked_ns: f64, tick_ns: f64) -> RuntimeSleep {
    let late = sorted(slept.iter().map(|ns| ns - asked_ns));
    let tolerated = -(tick_ns + asked_ns * SLEW);
    let place = |q| quantile(&late, q).unwrap_or(0.0);
    RuntimeSleep {
        asked_ns,
        count: late.len() as u64,
        early: late.partition_point(|ns| *ns < tolerated) as u64,
        earliest_ns: (-place(0.0)).max(0.0),
        median_ns: place(0.5),
        p90_ns: place(0.9),
        max_ns: place(1.0),
        ..RuntimeSleep::default()
    }
}

/// The smallest amount by which a clock's value changes, in its units: the common divisor of all
/// differences.
fn tick(values: &[f64], steps: &[f64]) -> Option<f64> {
    let whole = values.iter().chain(steps).all(|value| value.fract() == 0.0);
    if let Some(step) = seldom(values, steps) {
        return Some(step);
    }
    if !whole {
        return fraction(values, steps);
    }
    let mut seen = Seen::default();
    let whole: Vec<u64> = values.iter().map(|value| *value as i64 as u64).collect();
    seen.add(&whole);
    for step in steps.iter().filter(|step| **step > 0.0) {
        seen.add_apart(*step as u64);
    }
    let plain = seen.tick()?;
    Some(hidden(&whole, seen).filter(|period| *period > plain).unwrap_or(plain))
}

/// Returns the tick of a clock that most reads find unchanged: its usual change. Its changes need
/// not be multiples of anything: a coarse clock of the kernel, for example, has ticks of 4 ms that
/// are rounded to nanoseconds.
fn seldom(values: &[f64], steps: &[f64]) -> Option<f64> {
    const SAME: f64 = 0.9;
    let between: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let same = between.iter().filter(|step| **step == 0.0).count();
    if between.is_empty() || (same as f64) < SAME * between.len() as f64 {
        return None;
    }
    let all = between.iter().chain(steps).copied();
    quantile(&sorted(all.filter(|step| *step > 0.0)), 0.5)
}

/// Returns a tick that is shorter than a read and not a whole number of units, so that successive
/// reads show only that they take about as long. Differences over a varying number of reads do show
/// it, unless the loop itself takes a fixed time; so a tick that is not clearly shorter than a read
/// does not count.
fn hidden(values: &[u64], mut seen: Seen) -> Option<f64> {
    const SHORTER: f64 = 0.6;
    const TRIES: usize = 3000;
    let mut rng = fastrand::Rng::with_seed(1);
    let between = values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64 as f64);
    let between = sorted(between);
    let read = quantile(&between, 0.5)?;
    for _ in 0..TRIES {
        let from = rng.usize(..values.len());
        let stride = (values.len() as f64).powf(rng.f64()) as usize;
        if let Some(to) = values.get(from + stride) {
            seen.add_apart(to.wrapping_sub(values[from]));
        }
    }
    let tick = seen.tick()?;
    (tick <= read * SHORTER).then_some(tick)
}

/// Returns the tick of values that are not whole numbers: the smallest difference, if all others
/// are multiples of it to within rounding; otherwise it is only known that the tick is no longer
/// than that.
fn fraction(values: &[f64], steps: &[f64]) -> Option<f64> {
    /// The share of differences that must fit, because a clock may be set meanwhile.
    const FIT: f64 = 0.98;
    let between = values.windows(2).map(|pair| pair[1] - pair[0]);
    let all: Vec<f64> = between.chain(steps.iter().copied()).filter(|step| *step > 0.0).collect();
    let least = all.iter().copied().min_by(f64::total_cmp)?;
    // Long differences are rounded, and show nothing.
    let short: Vec<f64> = all.iter().map(|step| step / least).filter(|n| *n < 100.0).collect();
    let fits = |divisor: f64| {
        let multiples = short.iter().map(|n| n * divisor);
        let good = multiples.filter(|n| (n - n.round()).abs() < 0.02 * n.max(1.0).sqrt());
        good.count() as f64 >= FIT * short.len() as f64
    };
    // The smallest difference may itself be a few ticks.
    let divisor = (1..=8).map(f64::from).find(|divisor| fits(*divisor));
    Some(least / divisor.unwrap_or(1.0))
}

/// The fewest calls of `Resolution()` in a series of reads that give a mean.
const FEWEST: usize = 10;

/// Returns mean, median and standard deviation of iterations, in the unit of nanoseconds. Outliers
/// are left out as BenchmarkDotNet leaves them out by default (`OutlierMode.RemoveUpper`): those
/// above the third quartile by more than one and a half interquartile ranges.
pub(super) fn benchmark_spread(iterations: &[f64]) -> Option<Spread> {
    let mut sorted = sorted(iterations.iter().copied().filter(|ns| ns.is_finite()));
    let (low, high) = (quantile(&sorted, 0.25)?, quantile(&sorted, 0.75)?);
    sorted.retain(|ns| *ns <= high + 1.5 * (high - low));
    let kept = Summary::of(&sorted)?;
    Some(Spread {
        mean_ns: kept.mean,
        median_ns: kept.median,
        sd_ns: kept.sd,
        iterations: kept.n as u64,
    })
}

/// Returns the mean duration of `Resolution()` over the values of successive reads, from its first
/// read to that of the next call; `None` if the value changes too seldom. One series is an
/// iteration.
pub(super) fn benchmark_resolution(values: &[f64]) -> Option<f64> {
    let (mut at, mut calls) = (0, 0);
    while let Some(last) = values.get(at) {
        let Some(change) = values[at..].iter().position(|value| value != last) else {
            break;
        };
        // The next call begins with a read of its own.
        let next = at + change + 1;
        if next >= values.len() {
            break;
        }
        (at, calls) = (next, calls + 1);
    }
    (calls >= FEWEST).then(|| (values[at] - values[0]) / calls as f64)
}

/// Half the 95 % interval of what whole runs differ by, as a share of a cost. It is the frequency
/// of the core, which lasts for longer than a run: runs on an AMD EPYC (family 26, two CPUs of a
/// virtual machine) were up to 3 % from one another, all clocks alike, and 6 % next to builds.
const BETWEEN_RUNS: f64 = 0.025;

/// Two states are at least this far apart, as a share of the lower.
const APART: f64 = 0.05;
/// Two states are this many times as far apart as the processes of either.
const CLEARLY: f64 = 3.0;
/// The standard deviation of normal samples by their median absolute deviation.
const BY_MAD: f64 = 1.4826;

/// Half the 95 % interval of what whole runs differ by, as a share of a cost: what runs usually
/// differ by, or the drift of the frequency that this run saw itself, if that is more. Both are the
/// same effect, so it counts once.
pub(super) fn between_runs(drift: f64) -> f64 {
    BETWEEN_RUNS.max(drift)
}

/// Returns a cost with the interval of what other runs would report, which differ by this share. A
/// multiple of another cost of the same run has no need of it.
pub(super) fn widened_between_runs(mut cost: Estimate, between_runs: f64) -> Estimate {
    cost.widen(between_runs);
    cost
}

/// Returns the two costs between which the processes differ, in nanoseconds: at least two processes
/// have each. One process that differs from all others has no state of its own.
pub(super) fn states_ns(by_process: &[f64]) -> Option<[f64; 2]> {
    let sorted = sorted(by_process.iter().copied());
    let gap = |at: &usize| sorted[*at] - sorted[at - 1];
    let most = sorted.len().saturating_sub(1);
    let at = (2..most).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (low, high) = sorted.split_at(at);
    let width = |part: &[f64]| part[part.len() - 1] - part[0];
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let apart = gap(&at) > CLEARLY * width(low).max(width(high)) && gap(&at) > APART * low[0];
    apart.then(|| [mean(low), mean(high)])
}

/// Returns what limits the interval of a cost by which whole runs differ by this share: the largest
/// of its parts, each as a standard error.
pub(super) fn limited_by(cost: &Estimate, between_runs: f64) -> LimitedBy {
    let each = &cost.by_process;
    let count = each.len() as f64;
    if states_ns(each).is_some() {
        return LimitedBy::TwoStates;
    }
    let Some(processes) = Summary::of(each).filter(|_| each.len() as u32 * 2 > PROCESSES) else {
        return LimitedBy::NumberOfProcesses;
    };
    let time = BY_MAD * cost.mad_ns / (cost.batches.max(1) as f64).sqrt();
    // The scatter of batches is part of what processes differ by.
    let between = (processes.sd.powi(2) / count - time.powi(2)).max(0.0).sqrt();
    let runs = cost.value_ns.abs() * between_runs / 1.96;
    let parts = [
        (LimitedBy::DifferencesBetweenRuns, runs),
        (LimitedBy::DifferencesBetweenProcesses, between),
        (LimitedBy::Time, time),
    ];
    let widest = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    widest.map_or(LimitedBy::Time, |(by, _)| by)
}

#[cfg(test)]
mod details_tests {
    use super::*;

    #[test]
    fn a_tick_that_was_partly_missed_is_the_least_change_or_unknown() {
        let ms = |steps: &[f64]| unmissed(&steps.iter().map(|ms| ms * 1e6).collect::<Vec<_>>());
        assert_eq!(ms(&[8.0, 4.0, 12.0, 4.0]), Some(4e6));
        // Every second tick was seen, as far as that can be told.
        for unknown in [&[8.0, 8.0, 8.0][..], &[8.0, 16.0], &[], &[5.0, 12.0, 15.0]] {
            assert_eq!(ms(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn the_tick_of_floats_is_what_their_differences_share() {
        // Seconds near 1.7e9, as doubles: 2^-22 s apart.
        let ulp = 2f64.powi(-22);
        let values: Vec<f64> =
            (0..500).map(|at: i64| (at * 3 + at * at % 5) as f64 * ulp).collect();
        let found = tick(&values, &[]).expect("known");
        assert!((found / ulp - 1.0).abs() < 0.01, "{found}");
        assert_eq!(tick(&[0.0, 0.0], &[]), None);
    }

    #[test]
    fn the_tick_of_whole_numbers_is_their_divisor() {
        let values: Vec<f64> =
            (0..500i64).map(|at| ((at * 7 + at * at % 5) * 100) as f64).collect();
        assert_eq!(tick(&values, &[]), Some(100.0));
        // A coarse clock of the kernel, by whole nanoseconds.
        let coarse = [4_000_000.0, 3_999_999.0, 4_000_001.0, 4_000_000.0, 8_000_000.0];
        assert_eq!(tick(&[0.0; 100], &coarse), Some(4e6));
        // A clock of milliseconds that hardly ever changes between reads.
        assert_eq!(tick(&[0.0; 100], &[1.0; 20]), Some(1.0));
    }

    #[test]
    fn a_tick_that_hides_behind_reads_is_found_and_a_steady_loop_is_none() {
        // 10 ns ticks, as counted in whole nanoseconds with an offset, by reads of some 34 ns.
        let mut rng = fastrand::Rng::with_seed(3);
        let mut now = 0.0;
        let mut of = |tick: f64, jitter: f64| -> Vec<f64> {
            let read = |_| {
                now += 34.0 + rng.f64() * jitter;
                let shown: f64 = (now / tick).floor() * tick * 1.0003 + 0.4;
                shown.floor()
            };
            (0..4000).map(read).collect()
        };
        let found = tick(&of(10.0, 3.0), &[]).expect("known");
        assert!((found - 10.0).abs() < 0.05, "{found}");
        let steady = tick(&of(1.0, 0.0), &[]).expect("known");
        assert!(!(1.5..33.0).contains(&steady), "{steady}");
    }

    #[test]
    fn a_sleep_is_early_only_beyond_tick_and_slew() {
        let late = overshoot(&[999_000.0, 1_000_000.0, 1_060_000.0, 2_000_000.0], 1e6, 600.0);
        assert_eq!((late.count, late.early, late.earliest_ns), (4, 0, 1000.0));
        let early = overshoot(&[400_000.0, 1_060_000.0], 1e6, 100.0);
        assert_eq!((early.early, early.earliest_ns, early.max_ns), (1, 600_000.0, 60_000.0));
    }
}

#[cfg(test)]
mod benchmark_tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_known_samples() {
        // R: mean, median and sd of c(10, 11, 12, 13, 14); 100 is above the fence.
        let known = benchmark_spread(&[14.0, 10.0, 12.0, 100.0, 11.0, 13.0]).expect("known");
        assert_eq!((known.mean_ns, known.median_ns, known.iterations), (12.0, 12.0, 5));
        assert!((known.sd_ns - 1.581_139).abs() < 1e-6);
        // What is far below counts.
        let low = benchmark_spread(&[1.0, 10.0, 11.0, 12.0, 13.0, 14.0]).expect("known");
        assert_eq!((low.median_ns, low.iterations), (11.5, 6));
        assert_eq!(
            benchmark_spread(&[7.0]).map(|one| (one.median_ns, one.sd_ns)),
            Some((7.0, 0.0))
        );
        assert_eq!(benchmark_spread(&[]), None);
    }

    /// The values of a clock with this tick that is read this often.
    fn reads(tick: f64, every: f64) -> Vec<f64> {
        (0..4000).map(|nth| (f64::from(nth) * every / tick).floor() * tick).collect()
    }

    #[test]
    fn resolution_is_a_tick_or_two_reads() {
        let close = |found: Option<f64>, to: f64| {
            let found = found.expect("known");
            assert!((found / to - 1.0).abs() < 0.02, "{found} for {to}");
        };
        close(benchmark_resolution(&reads(100.0, 20.0)), 100.0);
        close(benchmark_resolution(&reads(1.0, 500.0)), 1000.0);
        // Ten changes are too few.
        assert_eq!(benchmark_resolution(&reads(10_000.0, 20.0)), None);
        assert_eq!(benchmark_resolution(&[]), None);
    }
}

#[cfg(test)]
mod limit_tests {
    use super::*;

    #[test]
    fn processes_have_two_states_only_if_several_have_each_and_they_are_clearly_apart() {
        let low_and_high = [20.0, 26.0, 20.1, 26.2, 20.05, 26.1];
        let [low, high] = states_ns(&low_and_high).expect("two");
        assert!((low - 20.05).abs() < 1e-9 && (high - 26.1).abs() < 1e-9);
        let one_bad = [20.0, 20.1, 26.0, 20.05, 20.0, 20.1];
        let close = [20.0, 20.5, 20.01, 20.51, 20.0, 20.5];
        let spread = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0];
        for none in [&one_bad[..], &close, &spread, &low_and_high[..3], &[]] {
            assert_eq!(states_ns(none), None, "{none:?}");
        }
    }

    #[test]
    fn of_the_usual_difference_and_the_drift_of_this_run_the_larger_widens_an_interval() {
        let half = |drift| {
            let cost =
                Estimate { value_ns: 100.0, low_ns: 99.9, high_ns: 100.1, ..Estimate::default() };
            let cost = widened_between_runs(cost, between_runs(drift));
            assert!((cost.high_ns + cost.low_ns - 200.0).abs() < 1e-9);
            cost.half_ns()
        };
        let usual = half(0.0);
        assert!((usual - (100.0 * BETWEEN_RUNS).hypot(0.1)).abs() < 1e-9);
        assert_eq!(half(BETWEEN_RUNS / 2.0), usual, "a smaller drift adds nothing");
        let drift = BETWEEN_RUNS * 2.0;
        assert!(
            (half(drift) - (100.0 * drift).hypot(0.1)).abs() < 1e-9,
            "and a larger one replaces it"
        );
    }

    #[test]
    fn the_largest_part_of_an_interval_limits_it() {
        let cost = |by_process: &[f64], mad_ns| Estimate {
            value_ns: 20.0,
            by_process: by_process.to_vec(),
            mad_ns,
            batches: 100,
            ..Estimate::default()
        };
        let alike = [20.0, 20.1, 20.0, 20.1, 20.0, 20.1];
        let apart = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0];
        let cases = [
            (cost(&alike, 0.1), LimitedBy::DifferencesBetweenRuns),
            (cost(&alike, 9.0), LimitedBy::Time),
            (cost(&apart, 0.1), LimitedBy::DifferencesBetweenProcesses),
            (cost(&apart[..3], 0.1), LimitedBy::NumberOfProcesses),
            (cost(&[], 0.1), LimitedBy::NumberOfProcesses),
            (cost(&[20.0, 26.0, 20.1, 26.2, 20.05, 26.1], 0.1), LimitedBy::TwoStates),
        ];
        for (cost, by) in cases {
            assert_eq!(limited_by(&cost, BETWEEN_RUNS), by, "{cost:?}");
        }
    }
}
