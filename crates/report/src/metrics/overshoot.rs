//! A histogram of durations with classic and native buckets.

use std::collections::BTreeMap;

/// The upper bounds of the classic buckets, in seconds; one more holds the rest.
pub const BOUNDS: [f64; 13] =
    [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1];

/// Native buckets grow by a factor of 2^(1/8), so a quantile is known to 9 % (Prometheus,
/// "Native histograms", Schema).
pub const SCHEMA: i32 = 3;

/// Values up to this are counted as 0, in seconds: no clock here shows less than a nanosecond.
pub const ZERO: f64 = 1e-9;

/// How often durations of each size were seen.
#[derive(Clone, Debug, Default)]
pub struct Overshoot {
    /// In seconds.
    pub sum: f64,
    pub count: u64,
    classic: [u64; BOUNDS.len() + 1],
    /// How many were 0.
    pub zero: u64,
    /// By index: bucket i ends at 2^(i / 2^SCHEMA) seconds and holds its end.
    native: BTreeMap<i32, u64>,
}

impl Overshoot {
    /// Adds a duration that was seen `count` times. No more than 2^63 - 1 are counted in all: a
    /// file can claim more, and differences between counts are sent as signed numbers.
    pub fn add(&mut self, seconds: f64, count: u64) {
        let count = count.min(i64::MAX as u64 - self.count);
        self.sum += seconds * count as f64;
        self.count += count;
        self.classic[BOUNDS.partition_point(|&end| end < seconds)] += count;
        let native = if seconds <= ZERO {
            &mut self.zero
        } else {
            let index = (seconds.log2() * f64::from(1 << SCHEMA)).ceil() as i32;
            self.native.entry(index).or_default()
        };
        *native += count;
    }

    /// The classic buckets, each with its upper bound and the count of all up to that.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let ends = BOUNDS.into_iter().chain([f64::INFINITY]);
        ends.zip(self.classic).scan(0, |sum, (end, count)| {
            *sum += count;
            Some((end, *sum))
        })
    }

    /// The native buckets as Prometheus' metrics.proto has them: runs of successive buckets, each
    /// with its distance from the end of the run before, and the difference of each count from the
    /// one before. A histogram without any has one run of length 0, which tells it from a classic
    /// one.
    pub fn spans(&self) -> (Vec<(i32, u32)>, Vec<i64>) {
        let mut spans: Vec<(i32, u32)> = Vec::new();
        let mut deltas = Vec::with_capacity(self.native.len());
        let (mut next, mut before) = (0, 0);
        for (&index, &count) in &self.native {
            match spans.last_mut().filter(|_| index == next) {
                Some((_, length)) => *length += 1,
                None => spans.push((index - next, 1)),
            }
            next = index + 1;
            deltas.push(count as i64 - before);
            before = count as i64;
        }
        if spans.is_empty() {
            spans.push((0, 0));
        }
        (spans, deltas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_at_a_bound_is_in_the_bucket_that_ends_there() {
        let mut it = Overshoot::default();
        it.add(1e-3, 2);
        it.add(0.2, 1);
        it.add(0.0, 4);
        let up_to = |bound| it.cumulative().find(|&(end, _)| end == bound).map(|(_, n)| n);
        assert_eq!(up_to(5e-4), Some(4));
        assert_eq!(up_to(1e-3), Some(6));
        assert_eq!(up_to(f64::INFINITY), Some(7));
        assert_eq!((it.count, it.zero), (7, 4));
    }

    #[test]
    fn native_buckets_hold_their_value_and_add_up() {
        let mut it = Overshoot::default();
        let values = [1e-6, 1.01e-6, 5e-5, 5e-5, 0.03125, 0.5, 1.0, 3600.0];
        for value in values {
            it.add(value, 1);
            let index = *it.native.keys().max().expect("a value was added");
            let end = |index: i32| (f64::from(index) / 8.0).exp2();
            assert!(end(index - 1) < value && value <= end(index) * (1.0 + 1e-12), "{value}");
        }
        let (spans, deltas) = it.spans();
        assert_eq!(spans.iter().map(|&(_, length)| length as usize).sum::<usize>(), deltas.len());
        let counts = deltas.iter().scan(0, |count, delta| {
            *count += delta;
            Some(*count)
        });
        assert_eq!(counts.sum::<i64>(), values.len() as i64);
    }

    #[test]
    fn counts_without_measure_saturate() {
        let mut it = Overshoot::default();
        it.add(1e-3, u64::MAX);
        it.add(1e-3, u64::MAX);
        it.add(1e-6, 1);
        assert_eq!(it.cumulative().last(), Some((f64::INFINITY, i64::MAX as u64)));
        assert_eq!((it.count, it.spans().1), (i64::MAX as u64, vec![0, i64::MAX]));
    }
}
