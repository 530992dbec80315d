//! One read of every library, and a start with its elapsed time.

use std::hint::black_box;
use std::time::Duration;

use chronoscope::witness::{Level, Witness};
use chronoscope::{Instant, counter};

use crate::interleave::{Cost, Entry, compare};

/// An entry whose batch repeats one expression.
macro_rules! entry {
    ($name:literal, $call:expr) => {
        Entry {
            name: $name,
            batch: |calls| {
                for _ in 0..calls {
                    black_box($call);
                }
            },
        }
    };
}

/// One read of each clock, compared with the bare instruction.
pub fn single(rounds: usize, calls: u32) -> Vec<Cost> {
    let _ = chronoscope::Clock::global().describe();
    let entries = [
        entry!("bare counter", counter::now()),
        entry!("chronoscope Instant::now", Instant::now()),
        entry!("chronoscope Wall::now", chronoscope::Wall::now()),
        entry!("quanta Instant::now", quanta::Instant::now()),
        entry!("minstant Instant::now", minstant::Instant::now()),
        entry!("fastant Instant::now", fastant::Instant::now()),
        entry!("std Instant::now", std::time::Instant::now()),
        entry!("std SystemTime::now", std::time::SystemTime::now()),
        entry!("coarsetime Instant::now", coarsetime::Instant::now()),
    ];
    compare(&entries, rounds, calls)
}

/// The ordered read, compared with the bare fenced instruction.
pub fn ordered(rounds: usize, calls: u32) -> Vec<Cost> {
    let entries = [
        entry!("bare ordered counter", counter::now_ordered()),
        entry!("chronoscope Instant::now_ordered", Instant::now_ordered()),
    ];
    compare(&entries, rounds, calls)
}

/// A start and the time since, compared with two bare reads.
pub fn elapsed(rounds: usize, calls: u32) -> Vec<Cost> {
    let entries = [
        entry!("two bare reads", (black_box(counter::now()), counter::now())),
        entry!("chronoscope elapsed_ns", black_box(Instant::now()).elapsed_ns()),
        entry!("chronoscope elapsed", black_box(Instant::now()).elapsed()),
        entry!("quanta elapsed", black_box(quanta::Instant::now()).elapsed()),
        entry!("minstant elapsed", black_box(minstant::Instant::now()).elapsed()),
        entry!("fastant elapsed", black_box(fastant::Instant::now()).elapsed()),
        entry!("std elapsed", black_box(std::time::Instant::now()).elapsed()),
        entry!("coarsetime elapsed", black_box(coarsetime::Instant::now()).elapsed()),
    ];
    compare(&entries, rounds, calls)
}

/// A start and the time since with its bound, compared with two bare ordered reads.
pub fn bounded(rounds: usize, calls: u32) -> Vec<Cost> {
    const RECENT: Duration = Duration::from_millis(10);
    let entries = [
        entry!(
            "two bare ordered reads",
            (black_box(counter::now_ordered()), counter::now_ordered())
        ),
        entry!(
            "chronoscope elapsed_bounded_within",
            black_box(Instant::now_ordered()).elapsed_bounded_within(RECENT)
        ),
        entry!("chronoscope elapsed_bounded", black_box(Instant::now_ordered()).elapsed_bounded()),
    ];
    compare(&entries, rounds, calls)
}

/// A piece of nothing with a witness, compared with two bare ordered reads.
pub fn witnessed(rounds: usize, calls: u32) -> Vec<Cost> {
    fn watch(level: Level, calls: u32) {
        let mut witness = Witness::new(level);
        for _ in 0..calls {
            witness.begin();
            black_box(witness.end());
        }
    }
    let entries = [
        entry!(
            "two bare ordered reads",
            (black_box(counter::now_ordered()), counter::now_ordered())
        ),
        Entry { name: "chronoscope Witness, marks", batch: |calls| watch(Level::Marks, calls) },
        Entry { name: "chronoscope Witness, entries", batch: |calls| watch(Level::Entries, calls) },
        Entry { name: "chronoscope Witness, gauges", batch: |calls| watch(Level::Gauges, calls) },
    ];
    compare(&entries, rounds, calls)
}
