//! How many reads make a batch.

use super::host::{Host, Mode};

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

/// The most reads in a batch; a clock cheaper than this allows costs nothing.
const MOST: u64 = 1 << 20;

/// Doubles the batch until it can be timed, and derives from its cost how many reads reach the
/// shape. `ruler_ticks` is the cost of the ruler or its tick, whichever is longer.
///
/// Each length is tried three times and the cheapest counts, so that one interruption does not
/// make the batches of a whole run too short.
pub fn reads_per_batch<H: Host>(
    host: &mut H,
    subject: usize,
    mode: Mode,
    shape: Shape,
    ruler_ticks: f64,
) -> u64 {
    let per_ns = host.hz() / 1e9;
    let floor = ruler_ticks * shape.rulers;
    let aim = (shape.batch_ns * per_ns).max(floor);
    let mut reads = 1u64;
    loop {
        let cost = (0..3)
            .map(|_| host.batch(subject, mode, reads).ticks)
            .min()
            .unwrap_or(0) as f64;
        let net = (cost - ruler_ticks).max(0.0);
        // An eighth of the aim is long enough to divide by.
        if net >= aim / 8.0 || reads >= MOST {
            let per_read = (net / reads as f64).max(1e-3);
            return ((aim / per_read) as u64).clamp(1, MOST);
        }
        reads *= 2;
    }
}
