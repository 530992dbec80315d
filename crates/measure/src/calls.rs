//! The mean of a million calls, of ten, and one alone, in three passes, with nothing printed in
//! between.

use crate::engine::host::{Host, Mode, Spec};
use chronoscope_model::calls::{Calls, Pass};
use std::time::Duration;

/// How many calls each of the three means is taken over.
pub const COUNTS: [u64; 3] = [1_000_000, 10, 1];
/// Passes.
pub const PASSES: usize = 3;
/// The quiet sleep before the first, so that what loading the program began has ended.
pub const QUIET: Duration = Duration::from_secs(1);
/// A clock so slow that the large mean would take longer than this gets fewer calls, and the
/// report says how many.
const LONGEST: Duration = Duration::from_secs(4);

/// Measures one subject by itself: `None` where its unit changes its length, or the user asked to
/// stop.
pub fn measure<H: Host>(
    host: &mut H,
    specs: &[Spec],
    subject: usize,
    quiet: Duration,
) -> Option<Calls> {
    let spec = &specs[subject];
    let ns_per_unit = spec.ns_per_unit(host.hz())?;
    let mut values = vec![1; COUNTS[0] as usize + 1];
    host.sleep(quiet);

    let start = host.now();
    host.fill(subject, &mut values[..11]);
    let each = (host.now().wrapping_sub(start) / 11).max(1);
    let affordable = crate::engine::host::ticks(host, LONGEST) / each;
    let counts = COUNTS.map(|count| count.min(affordable).max(1));

    // What the ruler costs with nothing between its start and its stop.
    let baseline = spec.baseline;
    let empty = (0..64)
        .map(|_| host.batch(baseline, Mode::Throughput, 0).ticks)
        .min()
        .unwrap_or(0);

    let mut passes = Vec::with_capacity(PASSES);
    for _ in 0..PASSES {
        let mut by_clock = [0.0; 3];
        let mut by_ruler = [0.0; 3];
        for (at, count) in counts.into_iter().enumerate() {
            if host.interrupted() {
                return None;
            }
            // One value before the first call: `count` calls lie between the first and the last.
            let values = &mut values[..=count as usize];
            host.fill(subject, values);
            let elapsed = values[count as usize].wrapping_sub(values[0]) as i64;
            by_clock[at] = elapsed as f64 * ns_per_unit / count as f64;
            let ticks = host.batch(subject, Mode::Throughput, count).ticks;
            by_ruler[at] = ticks.saturating_sub(empty) as f64 / host.hz() * 1e9 / count as f64;
        }
        passes.push(Pass {
            delta1_ns: by_clock[0],
            delta2_ns: by_clock[1],
            delta3_ns: by_clock[2],
            ruler_ns: by_ruler,
        });
    }
    Some(Calls {
        id: spec.id.clone(),
        nominal_ns: spec.nominal_ns,
        counts,
        passes,
    })
}
