//! The tick of a clock that advances in steps shorter than a read takes.
//!
//! Reads back to back differ by the duration of one loop, which is next to no evidence: a loop of
//! 20 to 22 cycles fits a tick of 7 as well as one of 21. So this module works on differences
//! between reads with a varying amount of work between them. If the clock has a tick, the
//! differences pile up at its multiples; if it has none, they spread over all values.
//!
//! Large differences between successive reads occur at the period of a timer, or at random. Whether
//! they recur at a given period is the Rayleigh test on their phases.

use super::quantile;
use super::tick::least_squares;
use chronoscope_model::deltas::Period;
use std::cmp::Ordering;
use std::f64::consts::TAU;

/// The fewest differences that can show a tick, or that there is none.
const FEWEST: usize = 150;
/// The shortest tick that the rounding of both ends leaves visible, in units.
const SHORTEST: f64 = 4.0;
/// The most ticks in a difference that is considered.
const MOST: f64 = 400.0;
/// The least concentration at the multiples of the tick, the mean of `cos(2 pi d / tick)`. It is 1
/// for exact multiples, `exp(-2 pi^2 s^2 / tick^2)` with rounding errors of standard deviation `s`
/// (0.81 for the shortest tick and `s` of 0.41, two rounded ends), and within
/// `4 / sqrt(2 n) = 0.23` of 0 for [`FEWEST`] differences without structure (Mardia and Jupp 2000,
/// *Directional Statistics*, section 4.8.1).
const CONCENTRATED: f64 = 0.75;
/// A multiple counts as seen if this share of the differences is there ...
const SEEN: f64 = 0.02;
/// ... and this many must be seen: with fewer, clusters of another origin may fit.
const MULTIPLES: usize = 4;
/// Long differences that vary little fit ticks around the right one nearly as well, with one tick
/// more or less in each. Up to this factor, the best tick counts.
const ALIAS: f64 = 1.3;
/// Differences longer than this many ticks are beyond the first multiple ...
const FIRST: f64 = 1.5;
/// ... and at least this share of the differences must be.
const BEYOND: f64 = 0.25;

/// What the differences between reads with a varying amount of work between them show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Structure {
    /// The tick of which the differences are multiples, in units; `None` if there is none of this
    /// length.
    pub tick: Option<f64>,
    /// The longest tick that the differences could show, in units.
    pub longest: f64,
}

/// Searches for a tick in differences between reads, zeros included. `None` if there are too few
/// differences, or if they vary too little.
///
/// The tick is the longest at whose multiples all differences concentrate. For it to count, the
/// differences from the second multiple on must concentrate by themselves, because any tick much
/// longer than the differences has all of them near its multiple of zero.
pub fn period_structure(differences: &[u64]) -> Option<Structure> {
    let mut sorted: Vec<f64> = differences.iter().map(|delta| *delta as f64).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    // Longer differences were interrupted.
    let most = quantile(&sorted, 0.95)?;
    sorted.truncate(sorted.partition_point(|delta| *delta <= most));
    if sorted.len() < FEWEST {
        return None;
    }
    let longest = quantile(&sorted, 1.0 - BEYOND)? / FIRST;
    let shortest = SHORTEST.max(most / MOST);
    if longest < shortest {
        return None;
    }
    Some(Structure { tick: scan(&sorted, shortest, longest), longest })
}

/// Tries all ticks from the longest to the shortest, in steps by which the phase of the longest
/// difference changes by a fifth of a turn. The phases advance by rotation, without a cosine for
/// each.
fn scan(sorted: &[f64], shortest: f64, longest: f64) -> Option<f64> {
    let most = *sorted.last()?;
    let (first, step) = (1.0 / longest, 0.2 / most);
    let turn = |angle: f64| (angle.cos(), angle.sin());
    let mut phases: Vec<(f64, f64)> = sorted.iter().map(|d| turn(TAU * d * first)).collect();
    let rotations: Vec<(f64, f64)> = sorted.iter().map(|d| turn(TAU * d * step)).collect();
    let steps = ((1.0 / shortest - first) / step).ceil() as usize + 1;
    let mut best: Option<(f64, f64)> = None;
    for at in 0..steps {
        let rough = 1.0 / (first + step * at as f64);
        // Half of the tick would fit too, so the search ends before it.
        if best.is_some_and(|(_, tick)| rough < tick / ALIAS) {
            break;
        }
        let mean = phases.iter().map(|phase| phase.0).sum::<f64>() / sorted.len() as f64;
        // Half a step away from the tick, little more than this is left.
        if mean > 0.8 * CONCENTRATED
            && let Some(tick) = confirmed(sorted, refined(sorted, rough))
                .filter(|tick| (shortest..=longest * 1.01).contains(tick))
        {
            let found = (concentration(sorted, tick), tick);
            best = Some(best.map_or(found, |best| if found.0 > best.0 { found } else { best }));
        }
        for (phase, rotation) in phases.iter_mut().zip(&rotations) {
            *phase = (
                phase.0 * rotation.0 - phase.1 * rotation.1,
                phase.0 * rotation.1 + phase.1 * rotation.0,
            );
        }
    }
    best.map(|(_, tick)| tick)
}

/// Returns the tick that best fits the differences near its multiples.
fn refined(sorted: &[f64], tick: f64) -> f64 {
    let differences = || sorted.iter().map(|delta| (*delta, 1.0));
    (0..4).fold(tick, |tick, _| least_squares(differences(), tick, f64::INFINITY))
}

/// Returns the tick if the differences concentrate at its multiples, and do so at several of them.
fn confirmed(sorted: &[f64], tick: f64) -> Option<f64> {
    let beyond = &sorted[sorted.partition_point(|delta| *delta < FIRST * tick)..];
    let multiples = sorted
        .chunk_by(|a, b| (a / tick).round() == (b / tick).round())
        .filter(|group| group.len() as f64 >= SEEN * sorted.len() as f64)
        .count();
    // Differences that are too short to show a tick are at the multiples of its fractions too.
    let all = concentration(sorted, tick);
    let longer = sorted.last()? / FIRST / tick;
    let fraction = (2..=longer as u32).any(|by| concentration(sorted, f64::from(by) * tick) >= all);
    (beyond.len() as f64 >= BEYOND * sorted.len() as f64
        && multiples >= MULTIPLES
        && all >= CONCENTRATED
        && concentration(beyond, tick) >= CONCENTRATED
        && !fraction)
        .then_some(tick)
}

/// The mean of `cos(2 pi d / tick)`.
fn concentration(differences: &[f64], tick: f64) -> f64 {
    let each = differences.iter().map(|delta| (TAU * delta / tick).cos());
    each.sum::<f64>() / differences.len().max(1) as f64
}

/// How events relate to a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recurrence {
    /// The periods in which an event took place at the usual phase, one event in each.
    pub count: u64,
    /// The periods between the first and the last event.
    pub periods: u64,
    /// The probability that events at random times concentrate at a phase as much as these do.
    pub chance: f64,
}

/// The number of periods after which the phase may have drifted, if another clock times the timer.
const BLOCK: f64 = 32.0;
/// Events closer than this share of a period count as one, because what happens to a program comes
/// in bursts.
const BURST: f64 = 0.1;
/// How far from the usual phase an event may be, in periods.
const NEAR_RECURRENCE: f64 = 0.125;
/// The fewest periods that an answer needs.
const FEWEST_RECURRENCES: u64 = 8;
/// The share of the periods that must have an event, and of the events that must be near the phase.
const MOST_OF: f64 = 0.5;
const SHARE: f64 = 1.0 / 3.0;

/// Tests whether events at these ascending times recur at a period, which must be in the same unit.
///
/// In blocks of 32 periods, each event is a point on a circle. With the length `R` of the mean of
/// `n` points, `n R²` is distributed as Exp(1) if the points are uniform (Rayleigh's test: Mardia
/// and Jupp, *Directional Statistics*, 2000, 6.3.1), and the sum over `B` blocks as Gamma(B), which
/// gives the chance.
///
/// `None` if there are too few events; if fewer than half of the periods have one near the phase,
/// as for a fraction of the true period; or if most events are elsewhere.
pub fn recurrence(times: &[f64], period: f64) -> Option<Recurrence> {
    let usable = period.is_finite() && period > 0.0 && times.iter().all(|time| time.is_finite());
    let mut cycles: Vec<f64> = times.iter().map(|time| time / period).collect();
    cycles.dedup_by(|next, kept| *next - *kept < BURST);
    let (first, last) = (*cycles.first()?, *cycles.last()?);
    let periods = (last - first).round();
    if !usable || periods < FEWEST_RECURRENCES as f64 || periods * MOST_OF > cycles.len() as f64 {
        return None;
    }
    let (mut count, mut near, mut sum, mut blocks) = (0u64, 0usize, 0.0, 0u32);
    for block in
        cycles.chunk_by(|a, b| ((a - first) / BLOCK).floor() == ((b - first) / BLOCK).floor())
    {
        let (length, phase) = resultant(block);
        sum += block.len() as f64 * length * length;
        blocks += 1;
        let mut seen = f64::NAN;
        for &at in block {
            let turn = (at - phase).round();
            if (at - phase - turn).abs() <= NEAR_RECURRENCE {
                near += 1;
                count += u64::from(turn != seen);
                seen = turn;
            }
        }
    }
    let fits = count as f64 >= periods * MOST_OF && near as f64 >= cycles.len() as f64 * SHARE;
    fits.then(|| Recurrence {
        count,
        // A whole number of periods lies between events, but the two ends may be a little apart.
        periods: (periods as u64 + 1).max(count),
        chance: gamma_survival(blocks, sum),
    })
}

/// The length of the mean of points on a circle, 0 to 1, and its phase in cycles.
fn resultant(cycles: &[f64]) -> (f64, f64) {
    let turns = |cycle: &f64| TAU * cycle.fract();
    let cos = cycles.iter().map(|cycle| turns(cycle).cos()).sum::<f64>();
    let sin = cycles.iter().map(|cycle| turns(cycle).sin()).sum::<f64>();
    let phase = sin.atan2(cos) / TAU;
    (sin.hypot(cos) / cycles.len() as f64, phase)
}

/// The probability that a Gamma variable with this whole shape and scale 1 exceeds `x`: that of
/// fewer than `shape` events of a Poisson process with mean `x`.
fn gamma_survival(shape: u32, x: f64) -> f64 {
    // In logarithms, because both factors leave the range of f64 for thousands of events.
    let mut log_term = -x;
    let mut sum = 0.0;
    for k in 0..shape {
        sum += log_term.exp();
        log_term += x.ln() - f64::from(k + 1).ln();
    }
    sum.min(1.0)
}

/// The most large differences whose positions are kept.
const MOST_PLACES: usize = 4096;

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
pub(crate) const LARGE_NS: f64 = 1_000.0;
/// A large difference is this many times as long as most that are not zero: a clock of milliseconds
/// changes every millisecond, and a slow read may itself take a microsecond.
const LARGER: f64 = 3.0;
/// The number of differences after which the length of most of them is known.
const FIRST_PLACES: usize = 10_000;

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
            let mut changes: Vec<i64> =
                deltas().filter(|delta| *delta > 0).take(FIRST_PLACES).collect();
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
mod period_tests {
    use super::*;
    use fastrand::Rng;

    /// Differences of a clock whose values are `shown`, between reads that take `cost` and are a
    /// varying amount of work apart, as `resolution` makes them.
    fn differences(rng: &mut Rng, cost: f64, shown: impl Fn(f64) -> u64) -> Vec<u64> {
        let mut now = 1e6 * rng.f64();
        let mut last = shown(now);
        (0..400)
            .map(|_| {
                now += cost * (1.0 + 0.01 * rng.f64()) + 300f64.powf(rng.f64());
                if rng.f64() < 0.01 {
                    now += 9000.0 * rng.f64();
                }
                let value = shown(now);
                value - std::mem::replace(&mut last, value)
            })
            .collect()
    }

    fn tick(differences: &[u64]) -> Option<f64> {
        period_structure(differences).and_then(|found| found.tick)
    }

    #[test]
    fn ticks_below_the_cost_of_a_read_are_found() {
        let mut rng = Rng::with_seed(4);
        // The TSC of Zen at 2.45 and 2.596 GHz, the same in nanoseconds, Arm's counters of 54, 24
        // and 19.2 MHz and an HPET in nanoseconds.
        let periods = [24.5, 25.96, 10.0, 10.0149, 18.52, 41.667, 52.083, 69.841];
        for period in periods {
            for cost in [12.0, 22.0, 60.0, 170.0, 520.0] {
                let shown = |now: f64| ((now / period).floor() * period) as u64;
                let found = tick(&differences(&mut rng, cost, shown));
                // Reads in a row show a tick that is much longer than they take.
                let error = found.map(|found| (found / period - 1.0).abs());
                assert!(error.is_none_or(|error| error < 2e-3), "{period} at {cost}: {found:?}");
                assert!(error.is_some() || period > 3.0 * cost, "{period} at {cost}");
            }
        }
    }

    #[test]
    fn a_counter_that_never_returns_a_value_twice_has_its_tick_found() {
        // A second read within a tick returns one more: differences of 1, 25 and 26.
        let mut rng = Rng::with_seed(5);
        let mut last = 0;
        let mut now = 0.0f64;
        let differences: Vec<u64> = (0..400)
            .map(|_| {
                now += 14.0 + 300f64.powf(rng.f64());
                let value = ((now / 26.0).floor() as u64 * 26).max(last + 1);
                value - std::mem::replace(&mut last, value)
            })
            .collect();
        let found = tick(&differences).unwrap_or(0.0);
        assert!((found - 26.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn data_without_structure_have_no_tick() {
        for seed in 0..400 {
            let mut rng = Rng::with_seed(seed);
            let cost = 5.0 + 600.0 * rng.f64();
            let found = period_structure(&differences(&mut rng, cost, |now| now as u64));
            assert_eq!(found.and_then(|found| found.tick), None, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_loop_of_constant_length_is_not_taken_for_a_tick() {
        let mut rng = Rng::with_seed(6);
        // 20 to 22 units, with interrupts; two modes; and three at random distances.
        let near: Vec<u64> = (0..400).map(|_| rng.u64(20..23)).collect();
        assert_eq!(tick(&near), None);
        for _ in 0..200 {
            let modes = [rng.u64(10..60), rng.u64(10..90), rng.u64(10..120)];
            let some: Vec<u64> = (0..400).map(|_| modes[rng.usize(0..3)] + rng.u64(0..2)).collect();
            assert_eq!(tick(&some), None, "{modes:?}");
        }
    }

    #[test]
    fn edge_cases_have_no_tick() {
        assert_eq!(period_structure(&[]), None);
        assert_eq!(period_structure(&[0; 500]), None);
        assert_eq!(period_structure(&[1; 500]), None);
        assert_eq!(period_structure(&[100; 20]), None);
        assert_eq!(tick(&[u64::MAX; 500]), None);
        let mut rng = Rng::with_seed(7);
        let wild: Vec<u64> = (0..500).map(|_| rng.u64(..)).collect();
        assert_eq!(tick(&wild), None);
    }
}

#[cfg(test)]
mod recurrence_tests {
    use super::*;

    /// Events at random times, about this many per millisecond, for this many milliseconds.
    fn random(rng: &mut fastrand::Rng, per_ms: f64, ms: f64) -> Vec<f64> {
        let mut now = 0.0;
        let times = std::iter::from_fn(|| {
            now += -(1.0 - rng.f64()).ln() / per_ms;
            (now < ms).then_some(now)
        });
        times.collect()
    }

    #[test]
    fn a_timer_is_recognised_among_other_events_and_only_at_its_own_period() {
        let mut rng = fastrand::Rng::with_seed(1);
        for true_period in [0.9765625, 1.0, 10.0 / 3.0, 4.0, 10.0, 15.625] {
            // A clock that is 50 ppm off, ticks that are late by up to 3 %, and one in five too
            // short to be seen.
            let mut times: Vec<f64> = (0..200)
                .filter(|at| at % 5 != 0)
                .map(|at| (f64::from(at) + 0.03 * rng.f64()) * true_period * 1.000_05 + 7.3)
                .collect();
            times.extend(random(&mut rng, 0.3 / true_period, 200.0 * true_period));
            times.sort_unstable_by(f64::total_cmp);
            let found = recurrence(&times, true_period).expect("the timer");
            assert!((150..=165).contains(&found.count), "{found:?}");
            assert!(found.count <= found.periods && found.periods <= 207, "{found:?}");
            assert!(found.chance < 1e-9, "{found:?}");
            for other in [0.5, 0.25, 0.1, 0.31, 1.7] {
                let wrong = recurrence(&times, true_period * other);
                assert!(wrong.is_none_or(|it| it.chance > 1e-3), "{other} {wrong:?}");
            }
        }
    }

    #[test]
    fn random_events_seldom_seem_to_recur() {
        let mut rng = fastrand::Rng::with_seed(2);
        let mut named = 0;
        let mut tried = 0;
        for per_period in [0.3, 0.6, 1.0, 3.0, 10.0, 100.0] {
            for _ in 0..200 {
                let times = random(&mut rng, per_period, 100.0);
                named += u32::from(recurrence(&times, 1.0).is_some_and(|it| it.chance < 1e-3));
                tried += 1;
            }
        }
        assert!(named <= 2, "{named} of {tried}");
    }

    #[test]
    fn bursts_do_not_count_as_a_period() {
        let mut rng = fastrand::Rng::with_seed(3);
        let bursts = random(&mut rng, 0.8, 100.0);
        let times: Vec<f64> = bursts
            .iter()
            .flat_map(|start| (0..30).map(move |at| start + f64::from(at) * 1e-3))
            .collect();
        let found = recurrence(&times, 1.0);
        assert!(found.is_none_or(|it| it.chance > 1e-3), "{found:?}");
    }

    #[test]
    fn no_events_and_no_period_are_no_recurrence() {
        let times: Vec<f64> = (0..100).map(f64::from).collect();
        for (times, period) in [(&times[..0], 1.0), (&times[..5], 1.0), (&times, 0.0)] {
            assert_eq!(recurrence(times, period), None);
        }
        assert_eq!(recurrence(&times, f64::NAN), None);
        assert_eq!(recurrence(&[f64::INFINITY; 50], 1.0), None);
        assert!(recurrence(&times, 1.0).is_some());
    }

    #[test]
    fn the_survival_function_is_that_of_the_gamma_distribution() {
        assert!((gamma_survival(1, 3.0) - (-3.0f64).exp()).abs() < 1e-12);
        // e^-9.2 (1 + 9.2 + 9.2^2 / 2 + 9.2^3 / 6)
        assert!((gamma_survival(4, 9.2) - 0.018_418).abs() < 1e-4);
        assert!(gamma_survival(3, 0.0) == 1.0 && gamma_survival(900, 5000.0) < 1e-300);
    }
}

#[cfg(test)]
mod periodicity_tests {
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
