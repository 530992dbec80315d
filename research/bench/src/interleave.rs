//! Measures several things in turn, in random order within each round, so that a slow period of the
//! machine affects all of them rather than one.

use chronoscope::counter;
use serde::Serialize;

/// A thing to measure: its name, and a batch of it.
pub struct Entry {
    pub name: &'static str,
    pub batch: fn(u32),
}

/// The cost of a call.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    pub name: &'static str,
    /// Nanoseconds per call in the cheapest batch, which nothing disturbed.
    pub lowest_ns: f64,
    /// The median of the batches.
    pub median_ns: f64,
    /// The lowest cost relative to that of the first entry.
    pub ratio: f64,
    /// The median cost relative to that of the first entry.
    pub median_ratio: f64,
}

/// Measures `entries` in `rounds` rounds of one batch of `calls` each. The first is the one that
/// the others are compared with.
pub fn compare(entries: &[Entry], rounds: usize, calls: u32) -> Vec<Cost> {
    let scale = chronoscope::Clock::global().scale();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let mut batches = vec![Vec::with_capacity(rounds); entries.len()];
    for entry in entries {
        (entry.batch)(calls);
    }
    for _ in 0..rounds {
        fastrand::shuffle(&mut order);
        for &i in &order {
            let start = counter::start();
            (entries[i].batch)(calls);
            let stop = counter::start();
            batches[i].push(stop - start);
        }
    }
    let ns = |ticks: u64| ticks as f64 * scale.ns_per_tick() / f64::from(calls);
    let mut costs: Vec<Cost> = entries
        .iter()
        .zip(&mut batches)
        .map(|(entry, batches)| {
            batches.sort_unstable();
            Cost {
                name: entry.name,
                lowest_ns: ns(batches[0]),
                median_ns: ns(batches[batches.len() / 2]),
                ratio: 1.0,
                median_ratio: 1.0,
            }
        })
        .collect();
    let (lowest, median) = (costs[0].lowest_ns, costs[0].median_ns);
    for cost in &mut costs {
        cost.ratio = cost.lowest_ns / lowest;
        cost.median_ratio = cost.median_ns / median;
    }
    costs
}
