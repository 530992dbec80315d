//! The overhead of timing on this machine, as a ratio to the cost of the reads that cause it.
#![cfg(unix)]

use chronoscope_measure::engine::schedule::Interrupt;
use chronoscope_measure::engine::{Batches, Machine, Mode, Offer, Ruler, Timed};
use chronoscope_measure::loops::measure_overhead;
use chronoscope_probes::clocks;
use std::time::Duration;

/// The overhead divided by the cost of two reads.
fn ratio(id: &str) -> Option<f64> {
    let offer = Offer::clock(clocks::find(id)?).ok()?;
    let ruler = Ruler::new(None, Duration::from_millis(20));
    let mut host = Machine::new(ruler, vec![offer], Interrupt::default());
    // The samples take some microseconds, and nothing interrupts most of them even on a busy
    // machine.
    let shape = [600, 20, 999];
    let longest = Duration::from_secs(5);
    let found = measure_overhead(&mut host, 0, shape, longest, 1, |_| ())?;
    let mut costs: Vec<u64> =
        (0..300).map(|_| host.batch(0, Mode::Throughput, 128).ticks).collect();
    costs.sort_unstable();
    let read_ns = costs[costs.len() / 2] as f64 / 128.0 / host.hz() * 1e9;
    Some(found.overhead.median_ns / (2.0 * read_ns))
}

/// The loops of C are compiled in every profile as in a release. A sum that is compiled differently
/// with reads next to it differs by several times their cost.
#[test]
fn timing_a_loop_adds_about_two_reads() {
    // On a shared core tries are disturbed as long as others run.
    let mut tries = Vec::new();
    while tries.len() < 50 {
        let Some(ratio) = ratio("posix/monotonic") else { return };
        if (0.4..1.8).contains(&ratio) {
            return;
        }
        tries.push(ratio);
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{tries:?}");
}
