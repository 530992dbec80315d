//! The number of reads in a batch.

use super::batch::Mode;
use super::host::Batches;

#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The intended length, in nanoseconds: short compared with the time between interrupts.
    pub batch_ns: f64,
    /// The least length, as a multiple of the ruler's own cost and tick.
    pub rulers: f64,
}

impl Default for Shape {
    /// 12 us, and 100 times the ruler's cost. On a machine whose kernel ticks at 250 Hz, a tick
    /// hits one batch in 300.
    fn default() -> Self {
        Self { batch_ns: 12_000.0, rulers: 100.0 }
    }
}

impl Shape {
    /// The intended length, in ticks.
    pub fn aim(&self, hz: f64, ruler_ticks: f64) -> f64 {
        (self.batch_ns * hz / 1e9).max(ruler_ticks * self.rulers)
    }
}

/// The cost of the ruler, in ticks: the cheapest of some empty batches.
pub fn ruler<H: Batches>(host: &mut H, empty: usize) -> f64 {
    let ticks = (0..100).map(|_| host.batch(empty, Mode::Throughput, 0).ticks);
    ticks.min().unwrap_or(0) as f64
}

/// The most reads in a batch; a clock so cheap that this limits it costs nothing.
const MOST: u64 = 1 << 20;

/// Determines the cost of one read, in ticks: doubles the batch until it is long enough to time.
/// `ruler_ticks` is the cost of the ruler or its tick, whichever is longer.
///
/// Each length is tried three times and the cheapest try counts, so that a single interruption
/// does not make the batches of the whole run too short.
pub fn cost<H: Batches>(
    host: &mut H,
    subject: usize,
    mode: Mode,
    shape: Shape,
    ruler_ticks: f64,
) -> f64 {
    let aim = shape.aim(host.hz(), ruler_ticks);
    let mut reads = 1u64;
    loop {
        let cost = (0..3).map(|_| host.batch(subject, mode, reads).ticks).min().unwrap_or(0) as f64;
        let net = (cost - ruler_ticks).max(0.0);
        // An eighth of the intended length is enough to divide by.
        if net >= aim / 8.0 || reads >= MOST {
            return (net / reads as f64).max(1e-3);
        }
        reads *= 2;
    }
}

/// Costs that differ by a smaller factor count as about the same.
const ALIKE: f64 = 1.1;
/// The factor by which a batch may exceed the intended length to match the others.
const STRETCH: f64 = 1.5;

/// Returns how many reads make up a batch for each cost: a power of two, and the same number for
/// costs that are about the same, so that the overhead of a batch has the same weight for clocks
/// that will be compared.
pub fn reads(costs: &[f64], aim: f64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    let mut reads = vec![1; costs.len()];
    let mut before: Option<(f64, u64)> = None;
    for at in order {
        let cost = costs[at];
        reads[at] = match before {
            Some((last, same)) if cost <= last * ALIKE && cost * same as f64 <= aim * STRETCH => {
                same
            }
            _ => 1 << ((aim / cost) as u64).clamp(1, MOST).ilog2(),
        };
        before = Some((cost, reads[at]));
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_costs_get_batches_of_the_same_size() {
        // These costs are on either side of the limit between 32 and 64 reads.
        assert_eq!(reads(&[190.0, 185.0, 8.0], 12_000.0), [64, 64, 1024]);
        // A long chain of slowly growing costs must not lead to ever longer batches.
        let row: Vec<f64> = (0..60).map(|at| 10.0 * 1.09f64.powi(at)).collect();
        for (cost, reads) in row.iter().zip(reads(&row, 12_000.0)) {
            let length = cost * reads as f64;
            assert!(length <= 18_000.0 && (length >= 5_999.0 || reads == 1), "{cost} x {reads}");
        }
        assert_eq!(reads(&[1e9, 1e-3], 12_000.0), [1, MOST]);
    }
}
