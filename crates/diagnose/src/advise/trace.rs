//! Tracing at the lowest cost.

use super::interval;
use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, first_of, merged, none, rejected, slow_because};
use crate::reading::{cost, counter_may_jump, not_compared, tsc_objection};
use chronoscope_model::clock::Clock;
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["trace"],
        title: "Trace at the lowest cost",
        about: "The cheapest read whose timestamps can be merged across all CPUs; order within \
                nanoseconds does not matter.",
        how: "Fences, which a trace does not need. A coarse clock, which gives many records the \
              same timestamp. A counter that the kernel itself does not keep time with: it can \
              jump when the kernel's clock does not.",
        act: "The bare counter if it is cheaper than the system's clock, stored as ticks and \
              converted afterwards; otherwise the system's clock.",
        references: &[
            "Intel SDM vol. 3B, Invariant TSC",
            "Linux kernel/trace/trace_clock.c",
            "docs/METHOD.md",
        ],
        ..Page::EMPTY
    },
    trap: "Read the counter together with the system clock at the beginning and at the end, and \
           convert with both pairs: a nominal rate is off by tens of parts per million, which is \
           milliseconds in a minute.",
    short: "Trace",
    how: How::Clock {
        choose,
        // The other names are those of the same instruction.
        needs: &[interval::SYSTEM, &["x86/rdtsc-intrinsic", "arm/cntvct"]],
    },
};

pub(super) const COUNTERS: &[&str] =
    &["x86/rdtsc-intrinsic", "x86/rdtsc-builtin", "x86/rdtsc-asm", "arm/cntvct"];

fn choose(report: &Report) -> Advice {
    let env = &report.environment;
    // Records from several CPUs are merged by their timestamps, so the counter must be one that the
    // kernel itself keeps time with.
    let objection =
        tsc_objection(env).or_else(|| counter_may_jump(env)).or_else(|| not_compared(env));
    let system = interval::system_clock(report);
    let counter = match objection {
        None => first_of(report, COUNTERS, |_| true),
        Some(_) => None,
    };
    let system_read = system.and_then(Clock::read);
    let cheaper = |clock: &&Clock| {
        system_read.is_none_or(|other| clock.read().is_some_and(|read| read.is_below(other)))
    };
    if let Some(clock) = counter.filter(cheaper) {
        let against =
            system.and_then(|s| Some(format!(" ({}: {})", s.id, cost(s)?))).unwrap_or_default();
        let why = format!(
            "{} per read{against}; store the ticks and convert them afterwards.{}{}",
            cost(clock).unwrap_or_default(),
            merged(clock),
            rejected(
                report,
                &[
                    ("x86/rdtscp", "waits for earlier instructions, which a trace does not need"),
                    ("linux/monotonic-coarse", "gives many records the same timestamp"),
                ],
            )
        );
        return chosen(clock, why);
    }
    let Some(clock) = system else {
        return none(report, COUNTERS);
    };
    let against = objection
        .map_or(String::new(), |reason| format!(" The counter itself is ruled out: {reason}."));
    let why = format!(
        "{}; the cheapest whose timestamps can be merged across CPUs.{}{}{against}",
        figures(clock),
        merged(clock),
        slow_because(report, clock)
    );
    chosen(clock, why)
}
