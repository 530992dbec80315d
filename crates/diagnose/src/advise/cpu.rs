//! CPU time used.

use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, first_of, none, rejected};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["cpu"],
        title: "Measure CPU time",
        about: "A clock that counts only while the process or the thread runs, with a tick of a \
                millisecond or less.",
        how: "Every clock that runs while the process sleeps. Accounting in scheduler ticks, such \
              as times(2), if there is a finer clock.",
        act: "CLOCK_PROCESS_CPUTIME_ID for all threads, CLOCK_THREAD_CPUTIME_ID for the calling \
              one.",
        references: &["clock_gettime(2)", "clock_getcpuclockid(3)", "getrusage(2)"],
        ..Page::EMPTY
    },
    trap: "It is a system call, about ten times slower than reading the time of day. It does not \
           show how long something took: waiting costs no CPU time. In a process with several \
           threads it runs faster than time.",
    short: "Measure CPU time",
    how: How::Clock { choose, needs: &[SYSTEM] },
};

const SYSTEM: &[&str] = &["posix/process-cputime", "windows/querythreadcycletime"];

pub(super) const CLOCKS: &[&str] = &[
    "posix/process-cputime",
    "posix/thread-cputime",
    "c/clock",
    "c/getrusage",
    "c/times",
    "windows/querythreadcycletime",
];

fn choose(report: &Report) -> Advice {
    let fine = |c: &Clock| c.kind == Kind::Cpu && c.step_ns().is_none_or(|ns| ns <= 1e6);
    let clock = first_of(report, &CLOCKS[..1], fine)
        .or_else(|| first_of(report, CLOCKS, fine))
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Cpu));
    let Some(clock) = clock else {
        return none(report, CLOCKS);
    };
    let whose = match clock.id.as_str() {
        "posix/thread-cputime" | "windows/querythreadcycletime" => {
            "only the calling thread, and stops while it sleeps"
        }
        _ => "all threads of the process, and stops while they sleep",
    };
    let why = format!(
        "{}; it counts {whose}.{}",
        figures(clock),
        rejected(
            report,
            &[
                ("posix/thread-cputime", "only the calling thread, which may be what you want"),
                ("c/clock", "the same, truncated to microseconds"),
                ("c/times", "in scheduler ticks"),
                ("c/getrusage", "user and system time separately, in microseconds"),
            ]
            .iter()
            .filter(|(id, _)| *id != clock.id)
            .copied()
            .collect::<Vec<_>>(),
        )
    );
    chosen(clock, why)
}
