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

    /// The share of the values that are at most this.
    pub const fn share(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P90 => 0.9,
            Self::P99 => 0.99,
            Self::P999 => 0.999,
        }
    }

    /// Its name, as screens show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }

    /// The size of the smallest sample that supports it: the smallest n for which `1 - p^n -
    /// (1-p)^n` is at least 0.95.
    pub const fn least(self) -> u64 {
        match self {
            Self::P50 => 6,
            Self::P90 => 29,
            Self::P99 => 299,
            Self::P999 => 2995,
        }
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

impl Quantile {
    /// A percentile of a histogram; absent if there are too few values for an interval.
    pub fn of(hdr: &Hdr<u64>, percentile: Percentile) -> Option<Self> {
        let (low, high) = ranks(hdr.len(), percentile)?;
        let n = hdr.len() as f64;
        // The value of a rank is that of a share which ends in the middle of it.
        let at = |rank: u64| hdr.value_at_quantile((rank as f64 - 0.5) / n);
        Some(Self {
            value: hdr.value_at_quantile(percentile.share()),
            low: at(low),
            high: at(high),
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
    fn intervals_cover_the_quantile_as_often_as_they_claim() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            // Marsaglia, Xorshift RNGs (2003).
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % 1000 + 1
        };
        for (percentile, n) in [
            (Percentile::P50, 30),
            (Percentile::P90, 40),
            (Percentile::P99, 400),
        ] {
            let truth = (percentile.share() * 1000.0) as u64;
            let mut hits = 0;
            for _ in 0..1000 {
                let mut hdr = histogram::empty();
                (0..n).for_each(|_| hdr.saturating_record(next()));
                let found = Quantile::of(&hdr, percentile).expect("enough");
                assert!(
                    found.low <= found.value && found.value <= found.high,
                    "{found:?}"
                );
                hits += u32::from((found.low..=found.high).contains(&truth));
            }
            assert!(hits >= 930, "{percentile:?}: {hits}");
        }
    }
}
