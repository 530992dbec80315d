//! When large differences between successive reads occur: at the period of a timer, or at random.

use crate::stats::recurrence::recurrence;
use chronoscope_model::deltas::Period;
use std::cmp::Ordering;

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
