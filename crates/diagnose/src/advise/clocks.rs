//! The purposes for which a clock of the system is chosen, one after the other.

use super::pick::{
    cheapest, chosen, figures, figures_over, first_of, merged, none, rejected, slow_because,
};
use super::{How, Purpose};
use crate::clocks::COARSE_NS;
use crate::reading::{cost, counter_may_jump, tsc_objection, unordered, usable};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Report};

/// A duration within one process.
pub(super) const INTERVAL: Purpose = Purpose {
    id: "interval",
    short: "Measure a duration",
    how: How::Clock { choose: interval_clock, needs: &[SYSTEM] },
};

/// The system's own monotonic clocks.
pub(super) const SYSTEM: &[&str] =
    &["posix/monotonic", "windows/qpc", "darwin/clock_gettime_nsec_np-uptime-raw"];

/// The system's own monotonic clocks, then the languages' wrappers of them.
pub(crate) const INTERVAL_CLOCKS: &[&str] = &[
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
    first_of(report, INTERVAL_CLOCKS, fine)
        .or_else(|| first_of(report, INTERVAL_CLOCKS, |c| c.kind == Kind::Monotonic))
}

fn interval_clock(report: &Report) -> Advice {
    let Some(clock) = system_clock(report) else {
        return none(report, INTERVAL_CLOCKS);
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

/// The time of a log line or an event, in universal time.
pub(super) const TIMESTAMP: Purpose = Purpose {
    id: "timestamp",
    short: "Timestamp events",
    how: How::Clock { choose: timestamp_clock, needs: &[TIMESTAMP_SYSTEM] },
};

const TIMESTAMP_SYSTEM: &[&str] = &["posix/realtime", "windows/getsystemtimepreciseasfiletime"];

/// The system's own wall clocks, then the languages' wrappers of them and older ones.
pub(super) const TIMESTAMP_CLOCKS: &[&str] = &[
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

fn timestamp_clock(report: &Report) -> Advice {
    let fine = |c: &Clock| c.kind == Kind::Wall && c.step_ns().is_none_or(|ns| ns <= FINE_NS);
    let clock = first_of(report, TIMESTAMP_CLOCKS, fine)
        .or_else(|| first_of(report, TIMESTAMP_CLOCKS, |c| c.kind == Kind::Wall));
    let Some(clock) = clock else {
        return none(report, TIMESTAMP_CLOCKS);
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

/// A cheap read of the time when milliseconds are enough.
pub(super) const COARSE: Purpose = Purpose {
    id: "coarse",
    short: "",
    how: How::Clock { choose: coarse_clock, needs: &[SYSTEM, COARSE_FIRST] },
};

/// The longest tick that still counts as milliseconds, in nanoseconds: 15.625 ms is the longest
/// timer tick of any system.
const LONGEST_NS: f64 = 20e6;

/// A coarse clock is worth its long tick if its read costs no more than this share of a read of the
/// system's own clock.
const WORTH: f64 = 0.8;

/// The first four, which are the coarse ones.
const COARSE_FIRST: &[&str] = COARSE_CLOCKS.split_at(4).0;

pub(super) const COARSE_CLOCKS: &[&str] = &[
    "linux/monotonic-coarse",
    "windows/gettickcount64",
    "windows/queryinterrupttime",
    "mach/approximate_time",
    "posix/monotonic",
    "windows/qpc",
    "mach/absolute_time",
];

fn coarse_clock(report: &Report) -> Advice {
    let fits = |c: &Clock| {
        c.kind == Kind::Monotonic
            && !unordered(c, &report.environment)
            && COARSE_CLOCKS.contains(&c.id.as_str())
            && c.step_ns().is_none_or(|t| t <= LONGEST_NS)
    };
    let system = system_clock(report);
    let Some(least) = cheapest(report, fits) else {
        return match system.filter(|c| usable(c)) {
            Some(clock) => {
                let why = format!("{}; nothing cheaper was measured.", figures(clock));
                chosen(clock, why)
            }
            None => none(report, COARSE_CLOCKS),
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

/// CPU time used.
pub(super) const CPU: Purpose = Purpose {
    id: "cpu",
    short: "Measure CPU time",
    how: How::Clock { choose: cpu_clock, needs: &[CPU_SYSTEM] },
};

const CPU_SYSTEM: &[&str] = &["posix/process-cputime", "windows/querythreadcycletime"];

pub(super) const CPU_CLOCKS: &[&str] = &[
    "posix/process-cputime",
    "posix/thread-cputime",
    "c/clock",
    "c/getrusage",
    "c/times",
    "windows/querythreadcycletime",
];

fn cpu_clock(report: &Report) -> Advice {
    let fine = |c: &Clock| c.kind == Kind::Cpu && c.step_ns().is_none_or(|ns| ns <= 1e6);
    let clock = first_of(report, &CPU_CLOCKS[..1], fine)
        .or_else(|| first_of(report, CPU_CLOCKS, fine))
        .or_else(|| first_of(report, CPU_CLOCKS, |c| c.kind == Kind::Cpu));
    let Some(clock) = clock else {
        return none(report, CPU_CLOCKS);
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

/// Times compared between processes, threads and CPUs of one machine.
pub(super) const CROSS_PROCESS: Purpose = Purpose {
    id: "cross-process",
    short: "",
    how: How::Clock { choose: cross_process_clock, needs: &[SYSTEM] },
};

fn cross_process_clock(report: &Report) -> Advice {
    let Some(clock) = system_clock(report) else {
        return none(report, INTERVAL_CLOCKS);
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

/// Elapsed time that includes suspend.
pub(super) const BOOT: Purpose = Purpose {
    id: "boot",
    short: "",
    how: How::Clock { choose: boot_clock, needs: &[BOOT_CLOCKS] },
};

pub(super) const BOOT_CLOCKS: &[&str] = &[
    "linux/boottime",
    "windows/queryinterrupttimeprecise",
    "windows/queryinterrupttime",
    "windows/gettickcount64",
    "mach/continuous_time",
];

fn boot_clock(report: &Report) -> Advice {
    let Some(clock) = first_of(report, &BOOT_CLOCKS[..2], |c| c.kind == Kind::Monotonic)
        .or_else(|| first_of(report, BOOT_CLOCKS, |c| c.kind == Kind::Monotonic))
    else {
        return none(report, BOOT_CLOCKS);
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
