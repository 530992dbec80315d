//! Waits that sleep first and spin for the rest.

use super::busy::{spin_elapsed, spin_until};
use super::entry::{ByDeadline, ByDuration, Code, Entry, Kind, Language, PLAIN};
use super::{Method, Setting, Unavailable, find, os};
use chronoscope_model::snippet;
use std::time::{Duration, Instant};

const HYBRID: Entry = Entry { kind: Kind::Hybrid, ..PLAIN };
const LINUX: Entry = Entry { home: "Linux", ..HYBRID };
const WINDOWS: Entry = Entry { home: "Windows", ..HYBRID };

table! {
    WAITS: &[Entry];
    like HYBRID;
    "hybrid/fixed" =>
        "std::thread::sleep(duration.saturating_sub(margin)); \
        while start.elapsed() < duration { std::hint::spin_loop() }",
        language: Language::Rust,
        home: "every system",
        code: Code::Before(|wait| {
            format!(
                "let margin = std::time::Duration::from_nanos({MARGIN});\n{}",
                snippet::rust_start(wait.ns)
            )
        }),
        opener: on!(all(), |_| {
            crate::time::may_sleep()?;
            ByDuration(|ns: u64| {
                let start = Instant::now();
                std::thread::sleep(Duration::from_nanos(ns.saturating_sub(MARGIN)));
                spin_elapsed(start, ns, std::hint::spin_loop)
            })
        });
    like LINUX;
    "hybrid/nanosleep" =>
        "nanosleep(&most, NULL); \
        do clock_gettime(CLOCK_MONOTONIC, &t); \
        while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
        code: Code::Lines(|wait| {
            snippet::spin(wait.ns, &sleeping(wait.ns, MARGIN, |ns| {
                format!("{}\nnanosleep(&most, NULL);\n", snippet::timespec("most", ns))
            }))
        }),
        opener: on!(portable target_os = "linux", |setting| {
            then_spin("linux/nanosleep", || MARGIN, setting)?
        });
    "hybrid/timerfd" =>
        "timerfd_settime(fd, 0, &spec, NULL); read(fd, &expirations, 8); \
        do clock_gettime(CLOCK_MONOTONIC, &t); \
        while (t.tv_sec * 1000000000LL + t.tv_nsec < end);",
        code: Code::Lines(|wait| {
            snippet::spin(wait.ns, &sleeping(wait.ns, MARGIN, |ns| {
                format!(
                    "int fd = timerfd_create(CLOCK_MONOTONIC, 0);\n\
                     uint64_t expirations;\n\
                     struct itimerspec spec = {{ {{ 0, 0 }}, {{ {}, {} }} }};\n\
                     timerfd_settime(fd, 0, &spec, NULL);\n\
                     read(fd, &expirations, 8);\n",
                    ns / 1_000_000_000,
                    ns % 1_000_000_000
                )
            }))
        }),
        opener: on!(portable target_os = "linux", |setting| {
            then_spin("linux/timerfd", || MARGIN, setting)?
        });
    like WINDOWS;
    "hybrid/sleep" =>
        "Sleep(milliseconds); \
        do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
        code: Code::Lines(|wait| {
            let pause = match wait.ns.saturating_sub(LONGEST_TICK_MARGIN) / 1_000_000 {
                0 => String::new(),
                ms => format!("Sleep({ms});  // a tick of 15.625 ms and 1 ms early\n"),
            };
            snippet::qpc_spin(wait.ns, &pause)
        }),
        opener: on!(portable windows, |setting| then_spin("windows/sleep", tick_margin, setting)?);
    "hybrid/waitable-timer" =>
        "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); \
        WaitForSingleObject(timer, INFINITE); \
        do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
        code: Code::Lines(|wait| {
            snippet::qpc_spin(wait.ns, &sleeping(wait.ns, LONGEST_TICK_MARGIN, |ns| {
                snippet::waitable_timer("0", ns) + "\n"
            }))
        }),
        opener: on!(portable windows, |setting| {
            then_spin("windows/waitable-timer", tick_margin, setting)?
        });
    "hybrid/waitable-timer-high-resolution" =>
        "SetWaitableTimer(high_resolution, &due, 0, NULL, NULL, FALSE); \
        WaitForSingleObject(high_resolution, INFINITE); \
        do { QueryPerformanceCounter(&now); } while (now.QuadPart < end.QuadPart);",
        code: Code::Lines(|wait| {
            snippet::qpc_spin(wait.ns, &sleeping(wait.ns, MARGIN, |ns| {
                snippet::waitable_timer(snippet::HIGH_RESOLUTION, ns) + "\n"
            }))
        }),
        opener: on!(portable windows, |setting| {
            then_spin("windows/waitable-timer-high-resolution", || MARGIN, setting)?
        });
}

/// The lines that sleep until the margin begins; none for a wait that is shorter.
fn sleeping(ns: u64, margin: u64, lines: impl Fn(u64) -> String) -> String {
    if ns > margin { lines(ns - margin) } else { String::new() }
}

/// A method that sleeps with the method of that id until `margin` nanoseconds before the deadline,
/// and then reads the system's clock until the deadline has passed.
fn then_spin(
    id: &str,
    margin: fn() -> u64,
    setting: &Setting,
) -> Result<impl Method + use<>, Unavailable> {
    let entry = find(id).ok_or_else(|| Unavailable(format!("{id} is not in the catalogue")))?;
    let mut method = entry.open(setting)?;
    Ok(ByDeadline(move |deadline: u64| {
        let left = deadline.saturating_sub(os::monotonic());
        let sleep = left.saturating_sub(margin());
        if sleep > 0 {
            method.wait(sleep)?;
        }
        spin_until(deadline, std::hint::spin_loop)
    }))
}

/// How long before the deadline a sleep ends that no tick of the system's timer delays, in
/// nanoseconds: the default of the crate spin_sleep.
const MARGIN: u64 = if cfg!(windows) { 1_000_000 } else { 125_000 };

/// How long before the deadline a sleep ends that a tick of Windows' timer ends: the period of that
/// tick, and a millisecond for a sleep that takes whole ones.
fn tick_margin() -> u64 {
    os::slack().unwrap_or(TICK).saturating_add(MILLISECOND)
}

/// The margin unless a program has asked for a shorter period, as the code shows it.
const LONGEST_TICK_MARGIN: u64 = TICK + MILLISECOND;

/// The period of Windows' timer unless a program has asked for another (Microsoft Learn, "Timer
/// accuracy").
const TICK: u64 = 15_625_000;
const MILLISECOND: u64 = 1_000_000;
