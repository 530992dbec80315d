//! Compares the clocks whose calls were really made, by the million.

use chronoscope_model::clock::{Clock, Speed};

/// A clock this coarse cannot be the standard of speed: it reads a stored value.
const COARSE_NS: f64 = 1e6;

/// Up to twice the cheapest call made is fast.
const FAST: f64 = 2.0;

/// Up to ten times the cheapest call made is ok; a system call takes longer.
const OK: f64 = 10.0;

/// Compares each clock with the cheapest whose tick is below 1 ms.
pub(crate) fn compare(clocks: &mut [Clock]) {
    let fine = |clock: &&Clock| {
        let tick = clock.resolution.as_ref().and_then(|r| r.tick_ns);
        tick.is_none_or(|ns| ns < COARSE_NS)
    };
    let made = clocks.iter().filter(fine).filter_map(|c| c.bulk.as_ref());
    let least = made
        .map(|bulk| bulk.ns_per_call())
        .filter(|ns| ns.is_finite() && *ns > 0.0)
        .fold(f64::INFINITY, f64::min);
    for bulk in clocks.iter_mut().filter_map(|clock| clock.bulk.as_mut()) {
        bulk.speed = Some(match bulk.ns_per_call() / least {
            ratio if ratio <= FAST => Speed::Fast,
            ratio if ratio <= OK => Speed::Ok,
            _ => Speed::Slow,
        });
    }
}
