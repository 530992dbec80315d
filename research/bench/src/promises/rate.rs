//! The rate compared with `CLOCK_MONOTONIC_RAW`, as it improves.

use std::thread::sleep;
use std::time::{Duration, Instant};

use chronoscope::Clock;
use serde::Serialize;

use super::Bracket;

/// The rate after some time, compared with the rate over the whole run.
#[derive(Debug, Serialize)]
pub struct Rate {
    pub promise: &'static str,
    pub after_s: f64,
    pub hz: f64,
    /// How far it was from the rate over the whole run.
    pub error_ppm: f64,
    /// The bound that was stated with it.
    pub bound_ppm: f64,
    /// What is promised after this time, if anything.
    pub promised_ppm: Option<f64>,
    pub passed: bool,
}

/// What is promised: parts per million after this time, with an occasional `sync`.
const PROMISED: [(Duration, f64); 2] =
    [(Duration::from_millis(20), 1.0), (Duration::from_secs(10), 0.05)];

/// Checks the rate at growing intervals, calling `sync` every 5 ms at first and ten times per
/// second later, until `seconds` have passed.
pub fn run(seconds: u64) -> Vec<Rate> {
    let clock = Clock::global();
    let first = Bracket::narrowest(64);
    let start = Instant::now();
    let end = Duration::from_secs(seconds);
    let looks = [0.02, 0.1, 1.0, 10.0, 60.0].map(Duration::from_secs_f64);
    let mut seen = Vec::new();
    for look in looks.into_iter().filter(|look| *look <= end) {
        while start.elapsed() < look {
            let pause = if look <= Duration::from_millis(20) { 5 } else { 100 };
            let left = look.saturating_sub(start.elapsed());
            sleep(left.min(Duration::from_millis(pause)));
            clock.sync();
        }
        let about = clock.describe();
        seen.push((look, about.hz, about.bound_ppm));
    }
    sleep(end.saturating_sub(start.elapsed()));
    let last = Bracket::narrowest(64);
    let truth = (last.middle() - first.middle()) / (last.os - first.os) as f64 * 1e9;
    seen.into_iter()
        .map(|(after, hz, bound_ppm)| {
            let error_ppm = (hz / truth - 1.0) * 1e6;
            let promised = PROMISED.iter().find(|(at, _)| *at == after);
            let promised_ppm = promised.map(|(_, ppm)| *ppm);
            let within = promised_ppm.is_none_or(|most| error_ppm.abs() <= most);
            Rate {
                promise: "rate",
                after_s: after.as_secs_f64(),
                hz,
                error_ppm,
                bound_ppm,
                promised_ppm,
                passed: within && error_ppm.abs() <= bound_ppm,
            }
        })
        .collect()
}
