//! Opens every clock and prints its value and a first idea of its cost, or why it cannot be read
//! here: what to run first on a new system.

use chronoscope_probes::clocks::{ALL, Entry, Reader};
use std::time::Instant;

/// Reads in a batch, and batches of which the quickest counts.
const READS: u64 = 2000;
const BATCHES: u32 = 50;

fn main() {
    for entry in ALL {
        match (entry.open)() {
            Ok(reader) => println!("{:<44} {}", entry.id, describe(entry, &reader)),
            Err(reason) => println!("{:<44} -- {reason}", entry.id),
        }
    }
}

fn describe(entry: &Entry, reader: &Reader) -> String {
    let empty = quickest(chronoscope_probes::clocks::empty(entry.language).throughput);
    let throughput = quickest(reader.throughput) - empty;
    let latency = quickest(reader.latency) - empty;
    let nominal = reader
        .nominal_ns
        .map_or(String::from("-"), |ns| format!("{ns} ns"));
    format!(
        "{:>20} {:?} nominal {nominal}, {throughput:.1} ns, ordered {latency:.1} ns",
        reader.value(),
        reader.unit
    )
}

fn quickest(batch: chronoscope_probes::clocks::Batch) -> f64 {
    (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            batch(READS);
            start.elapsed().as_nanos() as f64 / READS as f64
        })
        .fold(f64::INFINITY, f64::min)
}
