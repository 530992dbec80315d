//! Elapsed time that includes suspend.

use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, first_of, none, rejected, slow_because};
use chronoscope_model::clock::Kind;
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["boot"],
        title: "Measure elapsed time, including suspend",
        about: "A monotonic clock that keeps running while the machine is suspended: for leases, \
                tokens, alarms.",
        how: "CLOCK_MONOTONIC on Linux, which stops during suspend. Wall clocks, which include \
              suspend but are stepped.",
        act: "CLOCK_BOOTTIME, QueryInterruptTimePrecise, mach_continuous_time.",
        references: &[
            "clock_gettime(2), CLOCK_BOOTTIME",
            "https://developer.apple.com/documentation/kernel/1646199-mach_continuous_time",
        ],
        ..Page::EMPTY
    },
    trap: "CLOCK_MONOTONIC includes suspend on macOS but not on Linux: one name, two clocks. The \
           time-outs of epoll, poll and nanosleep use the clock that stops.",
    short: "",
    how: How::Clock { choose, needs: &[CLOCKS] },
};

pub(super) const CLOCKS: &[&str] = &[
    "linux/boottime",
    "windows/queryinterrupttimeprecise",
    "windows/queryinterrupttime",
    "windows/gettickcount64",
    "mach/continuous_time",
];

fn choose(report: &Report) -> Advice {
    let Some(clock) = first_of(report, &CLOCKS[..2], |c| c.kind == Kind::Monotonic)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Monotonic))
    else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it keeps running while the machine is suspended and is never stepped.{}{}",
        figures(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("posix/monotonic", "on Linux it stops while the machine is suspended"),
                ("posix/realtime", "it includes suspend, but is stepped when the clock is set"),
            ],
        )
    );
    chosen(clock, why)
}
