//! Times every clock's loops in the simplest way, as a check of the measuring engine: batches
//! between two ordered reads of the counter, and the lowest and the median batch in ns per read.
//! The cost of the empty loops is shown, not subtracted.

use chronoscope::counter;
use chronoscope_probes::clocks::{Language, Opening, Reader, empty, every};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The approximate duration of a batch: long compared with the counter's tick, short compared with
/// the time between two interrupts.
const BATCH_NS: f64 = 20_000.0;
/// The time for one loop of one clock.
const SPAN: Duration = Duration::from_millis(25);
/// No loop runs more often, in case the clock that bounds it stands still.
const MOST: usize = 100_000;

/// Reads the counter at the end of a region. The way is chosen once, because `has_stop` executes
/// CPUID, which takes microseconds under a hypervisor.
fn end() -> u64 {
    static HAS_STOP: LazyLock<bool> = LazyLock::new(counter::has_stop);
    if *HAS_STOP { counter::stop() } else { counter::start() }
}

fn ticks(batch: &mut impl FnMut(u64), n: u64) -> f64 {
    let start = counter::start();
    batch(n);
    end().wrapping_sub(start) as f64
}

/// The length of a tick in nanoseconds, measured over 100 ms.
fn tick_ns() -> f64 {
    let (origin, start) = (Instant::now(), counter::start());
    while origin.elapsed() < Duration::from_millis(100) {}
    origin.elapsed().as_nanos() as f64 / end().wrapping_sub(start) as f64
}

/// The lowest and the median cost of a read, in ns, and the number of reads per batch.
fn time(mut batch: impl FnMut(u64), tick_ns: f64) -> (f64, f64, u64) {
    batch(8);
    let one = (0..5).map(|_| ticks(&mut batch, 8)).fold(f64::MAX, f64::min) * tick_ns / 8.0;
    let n = ((BATCH_NS / one.max(0.1)) as u64 / 8).max(1) * 8;
    let mut costs = Vec::with_capacity(MOST);
    let origin = Instant::now();
    while origin.elapsed() < SPAN && costs.len() < MOST {
        costs.push(ticks(&mut batch, n) * tick_ns / n as f64);
    }
    costs.sort_by(f64::total_cmp);
    (costs[0], costs[costs.len() / 2], n)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let tick_ns = tick_ns();
    println!("{:<34} {:>23} {:>23}", "ns per read", "throughput", "latency");
    println!(
        "{:<34} {:>11} {:>11} {:>11} {:>11} {:>7}",
        "", "lowest", "median", "lowest", "median", "batch"
    );
    for language in [Language::C, Language::Cxx, Language::Rust] {
        let name = format!("empty loop, {}", language.name());
        show(&name, &mut empty(language), tick_ns);
    }
    for entry in every() {
        if !wanted.is_empty() && !wanted.iter().any(|id| id == entry.id) {
            continue;
        }
        match entry.open(Opening::Checked) {
            Ok(mut reader) => show(entry.id, &mut reader, tick_ns),
            Err(reason) => println!("{:<34} unavailable: {reason}", entry.id),
        }
    }
}

fn show(name: &str, reader: &mut Reader, tick_ns: f64) {
    let (low, median, n) = time(|n| reader.throughput(0, n), tick_ns);
    let (slow_low, slow_median, _) = time(|n| reader.latency(0, n), tick_ns);
    println!("{name:<34} {low:>11.2} {median:>11.2} {slow_low:>11.2} {slow_median:>11.2} {n:>7}");
}
