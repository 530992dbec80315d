//! Compares the waits of every method: how late they are, and at what cost of CPU time.
//!
//! Each method has a thread of its own, so that it leaves neither a used-up time slice nor a warm
//! CPU to the next one; only one of them runs at a time. They take turns in random order, in bursts
//! of some 20 ms, so that a slow period of the machine affects all of them. Every burst is written
//! to a file at once, so a run can be continued after a pause or a kill.

mod methods;
mod statistics;
mod store;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::load::{Load, Spinning};
use methods::{METHODS, Worker};
pub use statistics::Row;
use store::{Burst, Store};

/// What to measure.
pub struct Request<'a> {
    pub load: Load,
    pub lengths_us: &'a [u64],
    /// Waits of each method and length, in each run; of those above 10 ms, a tenth.
    pub waits: usize,
    pub runs: u32,
    /// The longest that this may take; what is left is for the next time.
    pub limit: Duration,
    /// Where bursts are kept; without it, they are forgotten at the end.
    pub store: Option<&'a Path>,
}

/// Waits in a burst of this length, after the first, which counts in no figure: the thread has just
/// been woken by the one that hands out the bursts.
fn burst_of(length_us: u64) -> usize {
    (20_000 / length_us).clamp(5, 25) as usize
}

/// Measures what the store lacks, and returns what is known then.
pub fn run(request: &Request<'_>) -> Result<Vec<Row>> {
    let mut store = Store::open(request.store)?;
    measure(request, &mut store)?;
    Ok(statistics::rows(request.load, &store.bursts))
}

fn measure(request: &Request<'_>, store: &mut Store) -> Result<()> {
    let start = Instant::now();
    for run in 0..request.runs {
        let mut left = missing(request, store, run);
        if left.is_empty() {
            continue;
        }
        let _spinning = Spinning::start(request.load)?;
        let workers: Vec<Worker> = METHODS
            .iter()
            .map(Worker::start)
            .collect::<Result<_>>()
            .context("starting the threads that wait")?;
        // What is learnt in the first round counts in no figure.
        for &(method, length, _) in &left {
            workers[method].burst(length, burst_of(length))?;
        }
        let rounds = left.iter().map(|(_, _, bursts)| *bursts).max().unwrap_or(0);
        for round in 1..=rounds {
            fastrand::shuffle(&mut left);
            for &(method, length, bursts) in &left {
                // Spread evenly over the rounds.
                if round * bursts / rounds == (round - 1) * bursts / rounds {
                    continue;
                }
                let found = workers[method].burst(length, burst_of(length))?;
                store.add(Burst {
                    run,
                    method: METHODS[method].name.to_owned(),
                    load: request.load,
                    wait_us: length,
                    early: found.early,
                    cpu_ns: found.cpu_ns,
                    late_ns: found.late_ns,
                })?;
            }
            if start.elapsed() >= request.limit {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Method, length, and the number of bursts that a run still lacks.
fn missing(request: &Request<'_>, store: &Store, run: u32) -> Vec<(usize, u64, usize)> {
    let mut left = Vec::new();
    for (method, listed) in METHODS.iter().enumerate() {
        for &length in request.lengths_us {
            let same = |burst: &&Burst| {
                (burst.run, burst.load, burst.wait_us) == (run, request.load, length)
                    && burst.method == listed.name
            };
            let have: usize = store.bursts.iter().filter(same).map(Burst::waits).sum();
            let wanted = request.waits / if length > 10_000 { 10 } else { 1 };
            let bursts = wanted.saturating_sub(have).div_ceil(burst_of(length));
            if bursts > 0 {
                left.push((method, length, bursts));
            }
        }
    }
    left
}
