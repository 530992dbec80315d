//! A cheap time where milliseconds suffice.

use super::{About, Purpose, interval};
use crate::pick::{Choice, cheapest, chosen, dear, figures, none, rejected};
use crate::reading::{cost, ns, short, tick, usable};
use crate::system::{Code, System, with};
use crate::verdict::unordered;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind};

pub(super) const PURPOSE: Purpose = Purpose {
    id: "coarse",
    title: "Read the time cheaply where milliseconds suffice",
    page: About {
        needs: "A monotonic clock whose tick is 20 ms or less and whose read is cheap: for \
             time-outs, caches, rates.",
        rules_out: "A tick above 20 ms. Wall clocks, which are stepped. Counters, which are finer than \
             is asked for and have their own traps.",
        advised: "The kernel's time of the last tick (CLOCK_MONOTONIC_COARSE, GetTickCount64, \
             mach_approximate_time), where it saves a fifth or more against the system's clock; \
             otherwise that one.",
        trap: "All reads between two ticks are equal: no duration of less than a tick can be had \
             from it, and a mean of many is no cure, as reads are not independent of the tick.",
        references: &[
            "clock_gettime(2), CLOCK_MONOTONIC_COARSE",
            "Linux kernel/time/timekeeping.c",
        ],
    },
    choose,
    code: lines,
};

/// The longest tick that still is "milliseconds": 15.625 ms is the longest of a system's ticks.
const LONGEST_NS: f64 = 20e6;

/// What the clock must save against the system's own to be worth its tick.
const WORTH: f64 = 0.8;

const CLOCKS: &[&str] = &[
    "linux/monotonic-coarse",
    "windows/gettickcount64",
    "windows/queryinterrupttime",
    "mach/approximate_time",
    "posix/monotonic",
    "windows/qpc",
    "mach/absolute_time",
];

fn choose(report: &Report) -> Choice {
    let fits = |c: &Clock| {
        c.kind == Kind::Monotonic
            && !unordered(c)
            && CLOCKS.contains(&c.id.as_str())
            && tick(c).is_none_or(|t| t <= LONGEST_NS)
    };
    let system = interval::system_clock(report);
    let Some(least) = cheapest(report, fits) else {
        return match system.filter(|c| usable(c)) {
            Some(clock) => chosen(clock, format!("{}; nothing cheaper was measured.", figures(clock))),
            None => none(report, CLOCKS),
        };
    };
    let clock = match (system, cost(least), system.and_then(cost)) {
        (Some(system), Some(a), Some(b)) if a > b * WORTH => system,
        _ => least,
    };
    let saved = match (system.filter(|s| s.id != clock.id), cost(clock)) {
        (Some(system), Some(own)) => cost(system).map_or(String::new(), |other| {
            format!(", {} times cheaper than {} ({})", times(other / own), system.id, ns(other))
        }),
        _ => ", and none of the coarse ones saves a fifth of it".into(),
    };
    let step = tick(clock).map_or(String::new(), |t| format!(" in steps of {}", short(t)));
    let why = format!(
        "{} a read{step}{saved}.{}{}",
        cost(clock).map_or(String::new(), ns),
        dear(report, clock),
        rejected(
            report,
            &[
                ("linux/realtime-coarse", "as cheap, but it is stepped when the clock is set"),
                ("c/time", "whole seconds, and it is stepped"),
            ],
        )
    );
    chosen(clock, why)
}

/// `3.4`, `151`
fn times(ratio: f64) -> String {
    format!("{ratio:.*}", usize::from(ratio < 10.0))
}

fn lines(choice: &Choice, system: System) -> Code {
    let base = with(
        interval::stamps(system),
        &[
            ("C#", "long ms = Environment.TickCount64;"),
            ("Java", "long ms = System.nanoTime() / 1_000_000;"),
            ("Python", "import time\nms = time.monotonic_ns() // 1_000_000"),
            ("JavaScript", "const ms = Math.floor(performance.now());"),
        ],
    );
    match (system, choice.clock.as_deref()) {
        (System::Linux, Some("linux/monotonic-coarse")) => {
            let c = "struct timespec t;\nclock_gettime(CLOCK_MONOTONIC_COARSE, &t);";
            with(
                base,
                &[
                    ("C", c),
                    ("C++", c),
                    (
                        "Rust",
                        "use rustix::time::{clock_gettime, ClockId};\n\
                         let t = clock_gettime(ClockId::MonotonicCoarse);",
                    ),
                ],
            )
        }
        (System::Windows, _) => with(
            base,
            &[
                ("C", "ULONGLONG ms = GetTickCount64();"),
                ("C++", "ULONGLONG ms = GetTickCount64();"),
                (
                    "Rust",
                    "use windows_sys::Win32::System::SystemInformation::*;\n\
                     let ms = unsafe { GetTickCount64() };",
                ),
            ],
        ),
        (System::Mac, _) => with(base, &[("C", "uint64_t t = mach_approximate_time();")]),
        _ => base,
    }
}
