//! The time of a log line or an event, in universal time.

use super::purpose::{How, Purpose};
use crate::pick::{chosen, figures, first_of, none, rejected, slow_because};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Page, Report};

pub(super) const PURPOSE: Purpose = Purpose {
    page: Page {
        names: &["timestamp"],
        title: "Timestamp logs and events",
        about: "Universal time, fine enough to distinguish the events of a log: 2 us or finer.",
        how: "Clocks of whole seconds, or of the last timer tick. Monotonic clocks, whose zero \
              means nothing to other machines. TAI if its offset is not set.",
        act: "CLOCK_REALTIME, GetSystemTimePreciseAsFileTime, or the language's wrapper of it.",
        references: &[
            "clock_gettime(2)",
            "adjtimex(2)",
            "https://learn.microsoft.com/windows/win32/api/sysinfoapi/nf-sysinfoapi-getsystemtimepreciseasfiletime",
        ],
        ..Page::EMPTY
    },
    trap: "Never measure by subtracting two timestamps: the clock may have been stepped in \
           between, also backwards. If you need both, take a monotonic timestamp as well. Leap \
           seconds are repeated or smeared.",
    short: "Timestamp events",
    how: How::Clock { choose, needs: &[SYSTEM] },
};

const SYSTEM: &[&str] = &["posix/realtime", "windows/getsystemtimepreciseasfiletime"];

/// The system's own wall clocks, then the languages' wrappers of them and older ones.
pub(super) const CLOCKS: &[&str] = &[
    "posix/realtime",
    "windows/getsystemtimepreciseasfiletime",
    "c/timespec_get",
    "rust/system_time",
    "cxx/system_clock",
    "c/gettimeofday",
    "windows/getsystemtimeasfiletime",
    "mach/clock_get_time",
];

/// The longest tick that distinguishes the events of a log, in nanoseconds.
const FINE_NS: f64 = 2000.0;

fn choose(report: &Report) -> Advice {
    let fine = |c: &Clock| c.kind == Kind::Wall && c.step_ns().is_none_or(|ns| ns <= FINE_NS);
    let clock = first_of(report, CLOCKS, fine)
        .or_else(|| first_of(report, CLOCKS, |c| c.kind == Kind::Wall));
    let Some(clock) = clock else {
        return none(report, CLOCKS);
    };
    let why = format!(
        "{}; it follows UTC, so it can be stepped: do not measure by subtracting two of its \
         timestamps.{}{}",
        figures(clock),
        slow_because(report, clock),
        rejected(
            report,
            &[
                ("linux/realtime-coarse", "events get the time of the last tick"),
                ("c/time", "whole seconds"),
                ("c/gettimeofday", "the same clock, truncated to microseconds"),
                ("linux/tai", "ahead of UTC by the leap seconds, and only if its offset is set"),
            ],
        )
    );
    chosen(clock, why)
}
