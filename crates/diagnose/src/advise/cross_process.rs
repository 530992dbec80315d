//! Times compared between processes, threads and CPUs of one machine.

use super::interval;
use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, merged, none, rejected, slow_because};
use crate::reading::{counter_may_jump, tsc_objection};
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["cross-process"],
        title: "Compare times between processes and CPUs",
        about: "One zero and one rate for all processes and CPUs since the machine started.",
        how: "A bare counter: no system guarantees that the counters of several CPUs agree, and \
              its ticks mean nothing to other programs. Wall clocks: a step between the two reads \
              ruins the comparison. Clocks of a language that have a zero of their own.",
        act: "The system's monotonic clock, as a number: CLOCK_MONOTONIC in nanoseconds.",
        references: &["clock_gettime(2)", "time_namespaces(7)"],
        ..Page::EMPTY
    },
    trap: "Rust's Instant and Go's time.Time cannot be sent to another process. A container in a \
           time namespace has an offset to its host. None of this holds between machines.",
    short: "",
    how: How::Clock { choose, needs: &[interval::SYSTEM] },
};

fn choose(report: &Report) -> Advice {
    let Some(clock) = interval::system_clock(report) else {
        return none(report, interval::CLOCKS);
    };
    let env = &report.environment;
    let raw = tsc_objection(env).or_else(|| counter_may_jump(env));
    let raw = raw.unwrap_or_else(|| {
        "no system guarantees that counters agree across CPUs, and ticks mean nothing to other \
         programs"
            .into()
    });
    let why = format!(
        "{}; one zero and one rate for all processes since the machine started.{}{}{}",
        figures(clock),
        merged(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("x86/rdtsc-intrinsic", raw.as_str()),
                ("posix/realtime", "a step between the two reads ruins the comparison"),
            ],
        )
    );
    chosen(clock, why)
}
