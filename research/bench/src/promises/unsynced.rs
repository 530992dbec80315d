//! Long spans that nobody syncs for: by the first rate alone, and with the checks that the library
//! makes by itself when a long span is converted.

use std::thread::sleep;
use std::time::{Duration, Instant};

use chronoscope::machine::Machine;
use chronoscope::{Clock, Ticks};
use serde::Serialize;

use crate::os;

/// A span by the library, compared with other clocks.
#[derive(Debug, Serialize)]
pub struct Unsynced {
    pub promise: &'static str,
    /// `never synced` or `on demand`.
    pub how: &'static str,
    pub span_s: f64,
    /// How far it was from `CLOCK_MONOTONIC_RAW`, which is derived from the same counter on most
    /// machines.
    pub error_ns: f64,
    /// The bound that was stated with it.
    pub bound_ns: f64,
    /// How far it was from `CLOCK_REALTIME`, in parts per million, if the kernel says that this is
    /// synchronised: a reference from outside this machine.
    pub outside_ppm: Option<f64>,
    pub passed: bool,
}

/// A read of a clock between two reads of the reference, and of the wall clock.
struct Meeting {
    low: u64,
    ticks: Ticks,
    high: u64,
    wall: u64,
}

impl Meeting {
    fn take(clock: &Clock) -> Self {
        let once = || {
            let low = clock.machine().reference();
            let ticks = clock.start();
            let high = clock.machine().reference();
            let wall = os::realtime_ns();
            Self { low, ticks, high, wall }
        };
        let first = once();
        (0..63).map(|_| once()).fold(first, |best, next| {
            if next.high - next.low < best.high - best.low { next } else { best }
        })
    }
}

/// Lets up to `seconds` pass, and looks at growing spans.
pub fn run(seconds: u64) -> Vec<Unsynced> {
    let (never, demand) = (Clock::new(), Clock::new());
    let began = [&never, &demand].map(|clock| {
        clock.scale();
        Meeting::take(clock)
    });
    let start = Instant::now();
    let mut found = Vec::new();
    for span in [0.01, 1.0, 10.0, 60.0, 300.0] {
        if span > seconds as f64 {
            break;
        }
        sleep(Duration::from_secs_f64(span).saturating_sub(start.elapsed()));
        let synchronised = os::realtime_is_synchronised();
        for ((clock, first), how) in
            [&never, &demand].into_iter().zip(&began).zip(["never synced", "on demand"])
        {
            if how == "on demand" {
                // Converting a long span is what makes the library check.
                clock.ns_since(first.ticks);
            }
            let last = Meeting::take(clock);
            let stated = clock.between_bounded(first.ticks, last.ticks);
            let (least, most) = (last.low - first.high, last.high - first.low);
            let truth = (least + most) as f64 / 2.0;
            // A nanosecond for the truncation at either end.
            let within =
                stated.ns + stated.bound_ns + 1 >= least && stated.ns <= most + stated.bound_ns + 1;
            let outside = (stated.ns as f64 / (last.wall - first.wall) as f64 - 1.0) * 1e6;
            found.push(Unsynced {
                promise: "unsynced",
                how,
                span_s: span,
                error_ns: stated.ns as f64 - truth,
                bound_ns: stated.bound_ns as f64,
                outside_ppm: (synchronised && span >= 10.0).then_some(outside),
                passed: within && !stated.disturbed,
            });
        }
    }
    found
}
