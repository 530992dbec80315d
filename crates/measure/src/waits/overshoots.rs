//! How late the waits of a row ended, by the ruler and by the system's clock. One thread records
//! each wait here and nowhere else, and any other thread may read the records.
//!
//! [`Recorder`] is a histogram that one thread writes while any other may read it.
//!
//! The waiting thread must not stop for a reader of its results, and its records must survive
//! whatever happens to it. So the counts are atomics with a single writer, which costs a load, an
//! addition and a store, and no lock. The buckets are those of HdrHistogram for 1 ns to 1 h at
//! three digits, so that the two agree count by count.
//!
//! [`Ring`] keeps the last overshoots. One thread writes them, and any thread may read them.
//!
//! The waits of a row for a reader that takes them away while the row is measured: a ring with one
//! writer and one reader. The writer never waits for the reader, and counts what it cannot keep.

use chronoscope_model::histogram;
use chronoscope_model::waits::{ByClock, Overshoots, Spread};
use chronoscope_probes::waits::os;
use hdrhistogram::Histogram as Hdr;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize};

/// The records up to one moment: figures that can belong to the same waits.
pub(super) struct Recorded {
    pub(super) ruler: Overshoots,
    pub(super) clock: ByClock,
}

#[derive(Debug, Default)]
pub(super) struct Lateness {
    histogram: Recorder,
    ruler: LiveSpread,
    clock: LiveSpread,
    /// The number of waits whose recording has begun, and the number for which it has ended. The
    /// two differ while a wait is being recorded, which shows a reader that the spreads are
    /// changing.
    begun: AtomicU64,
    done: AtomicU64,
}

impl Lateness {
    /// Allocates all the memory that recording may need.
    pub(super) fn touch(&self) {
        self.histogram.touch();
    }

    /// Records a wait by its overshoots, each with the amount by which a wait may seem early
    /// without being early. Only for the thread that writes.
    #[inline]
    pub(super) fn record(&self, ruler: (i64, i64), clock: (i64, i64)) {
        let n = self.begun.load(Relaxed) + 1;
        self.begun.store(n, Relaxed);
        self.ruler.add(ruler);
        self.clock.add(clock);
        // A reader that sees the wait in the histogram also sees it in the spreads.
        self.histogram.add(u64::try_from(ruler.0).unwrap_or(0), 1);
        self.done.store(n, Release);
    }

    /// Takes over the records of an earlier run. Only for the thread that starts the others.
    pub(super) fn load(&self, histogram: &Hdr<u64>, ruler: &ByClock, clock: Option<&ByClock>) {
        let n = histogram.len();
        self.histogram.load(histogram);
        self.ruler.load(ruler, n);
        if let Some(clock) = clock {
            self.clock.load(clock, n);
        }
        self.begun.store(n, Relaxed);
        self.done.store(n, Release);
    }

    pub(super) fn samples(&self) -> u64 {
        self.done.load(Acquire)
    }

    /// The largest overshoot by the ruler; 0 if there are no waits.
    pub(super) fn max_ns(&self) -> i64 {
        let max_ns = self.ruler.max.load(Acquire);
        if max_ns == i64::MIN { 0 } else { max_ns }
    }

    pub(super) fn add_to(&self, histogram: &mut Hdr<u64>) {
        self.histogram.add_to(histogram);
    }

    /// Returns the records so far. The spreads are read after the histogram, so they include all
    /// its waits even if more waits are recorded meanwhile.
    pub(super) fn read(&self) -> Recorded {
        let histogram = self.histogram.histogram();
        loop {
            let n = self.done.load(Acquire);
            let [spread, clock] =
                [&self.ruler, &self.clock].map(|spread| spread.read(n, histogram.len()));
            if self.begun.load(Relaxed) == n {
                let clock = clock.by_clock(os::CLOCK);
                return Recorded { ruler: Overshoots { histogram, spread }, clock };
            }
        }
    }
}

/// The smallest overshoot, the largest and the sum, by one clock. Its loads and stores are ordered
/// between those of the two counts around them.
#[derive(Debug)]
struct LiveSpread {
    min: AtomicI64,
    max: AtomicI64,
    sum: AtomicI64,
    early: AtomicU64,
    /// The value that the squares are about, near the mean so that nothing is lost to rounding: the
    /// first one, or the mean of an earlier run.
    centre: AtomicI64,
    /// The sum of the squares about the centre, as the bits of an f64; NaN if not known.
    squares: AtomicU64,
}

impl Default for LiveSpread {
    fn default() -> Self {
        let [min, max, sum, centre] = [i64::MAX, i64::MIN, 0, 0].map(AtomicI64::new);
        let [early, squares] = [0, 0].map(AtomicU64::new);
        Self { min, max, sum, early, centre, squares }
    }
}

impl LiveSpread {
    #[inline]
    fn add(&self, (ns, tolerance): (i64, i64)) {
        // Branches, because a new extreme is rare and a predicted branch costs nothing.
        if self.min.load(Relaxed) == i64::MAX {
            self.centre.store(ns, Release);
        }
        let off = ns.wrapping_sub(self.centre.load(Relaxed)) as f64;
        let squares = f64::from_bits(self.squares.load(Relaxed)) + off * off;
        self.squares.store(squares.to_bits(), Release);
        if ns < self.min.load(Relaxed) {
            self.min.store(ns, Release);
        }
        if ns > self.max.load(Relaxed) {
            self.max.store(ns, Release);
        }
        self.sum.store(self.sum.load(Relaxed).wrapping_add(ns), Release);
        if ns < -tolerance {
            self.early.store(self.early.load(Relaxed) + 1, Release);
        }
    }

    fn load(&self, from: &ByClock, n: u64) {
        if n > 0 {
            self.min.store(from.min_ns, Release);
            self.max.store(from.max_ns, Release);
            self.sum.store((from.mean_ns * n as f64) as i64, Release);
            self.early.store(from.early, Release);
            self.centre.store(from.mean_ns as i64, Release);
            let std_dev = if n == 1 { Some(0.0) } else { from.std_dev_ns }; // one has no spread
            let variance = std_dev.map_or(f64::NAN, |std_dev| std_dev * std_dev);
            self.squares.store((variance * n as f64).to_bits(), Release);
        }
    }

    /// Returns the figures of `n` waits, of which a histogram holds `held`.
    fn read(&self, n: u64, held: u64) -> Spread {
        let mean_ns = self.sum.load(Acquire) as f64 / n.max(1) as f64;
        let off = mean_ns - self.centre.load(Acquire) as f64;
        let mean_square = f64::from_bits(self.squares.load(Acquire)) / n.max(1) as f64;
        Spread {
            samples: n,
            early: self.early.load(Acquire).min(held),
            min_ns: self.min.load(Acquire),
            max_ns: self.max.load(Acquire),
            mean_ns,
            squares: (mean_square - off * off) * n as f64,
        }
    }
}

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

    /// Records a time in nanoseconds, `n` times. Only for the thread that writes.
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

/// The number of overshoots that are returned.
const LAST: u64 = 1000;
/// The number of overshoots that are kept: a power of two, so that the position of one is found
/// without a division.
const KEPT: usize = (LAST as usize).next_power_of_two();

pub(super) struct Ring {
    overshoots: Box<[AtomicI64; KEPT]>,
    written: AtomicU64,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            overshoots: Box::new([const { AtomicI64::new(0) }; KEPT]),
            written: AtomicU64::new(0),
        }
    }
}

impl Ring {
    #[inline]
    pub(super) fn push(&self, ns: i64) {
        let n = self.written.load(Relaxed);
        self.overshoots[n as usize % KEPT].store(ns, Relaxed);
        self.written.store(n + 1, Relaxed);
    }

    /// Returns the last overshoots, oldest first.
    pub(super) fn last(&self) -> Vec<i64> {
        let n = self.written.load(Relaxed);
        (n.saturating_sub(LAST)..n)
            .map(|i| self.overshoots[i as usize % KEPT].load(Relaxed))
            .collect()
    }

    pub(super) fn newest(&self) -> Option<i64> {
        let n = self.written.load(Relaxed).checked_sub(1)?;
        Some(self.overshoots[n as usize % KEPT].load(Relaxed))
    }
}

/// The places of a ring hold the waits of this time, in nanoseconds, many times that between two
/// readings, but not fewer or more than these.
const HELD_NS: u64 = 4_000_000_000;
const PLACES: RangeInclusive<u64> = 1 << 10..=1 << 14;
/// A CPU that no system has.
const NO_CPU: usize = usize::MAX;

/// A wait that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// When, by the clock that timers run on.
    pub(super) end: u64,
    /// The overshoot by the ruler.
    pub(super) late: i64,
}

/// A place, half a cache line, so that no record lies in two.
#[derive(Debug)]
#[repr(align(32))]
struct Place {
    end: AtomicU64,
    late: AtomicI64,
}

/// A count that one side writes, in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicU64);

#[derive(Debug)]
pub(super) struct Records {
    places: Box<[Place]>,
    written: Count,
    taken: Count,
    dropped: AtomicU64,
    /// How often the writer was found on another CPU than before, and the last one.
    moved: AtomicU64,
    cpu: AtomicUsize,
}

impl Records {
    /// A ring for waits that end this often, in nanoseconds.
    pub(super) fn new(every_ns: u64) -> Self {
        let places = (HELD_NS / every_ns.max(1)).clamp(*PLACES.start(), *PLACES.end());
        // Memory that is written here is there when the first waits end; zeros might not be.
        let place = || Place { end: AtomicU64::new(0), late: AtomicI64::new(-1) };
        Self {
            // A power of two, so that the place of a record is found without a division.
            places: std::iter::repeat_with(place)
                .take(places.next_power_of_two() as usize)
                .collect(),
            written: Count::default(),
            taken: Count::default(),
            dropped: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            cpu: AtomicUsize::new(NO_CPU),
        }
    }

    fn place(&self, n: u64) -> &Place {
        &self.places[n as usize & (self.places.len() - 1)]
    }

    /// Adds a record, if there is room. Only for the thread that writes.
    #[inline]
    pub(super) fn push(&self, record: Record) {
        let n = self.written.0.load(Relaxed);
        if n.wrapping_sub(self.taken.0.load(Acquire)) >= self.places.len() as u64 {
            self.dropped.fetch_add(1, Relaxed);
            return;
        }
        let place = self.place(n);
        place.end.store(record.end, Relaxed);
        place.late.store(record.late, Relaxed);
        self.written.0.store(n + 1, Release);
    }

    /// Takes all records away, oldest first. Only for the thread that reads.
    pub(super) fn take(&self, mut each: impl FnMut(Record)) {
        let (from, to) = (self.taken.0.load(Relaxed), self.written.0.load(Acquire));
        for n in from..to {
            let place = self.place(n);
            each(Record { end: place.end.load(Relaxed), late: place.late.load(Relaxed) });
        }
        self.taken.0.store(to, Release);
    }

    /// The records that there was no room for since the last call.
    pub(super) fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Relaxed)
    }

    /// Notes the CPU on which the writer runs. Only for the thread that writes.
    pub(super) fn is_on(&self, cpu: Option<usize>) {
        let cpu = cpu.unwrap_or(NO_CPU);
        let before = self.cpu.swap(cpu, Relaxed);
        if before != cpu && before != NO_CPU && cpu != NO_CPU {
            self.moved.fetch_add(1, Relaxed);
        }
    }

    /// How often the writer has moved since the last call.
    pub(super) fn take_moved(&self) -> u64 {
        self.moved.swap(0, Relaxed)
    }
}

#[cfg(test)]
mod lateness_tests {
    use super::*;

    #[test]
    fn the_standard_deviation_is_exact_far_from_zero_and_survives_a_run_that_continues() {
        let lateness = Lateness::default();
        // By the definition: values of 1 h, plus 0 to 9 us, have one of 2.872 us.
        let far = i64::try_from(LONGEST).expect("an hour");
        (0..1000).for_each(|n| lateness.record((far + n % 10 * 1000, 0), (n % 2, 0)));
        let figures = |lateness: &Lateness| lateness.read().ruler.spread.by_clock("");
        let (ruler, Recorded { ruler: Overshoots { histogram, .. }, clock }) =
            (figures(&lateness), lateness.read());
        let near = |of: &ByClock, ns: f64| (of.std_dev_ns.expect("known") - ns).abs() < 0.01;
        assert!(near(&ruler, 8.25e6_f64.sqrt()) && near(&clock, 0.5), "{ruler:?} {clock:?}");
        let later = Lateness::default();
        later.load(&histogram, &ruler, Some(&clock));
        assert_eq!(figures(&later).std_dev_ns, ruler.std_dev_ns);
        // An earlier version did not store it.
        let older = Lateness::default();
        older.load(&histogram, &ByClock { std_dev_ns: None, ..ruler }, Some(&clock));
        older.record((far, 0), (0, 0));
        assert_eq!(figures(&older).std_dev_ns, None);
        // One wait has none, but a run that goes on from it has.
        let (one, later) = (Lateness::default(), Lateness::default());
        one.record((far, 0), (0, 0));
        assert_eq!(figures(&one).std_dev_ns, None);
        later.load(&one.read().ruler.histogram, &figures(&one), None);
        later.record((far + 10, 0), (0, 0));
        assert_eq!(figures(&later).std_dev_ns, Some(5.0));
    }

    #[test]
    fn what_is_read_while_waits_are_recorded_can_belong_to_the_same_waits() {
        const WAITS: u64 = 200_000;
        let lateness = Lateness::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..WAITS as i64 {
                    lateness.record((n - 50, 100), (-n, 0));
                }
            });
            loop {
                let Recorded { ruler: Overshoots { histogram, spread }, clock } = lateness.read();
                let ruler = spread.by_clock("");
                for of in [&ruler, &clock] {
                    let ends = of.min_ns as f64..=of.max_ns as f64;
                    assert!(ends.contains(&of.mean_ns) && of.early <= histogram.len(), "{of:?}");
                }
                assert!(ruler.max_ns as u64 >= histogram.lowest_equivalent(histogram.max()));
                if histogram.len() == WAITS {
                    assert_eq!((ruler.max_ns, clock.min_ns), (WAITS as i64 - 51, 1 - WAITS as i64));
                    break;
                }
            }
        });
    }
}

#[cfg(test)]
mod recorder_tests {
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
                recorder.add(value, 1);
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
                plain.add(next, 1);
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

#[cfg(test)]
mod ring_tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_last_thousand_in_order() {
        let ring = Ring::default();
        assert_eq!((ring.last(), ring.newest()), (vec![], None));
        for n in 0..2500 {
            ring.push(n);
        }
        assert_eq!(ring.last(), (1500..2500).collect::<Vec<_>>());
        assert_eq!(ring.newest(), Some(2499));
    }
}

#[cfg(test)]
mod records_tests {
    use super::*;

    fn nth(n: u64) -> Record {
        Record { end: n, late: -(n as i64) }
    }

    fn taken(records: &Records) -> Vec<Record> {
        let mut all = Vec::new();
        records.take(|record| all.push(record));
        all
    }

    #[test]
    fn a_full_ring_keeps_what_it_has_and_counts_the_rest() {
        let (records, least) = (Records::new(u64::MAX), *PLACES.start());
        (0..least + 10).for_each(|n| records.push(nth(n)));
        assert_eq!((records.take_dropped(), records.take_dropped()), (10, 0));
        assert_eq!(taken(&records), (0..least).map(nth).collect::<Vec<_>>());
        // There is room again, across the end of the places.
        (0..5).for_each(|n| records.push(nth(n)));
        assert_eq!(taken(&records), (0..5).map(nth).collect::<Vec<_>>());
        assert_eq!((taken(&records), records.take_dropped()), (vec![], 0));
    }

    #[test]
    fn a_reader_next_to_the_writer_gets_each_record_once_and_whole() {
        const WAITS: u64 = 300_000;
        let records = Records::new(0);
        let mut next = 0;
        let dropped = std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..WAITS).for_each(|n| records.push(nth(n))));
            let mut dropped = 0;
            loop {
                let done = writer.is_finished();
                records.take(|record| {
                    assert!(record.end >= next && record == nth(record.end), "{record:?}");
                    dropped += record.end - next;
                    next = record.end + 1;
                });
                if done {
                    return dropped + WAITS - next;
                }
            }
        });
        assert_eq!(records.take_dropped(), dropped);
    }

    #[test]
    fn a_move_is_counted_once_and_an_unknown_cpu_is_none() {
        let records = Records::new(0);
        for cpu in [None, Some(1), Some(1), Some(0), None, Some(0), Some(1)] {
            records.is_on(cpu);
        }
        assert_eq!((records.take_moved(), records.take_moved()), (2, 0));
    }
}
