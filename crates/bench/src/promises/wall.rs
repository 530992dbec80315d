//! The wall clock against `CLOCK_REALTIME`, with a look at it each second.

use std::time::{Duration, Instant};

use chronoscope::Wall;
use serde::Serialize;

use crate::os;

/// What was found.
#[derive(Debug, Serialize)]
pub struct WallTime {
    pub promise: &'static str,
    pub seconds: u64,
    pub samples: u64,
    /// Samples left out because something ran within them: the bracket was wider than 200 ns.
    pub torn: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub p9999_ns: u64,
    pub worst_ns: u64,
    /// The bound that was stated with the worst.
    pub bound_ns: u64,
    /// Samples beyond their own stated bound.
    pub beyond: u64,
    pub passed: bool,
}

/// Between two samples.
const PAUSE: Duration = Duration::from_micros(500);
/// A bracket wider than this was interrupted.
const TORN_NS: u64 = 200;
/// What is promised of 99.99 % of the samples.
const PROMISED_NS: u64 = 250;

/// Samples for so many seconds.
pub fn run(seconds: u64) -> anyhow::Result<WallTime> {
    let mut errors = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 4)?;
    let (mut torn, mut beyond, mut worst, mut bound) = (0, 0, 0, 0);
    Wall::sync();
    let start = Instant::now();
    let mut next_sync = Duration::from_secs(1);
    while start.elapsed().as_secs() < seconds {
        if start.elapsed() >= next_sync {
            Wall::sync();
            next_sync += Duration::from_secs(1);
        }
        let before = os::realtime_ns();
        let wall = Wall::now_bounded();
        let after = os::realtime_ns();
        let width = after.saturating_sub(before);
        if after < before || width > TORN_NS {
            torn += 1;
        } else {
            // How far outside of the bracket's middle; the bracket's half is not ours.
            let error = wall.now.abs_diff(before + width / 2);
            errors.saturating_record(error);
            if error > worst {
                (worst, bound) = (error, wall.tracking);
            }
            if error > wall.tracking + width / 2 + 1 {
                beyond += 1;
            }
        }
        std::thread::sleep(PAUSE);
    }
    let at = |share: f64| errors.value_at_quantile(share);
    Ok(WallTime {
        promise: "wall",
        seconds,
        samples: errors.len(),
        torn,
        p50_ns: at(0.5),
        p99_ns: at(0.99),
        p9999_ns: at(0.9999),
        worst_ns: worst,
        bound_ns: bound,
        beyond,
        passed: at(0.9999) <= PROMISED_NS && beyond == 0 && !errors.is_empty(),
    })
}
