//! The waits of a row for a reader that takes them away while the row is measured: a ring with one
//! writer and one reader. The writer never waits for the reader, and counts what it cannot keep.

use std::ops::RangeInclusive;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize};

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
mod tests {
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
