//! N real calls, and how long they took.

use crate::engine::{Batches, Mode};
use chronoscope_model::clock::Bulk;

/// Makes `calls` calls of a subject in one loop and returns how long they took, including whatever
/// interrupted them. `None` if the user asked to stop before the end.
///
/// The loop runs in pieces so that it can be interrupted; the time between two pieces is not
/// counted.
pub fn measure<H: Batches>(host: &mut H, subject: usize, calls: u64, hz: f64) -> Option<Bulk> {
    const PIECE: u64 = 1_000_000;
    let mut left = calls;
    let mut ticks = 0u64;
    while left > 0 {
        if host.interrupted() {
            return None;
        }
        let piece = left.min(PIECE);
        ticks += host.batch(subject, Mode::Throughput, piece).ticks;
        left -= piece;
    }
    Some(Bulk { calls, ms: ticks as f64 / hz * 1e3, speed: None })
}
