//! A duration within one process.

use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures_over, first_of, none, rejected, slow_because};
use crate::verdict::COARSE_NS;
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["interval"],
        title: "Measure a duration in one process",
        about: "A clock that never goes backwards, is never stepped, keeps the length of a \
                second, agrees on every CPU, and resolves a microsecond.",
        how: "A wall clock, which is stepped when a person or NTP sets it. A coarse clock: its \
              tick is milliseconds. CLOCK_MONOTONIC_RAW, whose rate is not disciplined. A bare \
              counter, whose rate must be calibrated first. A system call if the vDSO reads the \
              same clock in user space.",
        act: "The system's own monotonic clock: clock_gettime(CLOCK_MONOTONIC), \
              QueryPerformanceCounter, mach_absolute_time, or the language's wrapper of it if \
              that costs at most a quarter more.",
        references: &[
            "clock_gettime(2)",
            "https://learn.microsoft.com/windows/win32/sysinfo/acquiring-high-resolution-time-stamps",
            "docs/METHOD.md",
        ],
        ..Page::EMPTY
    },
    trap: "The two reads take time themselves, and the shorter the interval, the more that \
           matters: below a microsecond see micro. On Linux the clock stops while the machine is \
           suspended: see boot.",
    short: "Measure a duration",
    how: How::Clock { choose, needs: &[SYSTEM] },
};

/// The system's own monotonic clocks.
pub(super) const SYSTEM: &[&str] =
    &["posix/monotonic", "windows/qpc", "darwin/clock_gettime_nsec_np-uptime-raw"];

/// The system's own monotonic clocks, then the languages' wrappers of them.
pub(crate) const CLOCKS: &[&str] = &[
    "posix/monotonic",
    "windows/qpc",
    "darwin/clock_gettime_nsec_np-uptime-raw",
    "mach/absolute_time",
    "rust/instant",
    "cxx/steady_clock",
];

/// The system's monotonic clock: one that resolves a microsecond if there is one.
pub(crate) fn system_clock(report: &Report) -> Option<&Clock> {
    let fine = |c: &Clock| c.kind == Kind::Monotonic && c.step_ns().is_none_or(|ns| ns < COARSE_NS);
    first_of(report, CLOCKS, fine)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Monotonic))
}

fn choose(report: &Report) -> Advice {
    let Some(clock) = system_clock(report) else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it is never stepped and agrees on every CPU.{}{}",
        figures_over(report, clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("linux/monotonic-coarse", "its tick is too long"),
                ("posix/realtime", "it is stepped when the clock is set"),
                ("linux/monotonic-raw", "its rate is not disciplined, so its second may be off"),
                (
                    "x86/rdtsc-intrinsic",
                    "its rate must be calibrated first, and it may be read early"
                ),
                ("linux/monotonic-syscall", "the same clock, read more slowly"),
            ],
        )
    );
    chosen(clock, why)
}
