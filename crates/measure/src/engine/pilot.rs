//! How many reads make a batch.

use super::host::{Batches, Mode};

/// What a batch should be like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The length aimed at, in nanoseconds: short against the time between interrupts.
    pub batch_ns: f64,
    /// At least so many times the ruler's own cost and tick.
    pub rulers: f64,
}

impl Default for Shape {
    /// 12 us, and 100 rulers: on a machine whose kernel ticks at 250 Hz, one batch in 300 is hit.
    fn default() -> Self {
        Self {
            batch_ns: 12_000.0,
            rulers: 100.0,
        }
    }
}

impl Shape {
    /// The length aimed at, in ticks.
    pub fn aim(&self, hz: f64, ruler_ticks: f64) -> f64 {
        (self.batch_ns * hz / 1e9).max(ruler_ticks * self.rulers)
    }
}

/// The most reads in a batch; a clock cheaper than this allows costs nothing.
const MOST: u64 = 1 << 20;

/// What one read costs, in ticks: the batch is doubled until it can be timed. `ruler_ticks` is the
/// cost of the ruler or its tick, whichever is longer.
///
/// Each length is tried three times and the cheapest counts, so that one interruption does not
/// make the batches of a whole run too short.
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
        let cost = (0..3)
            .map(|_| host.batch(subject, mode, reads).ticks)
            .min()
            .unwrap_or(0) as f64;
        let net = (cost - ruler_ticks).max(0.0);
        // An eighth of the aim is long enough to divide by.
        if net >= aim / 8.0 || reads >= MOST {
            return (net / reads as f64).max(1e-3);
        }
        reads *= 2;
    }
}

/// Costs that differ by less than this are about the same.
const ALIKE: f64 = 1.1;
/// So much longer than aimed at may a batch become for the sake of likeness.
const STRETCH: f64 = 1.5;

/// How many reads make a batch for each cost: a power of two, and the same for costs that are
/// about the same, so that what a batch costs besides its reads weighs the same in clocks that
/// will be compared.
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
    fn like_costs_get_like_batches() {
        // Either side of the border between 32 and 64 reads.
        assert_eq!(reads(&[190.0, 185.0, 8.0], 12_000.0), [64, 64, 1024]);
        // A long row of slowly growing costs does not end in endless batches.
        let row: Vec<f64> = (0..60).map(|at| 10.0 * 1.09f64.powi(at)).collect();
        for (cost, reads) in row.iter().zip(reads(&row, 12_000.0)) {
            let length = cost * reads as f64;
            assert!(
                length <= 18_000.0 && (length >= 5_999.0 || reads == 1),
                "{cost} x {reads}"
            );
        }
        assert_eq!(reads(&[1e9, 1e-3], 12_000.0), [1, MOST]);
    }
}
