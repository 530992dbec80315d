//! The purposes for which a clock of the system is chosen, one after the other.

use super::pick::{
    cheapest, chosen, figures, figures_over, first_of, merged, none, rejected, slow_because,
};
use super::{How, Purpose};
use crate::clocks::COARSE_NS;
use crate::reading::{cost, counter_may_jump, tsc_objection, unordered, usable};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Page, Report};

/// A duration within one process.
pub(super) const INTERVAL: Purpose = Purpose {
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
