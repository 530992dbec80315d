//! A histogram that one thread writes while any other may read it.
//!
//! The waiting thread must not stop for a reader of its results, and its records must survive
//! whatever happens to it. So the counts are atomics with a single writer, which costs a load, an
//! addition and a store, and no lock. The buckets are those of HdrHistogram for 1 ns to 1 h at
//! three digits, so that the two agree count by count.

use chronoscope_model::histogram;
use hdrhistogram::Histogram as Hdr;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The buckets per power of two: half of the 2,048 that three digits need (HdrHistogram,
/// AbstractHistogram.java, `subBucketCount`).
const HALF: usize = 1024;
const HALF_BITS: u32 = HALF.trailing_zeros();
/// The longest time; longer ones count as this.
pub(super) const LONGEST: u64 = histogram::LONGEST;
/// The number of halves up to the longest time.
const HALVES: usize = index(LONGEST) / HALF + 1;

/// Returns the bucket of a value: the first 2,048 buckets hold one value each, and with each
/// further power of two they hold twice as many.
const fn index(value: u64) -> usize {
    let shift = ((2 * HALF as u64 - 1) | value).ilog2() - HALF_BITS;
    ((shift as usize) << HALF_BITS) + (value >> shift) as usize
}

const fn lowest(index: usize) -> u64 {
    let shift = (index >> HALF_BITS).saturating_sub(1) as u32;
    ((index - ((shift as usize) << HALF_BITS)) as u64) << shift
}

type Half = [AtomicU64; HALF];

/// The counts. A half is allocated when its first value is recorded, so that the memory of a
/// recorder depends on the spread of its values: about 30 KiB, and at most 264 KiB.
#[derive(Debug)]
pub(super) struct Recorder {
    halves: [OnceLock<Box<Half>>; HALVES],
}

impl Default for Recorder {
    fn default() -> Self {
        Self { halves: [const { OnceLock::new() }; HALVES] }
    }
}

fn half() -> Box<Half> {
    Box::new([const { AtomicU64::new(0) }; HALF])
}

impl Recorder {
    /// Allocates everything at once, so that no memory is requested later.
    pub(super) fn touch(&self) {
        for place in &self.halves {
            place.get_or_init(half);
        }
    }

    /// Records a time in nanoseconds. Only for the thread that writes.
    #[inline]
    pub(super) fn record(&self, ns: u64) {
        self.add(ns, 1);
    }

    /// Records a time `n` times. Only for the thread that writes.
    #[inline]
    pub(super) fn add(&self, ns: u64, n: u64) {
        let index = index(ns.min(LONGEST));
        let half = self.halves[index >> HALF_BITS].get_or_init(half);
        let count = &half[index & (HALF - 1)];
        count.store(count.load(Relaxed).saturating_add(n), Release);
    }

    /// Records the lateness for each deadline of a grid that passed while the thread was late for
    /// another one by `late`. Returns the number of these deadlines.
    pub(super) fn record_missed(&self, late: u64, period: u64) -> u64 {
        histogram::missed(late, period, |ns| lowest(index(ns)), |ns, n| self.add(ns, n))
    }

    /// Takes over the counts of a histogram in a report.
    pub(super) fn load(&self, hdr: &Hdr<u64>) {
        for value in hdr.iter_recorded() {
            self.add(value.value_iterated_to(), value.count_at_value());
        }
    }

    /// Returns the counts that are not zero, each with the lowest value of its bucket.
    fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        let halves = self.halves.iter().enumerate();
        let places = halves.filter_map(|(i, half)| Some((i << HALF_BITS, half.get()?)));
        let counts = places.flat_map(|(first, half)| (first..).zip(half.iter()));
        counts.map(|(i, count)| (lowest(i), count.load(Acquire))).filter(|(_, count)| *count > 0)
    }

    /// The number of recorded values.
    pub(super) fn len(&self) -> u64 {
        self.counts().fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    pub(super) fn add_to(&self, hdr: &mut Hdr<u64>) {
        self.counts().for_each(|(value, count)| hdr.saturating_record_n(value, count));
    }

    pub(super) fn histogram(&self) -> Hdr<u64> {
        let mut hdr = histogram::empty();
        self.add_to(&mut hdr);
        hdr
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::histogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use proptest::prelude::*;

    fn times() -> impl Strategy<Value = u64> {
        // As many small values as large ones, because the buckets grow with the value.
        (0..=62u32, any::<u64>()).prop_map(|(bits, n)| n >> (63 - bits))
    }

    proptest! {
        #[test]
        fn it_agrees_with_hdrhistogram_to_the_bucket(
            values in prop::collection::vec(times(), 0..300),
        ) {
            let recorder = Recorder::default();
            let mut hdr = histogram::empty();
            for &value in &values {
                recorder.record(value);
                // The library accepts slightly more than the range, the recorder does not.
                hdr.saturating_record(value.min(LONGEST));
            }
            prop_assert_eq!(recorder.len(), values.len() as u64);
            prop_assert!(recorder.histogram() == hdr);
            // The counts also pass through the format, whose own reader accepts them.
            let encoded = Histogram::of(&recorder.histogram());
            prop_assert!(encoded.decode().expect("own text") == hdr);
            let mut plain = Vec::new();
            hdrhistogram::serialization::Serializer::serialize(
                &mut hdrhistogram::serialization::V2Serializer::new(),
                &recorder.histogram(),
                &mut plain,
            )
            .expect("room");
            let read: Hdr<u64> = Deserializer::new()
                .deserialize(&mut plain.as_slice())
                .expect("own bytes");
            for percentile in [0.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
                prop_assert_eq!(
                    read.value_at_percentile(percentile),
                    hdr.value_at_percentile(percentile)
                );
            }
        }

        #[test]
        fn a_bucket_begins_where_the_previous_one_ends(value in times()) {
            let value = value.min(LONGEST);
            let i = index(value);
            prop_assert!(lowest(i) <= value && index(lowest(i)) == i);
            prop_assert!(value < lowest(i + 1));
            prop_assert_eq!(histogram::empty().lowest_equivalent(value), lowest(i));
        }

        #[test]
        fn missed_deadlines_agree_with_a_plain_loop(
            late in 0..50_000_000u64,
            period in 1_000..9_000_000u64,
        ) {
            let (fast, plain) = (Recorder::default(), Recorder::default());
            let mut n = 0;
            let mut next = late;
            while next >= period {
                next -= period;
                plain.record(next);
                n += 1;
            }
            prop_assert_eq!(fast.record_missed(late, period), n);
            prop_assert!(fast.histogram() == plain.histogram());
        }
    }

    #[test]
    fn a_stall_of_years_is_recorded_at_once() {
        let recorder = Recorder::default();
        assert_eq!(recorder.record_missed(u64::MAX, 1), u64::MAX);
        assert_eq!(recorder.record_missed(5, 0), 0);
    }

    #[test]
    fn what_was_written_can_be_taken_over() {
        let (first, second) = (Recorder::default(), Recorder::default());
        for ns in [0, 1, 2047, 2048, 55_555, u64::MAX] {
            first.add(ns, ns % 5 + 1);
        }
        second.load(&first.histogram());
        assert!(first.histogram() == second.histogram());
    }
}
