//! Opens every clock and prints its value and a rough cost, or why it cannot be read. Run this
//! first on a new system.

use chronoscope_probes::clocks::{ALL, Entry, Opening, Reader, empty};
use std::time::Instant;

/// The reads per batch, and the number of batches, of which the fastest counts.
const READS: u64 = 2000;
const BATCHES: u32 = 50;

fn main() {
    for entry in ALL {
        match entry.open(Opening::Checked) {
            Ok(mut reader) => println!("{:<44} {}", entry.id, describe(entry, &mut reader)),
            Err(reason) => println!("{:<44} -- {reason}", entry.id),
        }
    }
}

fn describe(entry: &Entry, reader: &mut Reader) -> String {
    let mut empty = empty(entry.language);
    let empty = quickest(|n| empty.throughput(0, n));
    let throughput = quickest(|n| reader.throughput(0, n)) - empty;
    let latency = quickest(|n| reader.latency(0, n)) - empty;
    let nominal = reader.nominal_ns.map_or(String::from("-"), |ns| format!("{ns} ns"));
    format!(
        "{:>20} {:?} nominal {nominal}, {throughput:.1} ns, ordered {latency:.1} ns",
        reader.value(),
        reader.unit
    )
}

fn quickest(mut batch: impl FnMut(u64)) -> f64 {
    (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            batch(READS);
            start.elapsed().as_nanos() as f64 / READS as f64
        })
        .fold(f64::INFINITY, f64::min)
}
