//! How long it takes until a clock changes. The clock is read once, and then until it returns
//! another value. A program that waits for the next tick does this, and Akinshin's benchmark of
//! timers measures resolution in this way (*Pro .NET Benchmarking*, 2019, chapter 9).

use crate::engine::host::{Values, ticks};
use crate::engine::time::Limit;
use crate::stats::summary::Summary;
use chronoscope_model::clock::UntilChange;
use std::time::Duration;

const SAMPLES: u64 = 200;
/// The fewest samples that have a deviation.
const FEWEST: usize = 5;
/// A sample is the mean of as many changes as take this long ...
const SAMPLE: Duration = Duration::from_micros(20);
/// ... up to this number.
const MOST: u64 = 64;
/// The reads between two checks of the time limit.
const READS: u64 = 256;
/// No read through a call takes less, in nanoseconds. This bounds the reads in case the ruler and
/// the system's clock stand still.
const LEAST_NS: u64 = 2;

/// Measures one clock within a span. `ruler_ticks` is the cost of the ruler. `None` if the clock
/// did not change often enough.
pub fn measure<H: Values>(
    host: &mut H,
    subject: usize,
    span: Duration,
    ruler_ticks: f64,
) -> Option<UntilChange> {
    let mut limit = Limit::new(host, span, SAMPLES);
    let looks = span.as_nanos() as u64 / LEAST_NS / READS;
    let mut until = Until { limit, looks: looks.max(1) };
    let enough = ticks(host, SAMPLE);
    let mut last = until.change(host, subject, None)?;
    let start = host.ticks();
    last = until.change(host, subject, Some(last))?;
    let once = host.ticks().saturating_sub(start).max(1);
    let changes = (enough / once).clamp(1, MOST);
    let mut samples = Vec::new();
    'samples: while !limit.reached(host) {
        let start = host.ticks();
        for _ in 0..changes {
            match until.change(host, subject, Some(last)) {
                Some(value) => last = value,
                None => break 'samples,
            }
        }
        let whole = host.ticks().saturating_sub(start) as f64 - ruler_ticks;
        samples.push(whole / changes as f64 * 1e9 / host.hz());
    }
    let summary = Summary::of(&samples).filter(|summary| summary.n >= FEWEST)?;
    Some(UntilChange {
        median_ns: summary.median,
        mean_ns: summary.mean,
        sd_ns: summary.sd,
        samples: summary.n as u64,
        changes_per_sample: changes,
    })
}

struct Until {
    limit: Limit,
    /// The most checks of the time.
    looks: u64,
}

impl Until {
    /// Returns the value after a change: reads once, or continues from `last`, and reads until the
    /// value differs. `None` if the time is over first.
    fn change<H: Values>(
        &mut self,
        host: &mut H,
        subject: usize,
        last: Option<u64>,
    ) -> Option<u64> {
        let mut value = host.value(subject);
        let first = last.unwrap_or(value);
        while self.looks > 0 {
            for _ in 0..READS {
                if value != first {
                    return Some(value);
                }
                value = host.value(subject);
            }
            self.looks -= 1;
            if self.limit.spent(host) {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    fn found(tick_ns: f64, cost_ns: f64, frozen: bool) -> Option<UntilChange> {
        let clock = FakeClock { tick_ns, cost_ns, frozen, ..FakeClock::default() };
        let mut host = Fake::new(vec![clock], Disturbance::default(), 1);
        measure(&mut host, 0, Duration::from_millis(100), 17.0 * 2.6)
    }

    #[test]
    fn it_is_the_tick_or_the_cost_of_the_reads() {
        let coarse = found(4e6, 20.0, false).expect("it changes 25 times");
        assert!((coarse.median_ns / 4e6 - 1.0).abs() < 0.01, "{coarse:?}");
        assert_eq!(coarse.changes_per_sample, 1);
        let hundred = found(1000.0, 20.0, false).expect("it changes");
        assert!((hundred.mean_ns / 1000.0 - 1.0).abs() < 0.05, "{hundred:?}");
        let fine = found(1.0, 20.0, false).expect("it changes");
        assert!((fine.median_ns - 20.0).abs() < 2.0, "{fine:?}");
        assert!(fine.sd_ns >= 0.0 && fine.samples > 100);
    }

    #[test]
    fn a_clock_that_does_not_change_in_time_has_none() {
        assert_eq!(found(1.0, 20.0, true), None);
        assert_eq!(found(90e6, 20.0, false), None);
        let mut host = Fake::new(
            vec![FakeClock { frozen: true, ..FakeClock::default() }],
            Disturbance::default(),
            1,
        );
        host.frozen = true;
        assert_eq!(measure(&mut host, 0, Duration::from_millis(1), 0.0), None);
    }
}
