//! Percentiles and CPU time with 95 % intervals.
//!
//! Consecutive waits resemble each other, and runs differ, so the intervals are those of a
//! bootstrap that draws runs, and bursts within them, and not single waits (Davison and Hinkley
//! 1997, 3.8). Methods took turns, so what disturbs the machine for a while disturbs all of them:
//! where two are compared, the same parts of the same runs are drawn for both.

use std::collections::BTreeMap;

use serde::Serialize;

use super::methods::METHODS;
use super::store::Burst;
use crate::load::Load;

const RESAMPLES: usize = 400;

/// The parts into which a run is divided where methods are compared.
const PARTS: usize = 20;

/// A value and its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// How late a method woke after waits of one length, in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub method: &'static str,
    pub load: Load,
    pub wait_us: u64,
    pub runs: usize,
    pub waits: usize,
    pub early: u64,
    pub p50: Estimate,
    pub p90: Estimate,
    pub p95: Estimate,
    pub p99: Estimate,
    pub worst: f64,
    /// CPU time of the thread for each wait.
    pub cpu: Estimate,
    /// What these are of those of each peer after waits of the same length, if this is a method of
    /// the library.
    pub compared: Vec<Compared>,
}

/// The figures of a method, divided by those of a peer.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    pub peer: &'static str,
    pub p90: Estimate,
    pub p95: Estimate,
    pub cpu: Estimate,
}

/// One row for each length and method under a load.
pub fn rows(load: Load, bursts: &[Burst]) -> Vec<Row> {
    let mut cells: BTreeMap<(u64, usize), Vec<&Burst>> = BTreeMap::new();
    for burst in bursts.iter().filter(|burst| burst.load == load) {
        if let Some(method) = METHODS.iter().position(|method| method.name == burst.method) {
            cells.entry((burst.wait_us, method)).or_default().push(burst);
        }
    }
    let cells: Vec<(u64, usize, Cell<'_>)> = cells
        .into_iter()
        .map(|((wait_us, method), bursts)| (wait_us, method, Cell::new(bursts)))
        .collect();
    let row = |(wait_us, method, cell): &(u64, usize, Cell<'_>)| {
        let name = METHODS[*method].name;
        let peers = cells.iter().filter(|(length, other, _)| {
            let ours = |method: usize| METHODS[method].name.starts_with(OURS);
            length == wait_us && ours(*method) && !ours(*other)
        });
        Row {
            method: name,
            load,
            wait_us: *wait_us,
            runs: cell.runs.len(),
            waits: cell.sorted.len(),
            early: cell.bursts.iter().map(|burst| burst.early).sum(),
            p50: cell.estimate(|cell, weights| cell.quantile(0.5, weights)),
            p90: cell.estimate(|cell, weights| cell.quantile(0.9, weights)),
            p95: cell.estimate(|cell, weights| cell.quantile(0.95, weights)),
            p99: cell.estimate(|cell, weights| cell.quantile(0.99, weights)),
            worst: cell.sorted.last().map_or(0.0, |(late, _)| *late),
            cpu: cell.estimate(Cell::cpu),
            compared: peers
                .map(|(_, peer, theirs)| Compared {
                    peer: METHODS[*peer].name,
                    p90: ratio(cell, theirs, |cell, weights| cell.quantile(0.9, weights)),
                    p95: ratio(cell, theirs, |cell, weights| cell.quantile(0.95, weights)),
                    cpu: ratio(cell, theirs, Cell::cpu),
                })
                .collect(),
        }
    };
    cells.iter().map(row).collect()
}

/// The beginning of the names of the library's methods.
const OURS: &str = "chronoscope";

/// A figure of one method, divided by that of another that it took turns with.
fn ratio<'b>(
    ours: &Cell<'b>,
    theirs: &Cell<'b>,
    of: impl Fn(&Cell<'b>, &[u32]) -> f64,
) -> Estimate {
    // Overshoots are whole nanoseconds, so a percentile can be zero.
    let divided = |ours: f64, theirs: f64| ours / theirs.max(1e-3);
    let whole = |cell: &Cell<'b>| of(cell, &vec![1; cell.bursts.len()]);
    let runs = ours.runs.len().min(theirs.runs.len());
    let fewest = |cell: &Cell<'_>| cell.runs.iter().map(Vec::len).min();
    let parts = fewest(ours).min(fewest(theirs)).unwrap_or(0).min(PARTS);
    let mut random = fastrand::Rng::with_seed(16);
    interval(divided(whole(ours), whole(theirs)), || {
        let mut drawn = vec![vec![0; parts]; runs];
        for _ in 0..runs {
            let run = &mut drawn[random.usize(..runs)];
            for _ in 0..parts {
                run[random.usize(..parts)] += 1;
            }
        }
        let of = |cell: &Cell<'b>| of(cell, &cell.of_parts(&drawn));
        divided(of(ours), of(theirs))
    })
}

/// A value with the 95 % interval of values drawn again.
fn interval(value: f64, draw: impl FnMut() -> f64) -> Estimate {
    let mut seen: Vec<f64> = std::iter::repeat_with(draw).take(RESAMPLES).collect();
    seen.sort_by(f64::total_cmp);
    Estimate {
        value,
        low: seen[RESAMPLES / 40].min(value),
        high: seen[RESAMPLES - 1 - RESAMPLES / 40].max(value),
    }
}

struct Cell<'b> {
    bursts: Vec<&'b Burst>,
    /// The bursts of each run.
    runs: Vec<Vec<usize>>,
    /// The overshoot in microseconds, and the burst that it is from.
    sorted: Vec<(f64, usize)>,
}

impl<'b> Cell<'b> {
    fn new(bursts: Vec<&'b Burst>) -> Self {
        let mut runs: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut sorted = Vec::new();
        for (i, burst) in bursts.iter().enumerate() {
            runs.entry(burst.run).or_default().push(i);
            sorted.extend(burst.late_ns.iter().map(|ns| (*ns as f64 / 1e3, i)));
        }
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { bursts, runs: runs.into_values().collect(), sorted }
    }

    /// The smallest overshoot that this share of the waits does not exceed, if each burst is there
    /// so many times.
    fn quantile(&self, share: f64, weights: &[u32]) -> f64 {
        let total: u64 = self.sorted.iter().map(|wait| u64::from(weights[wait.1])).sum();
        let mut below = 0;
        for &(late, burst) in &self.sorted {
            below += u64::from(weights[burst]);
            if below as f64 >= share * total as f64 {
                return late;
            }
        }
        0.0
    }

    fn cpu(&self, weights: &[u32]) -> f64 {
        let (mut cpu, mut waits) = (0.0, 0.0);
        for (burst, weight) in self.bursts.iter().zip(weights) {
            cpu += f64::from(*weight) * burst.cpu_ns as f64 / 1e3;
            waits += f64::from(*weight) * burst.waits() as f64;
        }
        if waits > 0.0 { cpu / waits } else { 0.0 }
    }

    fn estimate(&self, of: impl Fn(&Self, &[u32]) -> f64) -> Estimate {
        // The same numbers each time, so that a table depends on the waits alone.
        let mut random = fastrand::Rng::with_seed(16);
        interval(of(self, &vec![1; self.bursts.len()]), || {
            let mut weights = vec![0; self.bursts.len()];
            for _ in 0..self.runs.len() {
                let run = &self.runs[random.usize(..self.runs.len())];
                for _ in 0..run.len() {
                    weights[run[random.usize(..run.len())]] += 1;
                }
            }
            of(self, &weights)
        })
    }

    /// The weights of the bursts, if each part of each run is there so many times.
    fn of_parts(&self, drawn: &[Vec<u32>]) -> Vec<u32> {
        let mut weights = vec![0; self.bursts.len()];
        for (run, drawn) in self.runs.iter().zip(drawn) {
            for (i, &burst) in run.iter().enumerate() {
                weights[burst] = drawn[i * drawn.len() / run.len()];
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(run: u32, late_ns: Vec<u64>) -> Burst {
        Burst {
            run,
            method: METHODS[0].name.to_owned(),
            load: Load::None,
            wait_us: 1000,
            early: 0,
            cpu_ns: 1000 * late_ns.len() as u64,
            late_ns,
        }
    }

    #[test]
    fn percentiles_are_order_statistics() {
        let bursts: Vec<Burst> = (0..10)
            .map(|i| burst(i / 5, (1..=10).map(|n| (u64::from(i) * 10 + n) * 1000).collect()))
            .collect();
        let rows = rows(Load::None, &bursts);
        assert_eq!((rows.len(), rows[0].runs, rows[0].waits), (1, 2, 100));
        assert_eq!((rows[0].p50.value, rows[0].p99.value), (50.0, 99.0));
        assert_eq!(rows[0].worst, 100.0);
        assert_eq!((rows[0].cpu.value, rows[0].cpu.high), (1.0, 1.0));
    }

    /// A slow tenth of each run is that of both methods, so it is not in the interval of their
    /// ratio.
    #[test]
    fn what_disturbs_both_methods_cancels_out() {
        let of = |method: &'static str, late_us: u64| {
            let named = move |i: u32| Burst {
                method: method.to_owned(),
                ..burst(i / 40, vec![late_us * if i % 40 < 36 { 1000 } else { 50_000 }; 5])
            };
            (0..80).map(named)
        };
        let bursts: Vec<Burst> =
            of("chronoscope balanced", 1).chain(of("spin_sleep yield", 2)).collect();
        let rows = rows(Load::None, &bursts);
        let [peer, ours] = &rows[..] else {
            panic!("{rows:?}");
        };
        assert!(peer.compared.is_empty());
        let p90 = ours.compared[0].p90;
        assert_eq!((p90.low, p90.value, p90.high), (0.5, 0.5, 0.5));
        assert!(ours.p90.low < ours.p90.high);
    }

    /// Twenty waits of one burst are not twenty independent ones.
    #[test]
    fn intervals_are_those_of_bursts() {
        let alike: Vec<Burst> = (0..30).map(|i| burst(0, vec![i % 10 * 1000; 20])).collect();
        let mixed: Vec<Burst> =
            (0..30).map(|_| burst(0, (0..20).map(|i| i % 10 * 1000).collect())).collect();
        let wide = |bursts: &[Burst]| {
            let p50 = rows(Load::None, bursts)[0].p50;
            p50.high - p50.low
        };
        assert!(wide(&alike) >= 2.0 && wide(&mixed) == 0.0);
    }
}
