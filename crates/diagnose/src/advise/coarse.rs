//! A cheap read of the time when milliseconds are enough.

use super::interval;
use super::purpose::{How, Purpose};
use crate::pick::{cheapest, chosen, figures, none, rejected, slow_because};
use crate::reading::{cost, unordered, usable};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["coarse"],
        title: "Read the time cheaply, to milliseconds",
        about: "A monotonic clock with a tick of 20 ms or less and a cheap read: for time-outs, \
                caches, rates.",
        how: "A tick above 20 ms. Wall clocks, which are stepped. Counters, which are finer than \
              needed and have their own traps.",
        act: "The time of the kernel's last tick (CLOCK_MONOTONIC_COARSE, GetTickCount64, \
              mach_approximate_time) if it is at least a fifth cheaper than the system's clock; \
              otherwise the system's clock.",
        references: &[
            "clock_gettime(2), CLOCK_MONOTONIC_COARSE",
            "Linux kernel/time/timekeeping.c",
        ],
        ..Page::EMPTY
    },
    trap: "All reads between two ticks are equal, so it cannot show a duration shorter than a \
           tick. A mean of many does not help, because reads are not independent of the tick.",
    short: "",
    how: How::Clock { choose, needs: &[interval::SYSTEM, COARSE] },
};

/// The longest tick that still counts as milliseconds, in nanoseconds: 15.625 ms is the longest
/// timer tick of any system.
const LONGEST_NS: f64 = 20e6;

/// A coarse clock is worth its long tick if its read costs no more than this share of a read of the
/// system's own clock.
const WORTH: f64 = 0.8;

/// The first four, which are the coarse ones.
const COARSE: &[&str] = CLOCKS.split_at(4).0;

pub(super) const CLOCKS: &[&str] = &[
    "linux/monotonic-coarse",
    "windows/gettickcount64",
    "windows/queryinterrupttime",
    "mach/approximate_time",
    "posix/monotonic",
    "windows/qpc",
    "mach/absolute_time",
];

fn choose(report: &Report) -> Advice {
    let fits = |c: &Clock| {
        c.kind == Kind::Monotonic
            && !unordered(c, &report.environment)
            && CLOCKS.contains(&c.id.as_str())
            && c.step_ns().is_none_or(|t| t <= LONGEST_NS)
    };
    let system = interval::system_clock(report);
    let Some(least) = cheapest(report, fits) else {
        return match system.filter(|c| usable(c)) {
            Some(clock) => {
                let why = format!("{}; nothing cheaper was measured.", figures(clock));
                chosen(clock, why)
            }
            None => none(report, CLOCKS),
        };
    };
    let clock = match (system, least.read_ns(), system.and_then(Clock::read_ns)) {
        (Some(system), Some(a), Some(b)) if a > b * WORTH => system,
        _ => least,
    };
    let saved = match (system.filter(|s| s.id != clock.id), clock.read_ns()) {
        (Some(system), Some(own)) => system.read_ns().map_or(String::new(), |other| {
            format!(
                "; {} times cheaper than {} ({})",
                times(other / own),
                system.id,
                cost(system).unwrap_or_default()
            )
        }),
        _ => "; no coarse clock is a fifth cheaper".into(),
    };
    let why = format!(
        "{}{saved}.{}{}",
        figures(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("linux/realtime-coarse", "as cheap, but stepped when the clock is set"),
                ("c/time", "whole seconds, and stepped"),
            ],
        )
    );
    chosen(clock, why)
}

/// A ratio with few digits: `3.4`, `151`.
fn times(ratio: f64) -> String {
    format!("{ratio:.*}", usize::from(ratio < 10.0))
}
