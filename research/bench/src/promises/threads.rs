//! Reads by one thread alone and by one on each CPU: no shared memory is written.

use std::hint::black_box;
use std::sync::Barrier;

use chronoscope::{Instant, Wall, counter};
use serde::Serialize;

use crate::os;

/// The result.
#[derive(Debug, Serialize)]
pub struct Threads {
    pub promise: &'static str,
    pub read: &'static str,
    pub threads: usize,
    /// The median cost of a read with all threads reading, relative to that with one.
    pub ratio: f64,
    /// The same for the bare counter, which is the processor's own share.
    pub bare_ratio: f64,
    /// The library's ratio relative to the bare counter's.
    pub sharing: f64,
    pub passed: bool,
}

/// How much more a read may cost if all threads read.
const PROMISED: f64 = 1.02;

/// A read, by name.
type Read = (&'static str, fn());

const READS: [Read; 4] = [
    ("bare counter", || _ = black_box(counter::now())),
    ("Instant::now", || _ = black_box(Instant::now())),
    ("elapsed_ns", || _ = black_box(black_box(Instant::now()).elapsed_ns())),
    ("Wall::now", || _ = black_box(Wall::now())),
];

/// Reads in one batch: some 50 us.
const BATCH: u32 = 5_000;

/// Measures in `rounds` rounds, in each of which every read is made alone and together.
pub fn run(rounds: usize) -> anyhow::Result<Vec<Threads>> {
    let cpus = os::cpus();
    anyhow::ensure!(cpus.len() > 1, "a single CPU has nothing to share");
    Instant::now();
    let _ = Wall::now();
    let gate = Barrier::new(cpus.len());
    let all: Vec<Vec<[Vec<u64>; 2]>> = std::thread::scope(|scope| {
        let readers: Vec<_> = cpus
            .iter()
            .enumerate()
            .map(|(number, &cpu)| {
                let gate = &gate;
                scope.spawn(move || {
                    os::pin(cpu);
                    reader(number, rounds, gate)
                })
            })
            .collect();
        readers.into_iter().filter_map(|r| r.join().ok()).collect()
    });
    anyhow::ensure!(all.len() == cpus.len(), "a thread ended early");
    // The first thread also reads alone.
    let median = |read: usize, together: usize| {
        let mut batches = all[0][read][together].clone();
        batches.sort_unstable();
        batches[batches.len() / 2] as f64
    };
    let ratio = |read| median(read, 1) / median(read, 0);
    Ok(READS
        .iter()
        .enumerate()
        .skip(1)
        .map(|(at, (read, _))| Threads {
            promise: "threads",
            read,
            threads: cpus.len(),
            ratio: ratio(at),
            bare_ratio: ratio(0),
            sharing: ratio(at) / ratio(0),
            passed: ratio(at) / ratio(0) <= PROMISED,
        })
        .collect())
}

fn reader(number: usize, rounds: usize, gate: &Barrier) -> Vec<[Vec<u64>; 2]> {
    let mut found: Vec<[Vec<u64>; 2]> = READS.iter().map(|_| [Vec::new(), Vec::new()]).collect();
    for _ in 0..rounds {
        for (at, (_, read)) in READS.iter().enumerate() {
            for together in [false, true] {
                gate.wait();
                if !together && number > 0 {
                    continue;
                }
                let start = counter::start();
                for _ in 0..BATCH {
                    read();
                }
                found[at][usize::from(together)].push(counter::start() - start);
            }
        }
    }
    found
}
