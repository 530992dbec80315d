//! Which percentiles a sample supports, and how certain they are.
//!
//! Nothing is assumed of the distribution: the interval of a quantile goes from one order statistic
//! of the sample to another (David and Nagaraja, Order Statistics, 3rd edition, 7.1). It exists
//! only if the sample is large enough that its smallest and its largest value enclose the quantile
//! with that probability (Wilks 1941, Annals of Mathematical Statistics 12, 91-96). A percentile
//! without an interval is not reported.

use hdrhistogram::Histogram as Hdr;

/// The probability that an interval misses its quantile.
const MISS: f64 = 0.05;

/// Up to this many values the ranks are those of the binomial distribution itself, and above it
/// those of its normal approximation.
const EXACT: u64 = 4096;
/// The normal distribution's 97.5th percentile.
const Z: f64 = 1.959_964;

/// A percentile that histograms are summarised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Percentile {
    /// The median.
    P50,
    /// The 90th.
    P90,
    /// The 99th.
    P99,
    /// The 99.9th.
    P999,
}

impl Percentile {
    /// All of them, lowest first.
    pub const ALL: [Self; 4] = [Self::P50, Self::P90, Self::P99, Self::P999];

    /// The share, the name and the least sample of each.
    const FACTS: [(f64, &str, u64); 4] =
        [(0.5, "p50", 6), (0.9, "p90", 29), (0.99, "p99", 299), (0.999, "p99.9", 2995)];

    /// The share of the values that are at most this.
    pub const fn share(self) -> f64 {
        Self::FACTS[self as usize].0
    }

    /// Its name, as screens show it.
    pub const fn name(self) -> &'static str {
        Self::FACTS[self as usize].1
    }

    /// The size of the smallest sample that supports it: the smallest n for which `1 - p^n -
    /// (1-p)^n` is at least 0.95.
    pub const fn least(self) -> u64 {
        Self::FACTS[self as usize].2
    }

    /// Whether a sample of this size supports it.
    pub const fn is_supported_by(self, count: u64) -> bool {
        count >= self.least()
    }
}

/// A quantile with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile {
    /// The quantile of the sample.
    pub value: u64,
    /// The lower end of the interval.
    pub low: u64,
    /// The upper end of the interval.
    pub high: u64,
}

/// The 95 % interval of a percentile, in nanoseconds.
#[record(Copy, Eq, !Default)]
pub struct Interval {
    /// Its lower end.
    pub low_ns: u64,
    /// Its upper end; absent if that is among the waits that were still in progress when the run
    /// ended, so that nobody knows it.
    pub high_ns: Option<u64>,
}

/// The 95 % intervals of the percentiles of a sample, each from one order statistic to another.
/// They hold for values that do not depend on each other; the intervals of values that resemble
/// those before them are rather too narrow.
#[record(Copy, Eq)]
pub struct Intervals {
    /// That of the median; absent, as the others, if there are too few values.
    pub p50: Option<Interval>,
    /// That of the 90th percentile.
    pub p90: Option<Interval>,
    /// That of the 99th percentile.
    pub p99: Option<Interval>,
    /// That of the 99.9th percentile.
    pub p999: Option<Interval>,
}

impl Intervals {
    /// Those of a histogram. `above` more values are known to lie above all others, and nothing
    /// else is known of them (right-censored values).
    pub fn of(hdr: &Hdr<u64>, above: u64) -> Self {
        let n = hdr.len();
        let of = |percentile| {
            let (low, high) = ranks(n.saturating_add(above), percentile)?;
            (low <= n).then(|| Interval {
                low_ns: at(hdr, low),
                high_ns: (high <= n).then(|| at(hdr, high)),
            })
        };
        Self {
            p50: of(Percentile::P50),
            p90: of(Percentile::P90),
            p99: of(Percentile::P99),
            p999: of(Percentile::P999),
        }
    }

    /// The interval of a percentile.
    pub fn get(&self, percentile: Percentile) -> Option<Interval> {
        [self.p50, self.p90, self.p99, self.p999][percentile as usize]
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same intervals with no end above the largest value, if that is known exactly: an end is
    /// the top of its bucket, which may lie above it.
    #[must_use]
    pub fn capped(mut self, largest_ns: u64) -> Self {
        let all = [&mut self.p50, &mut self.p90, &mut self.p99, &mut self.p999];
        for interval in all.into_iter().flatten() {
            interval.low_ns = interval.low_ns.min(largest_ns);
            interval.high_ns = interval.high_ns.map(|ns| ns.min(largest_ns));
        }
        self
    }
}

/// The value of a rank, from 1: that of the share which ends in the middle of it.
fn at(hdr: &Hdr<u64>, rank: u64) -> u64 {
    hdr.value_at_quantile((rank as f64 - 0.5) / hdr.len() as f64)
}

impl Quantile {
    /// A percentile of a histogram; absent if there are too few values for an interval.
    pub fn of(hdr: &Hdr<u64>, percentile: Percentile) -> Option<Self> {
        let (low, high) = ranks(hdr.len(), percentile)?;
        Some(Self {
            value: hdr.value_at_quantile(percentile.share()),
            low: at(hdr, low),
            high: at(hdr, high),
        })
    }
}

/// The ranks, from 1 to `n`, of the values that enclose a percentile with a probability of 95 %.
fn ranks(n: u64, percentile: Percentile) -> Option<(u64, u64)> {
    if !percentile.is_supported_by(n) {
        return None;
    }
    let p = percentile.share();
    if n > EXACT {
        let (mean, deviation) = (n as f64 * p, (n as f64 * p * (1.0 - p)).sqrt());
        let low = (mean - Z * deviation).floor().max(1.0);
        let high = (mean + Z * deviation).ceil() + 1.0;
        return Some((low as u64, (high as u64).min(n)));
    }
    // The number of values below the quantile is binomial. Each tail gets half of the probability
    // if that is possible, and otherwise the upper end is the largest value.
    let mut mass = n as f64 * (1.0 - p).ln();
    let (mut below, mut low, mut high) = (0.0, 1, n);
    for k in 0..n {
        below += mass.exp();
        if below <= MISS / 2.0 {
            low = k + 1;
        }
        if below >= 1.0 - MISS / 2.0 {
            high = k + 1;
            break;
        }
        mass += ((n - k) as f64 / (k + 1) as f64).ln() + (p / (1.0 - p)).ln();
    }
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram;

    #[test]
    fn a_percentile_is_supported_from_the_size_of_sample_that_encloses_it() {
        for percentile in Percentile::ALL {
            let p = percentile.share();
            let encloses = |n: u64| 1.0 - p.powf(n as f64) - (1.0 - p).powf(n as f64);
            let least = percentile.least();
            assert!(encloses(least) >= 1.0 - MISS, "{percentile:?}");
            assert!(encloses(least - 1) < 1.0 - MISS, "{percentile:?}");
            assert_eq!(ranks(least - 1, percentile), None);
            assert!(ranks(least, percentile).is_some());
        }
    }

    #[test]
    fn the_ranks_are_those_of_tables_and_continue_beyond_them() {
        // Conover, Practical Nonparametric Statistics, 3rd edition, table A3, for 20 values.
        assert_eq!(ranks(20, Percentile::P50), Some((6, 15)));
        assert_eq!(ranks(6, Percentile::P50), Some((1, 6)));
        for percentile in Percentile::ALL {
            let exact = ranks(EXACT, percentile).expect("enough");
            let normal = ranks(EXACT + 1, percentile).expect("enough");
            assert!(exact.0.abs_diff(normal.0) <= 2 && exact.1.abs_diff(normal.1) <= 2);
        }
        let (low, high) = ranks(1_000_000_000_000, Percentile::P999).expect("enough");
        assert!(low < high && high <= 1_000_000_000_000);
    }

    #[test]
    fn censored_values_leave_the_upper_end_open_where_they_may_be_it() {
        let mut hdr = histogram::empty();
        (1..=30).for_each(|ns| hdr.saturating_record(ns));
        let whole = Intervals::of(&hdr, 0);
        assert_eq!((whole.p99, whole.get(Percentile::P999)), (None, None));
        for percentile in [Percentile::P50, Percentile::P90] {
            let quantile = Quantile::of(&hdr, percentile).expect("enough");
            let interval = whole.get(percentile).expect("enough");
            assert_eq!((interval.low_ns, interval.high_ns), (quantile.low, Some(quantile.high)));
        }
        let cut = Intervals::of(&hdr, 1);
        assert_eq!(cut.p90.expect("enough").high_ns, None);
        assert!(cut.p50.expect("enough").high_ns.is_some());
        // So many that nothing is known.
        assert_eq!(Intervals::of(&hdr, 1_000).p90, None);
        assert!(Intervals::of(&histogram::empty(), u64::MAX).is_empty());
        let capped = whole.capped(28);
        assert_eq!(capped.p90.expect("enough").high_ns, Some(28));
    }

    #[test]
    fn intervals_cover_the_quantile_as_often_as_they_claim() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            // Marsaglia, Xorshift RNGs (2003).
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % 1000 + 1
        };
        for (percentile, n) in
            [(Percentile::P50, 30), (Percentile::P90, 40), (Percentile::P99, 400)]
        {
            let truth = (percentile.share() * 1000.0) as u64;
            let mut hits = 0;
            for _ in 0..1000 {
                let mut hdr = histogram::empty();
                (0..n).for_each(|_| hdr.saturating_record(next()));
                let found = Quantile::of(&hdr, percentile).expect("enough");
                assert!(found.low <= found.value && found.value <= found.high, "{found:?}");
                hits += u32::from((found.low..=found.high).contains(&truth));
            }
            assert!(hits >= 930, "{percentile:?}: {hits}");
        }
    }
}
