//! The code of a wait: the lines that were measured, and a wait of the same kind in the other
//! languages.

use crate::advise::LANGUAGES;
use crate::advise::code::{Code, code};
use crate::system::System;
use chronoscope_model::snippet::{self, HIGH_RESOLUTION};
use chronoscope_model::waits::{Kind, Wait};

/// Some languages cannot sleep for less than a millisecond.
const MILLISECOND: u64 = 1_000_000;

/// The measured wait in its own language, and the closest to it in every other one, each with the
/// lines that set its slack. All can be pasted into a function. A row without lines of its own, of
/// a report of an earlier version, has its call.
///
/// Also returns the languages whose wait is of another kind; a comment in each says so.
pub(super) fn lines(wait: &Wait, system: System) -> (Code, Vec<&'static str>) {
    let ns = wait.requested_ns.unwrap_or(MILLISECOND);
    let spins = spin(system, ns, |_| String::new());
    let mut lines = match wait.kind {
        Kind::Sleep => sleep(system, ns),
        Kind::Busy => spins.clone(),
        Kind::Hybrid => spin(system, ns, |language| pause(language, system, ns)),
    };
    let own = wait.language.name();
    let measured = match wait.code.as_str() {
        "" => snippet::statement("", &wait.call),
        lines => lines.to_owned(),
    };
    lines.insert(own.to_owned(), measured);
    let set = |sheet, value: String, language: &str| {
        code(&[sheet], system, "")[language].replace("{value}", &value) + "\n"
    };
    let mut of_another_kind = Vec::new();
    for (language, line) in &mut lines {
        let only_spins = language != own && spins.get(language) == Some(line);
        let before = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
            (Some(ms), ..) => set(PERIOD, ms.to_string(), language),
            // Slack has no effect on a spin.
            (None, Some(ns), false) if !only_spins => set(SLACK, ns.to_string(), language),
            _ => String::new(),
        };
        let slice = wait.slice_ns.map(|ns| set(SLICE, ns.to_string(), language));
        *line = slice.unwrap_or_default() + &before + line;
        if language == own {
            continue;
        }
        let remark = match wait.kind {
            Kind::Sleep if ns < MILLISECOND => code(&[LONG_SLEEP], system, "").remove(language),
            Kind::Hybrid if only_spins => Some(no_sleep_before(language, system).into()),
            _ => None,
        };
        if let Some(remark) = remark {
            *line = format!("{remark}\n{line}");
            of_another_kind.extend(LANGUAGES.iter().find(|name| *name == language));
        }
    }
    (lines, of_another_kind)
}

/// Whether a language sleeps for whole milliseconds.
///
/// Thread.Sleep of C# takes whole milliseconds and drops the rest of a TimeSpan (Microsoft,
/// "Thread.Sleep Method"); so does setTimeout (HTML, "Timers"). On Linux, Go's timers wait in
/// epoll_wait, whose shortest time-out is a millisecond, if nothing else can run (golang/go, issue
/// 53824). On Windows, sleep_for calls Sleep with milliseconds rounded up (LLVM,
/// thread_win32.cpp), and Java's sleep is exact below a millisecond on POSIX systems only (JDK 21
/// release notes, JDK-8305092).
fn whole_milliseconds(language: &str, system: System) -> bool {
    match language {
        "C#" | "JavaScript" => true,
        "Go" => system == System::Linux,
        "C++" | "Java" => system == System::Windows,
        _ => false,
    }
}

/// The comments on sleeps of less than a millisecond that take longer. JavaScript has another call
/// for these.
const LONG_SLEEP: &str = "
=== C#
// spins: C# cannot sleep for less than 1 ms; Thread.Sleep
// drops fractions (learn.microsoft.com, Thread.Sleep Method)
=== Go on Linux
// sleeps for 1 ms if the program is idle (Go issue 53824)
=== C++, Java on Windows
// sleeps for at least 1 ms: Windows takes whole milliseconds
";

/// The comment on a wait that should sleep, then spin, and only spins.
fn no_sleep_before(language: &str, system: System) -> &'static str {
    match language {
        "Python" => "# only spins: the time is too short to sleep first",
        _ if whole_milliseconds(language, system) => {
            "// only spins: it can sleep for whole milliseconds only"
        }
        _ => "// only spins: the time is too short to sleep first",
    }
}

/// The lines that set the calling thread's timer slack (prctl(2), PR_SET_TIMERSLACK is 29). Java
/// and Go do not say which thread they sleep on, and JavaScript cannot call it.
const SLACK: &str = r#"
=== C, C++
prctl(PR_SET_TIMERSLACK, {value});
=== Rust
unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, {value}) };
=== C#
[System.Runtime.InteropServices.DllImport("libc")]
static extern int prctl(int what, nuint ns);
prctl(29, {value});  // PR_SET_TIMERSLACK
=== Python
import ctypes
ctypes.CDLL(None).prctl(29, {value})  # PR_SET_TIMERSLACK
=== Java, Go, JavaScript
// with the default timer slack, which cannot be set from here
"#;

/// The lines that ask for a slice for the calling thread (sched_setattr(2), Linux 6.12), and leave
/// its policy and its nice value as they are. Java and Go do not say which thread they sleep on.
const SLICE: &str = "
=== C, C++
struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} attributes = {};
syscall(SYS_sched_getattr, 0, &attributes,
    sizeof attributes, 0);
attributes.runtime = {value};  // the slice (Linux 6.12)
syscall(SYS_sched_setattr, 0, &attributes, 0);
=== Rust
// The slice (Linux 6.12). chronoscope has it as an option:
// chronoscope::wait::Waiter::shorten_slice
let mut attr: libc::sched_attr = unsafe { std::mem::zeroed() };
unsafe {
    let (at, size) = (&raw mut attr, size_of_val(&attr));
    libc::syscall(libc::SYS_sched_getattr, 0, at, size, 0);
    (*at).sched_runtime = {value};
    libc::syscall(libc::SYS_sched_setattr, 0, at, 0);
}
=== Python
# with the default slice: see the code in C
=== C#, Java, Go, JavaScript
// with the default slice, which cannot be set from here
";

/// The lines that ask Windows for a timer period, for the whole process; they need winmm.lib.
const PERIOD: &str = r#"
=== C, C++
timeBeginPeriod({value});
=== Rust
unsafe { windows_sys::Win32::Media::timeBeginPeriod({value}) };
=== C#
[System.Runtime.InteropServices.DllImport("winmm")]
static extern uint timeBeginPeriod(uint ms);
timeBeginPeriod({value});
=== Python
import ctypes
ctypes.windll.winmm.timeBeginPeriod({value})
=== Java, Go, JavaScript
// with the default timer period, which cannot be set from here
"#;

/// A sleep in every language. Java's is exact below a millisecond since version 21, Python's since
/// 3.11, which calls clock_nanosleep; see [`whole_milliseconds`].
const SLEEP: &str = "
=== C
{duration}
nanosleep(&duration, NULL);
=== C on Windows
{timer}
=== C++
std::this_thread::sleep_for(
    std::chrono::nanoseconds({ns}));
=== Rust
std::thread::sleep(std::time::Duration::from_nanos({ns}));
=== C#
Thread.Sleep({whole_ms});  // ms
=== Java
Thread.sleep(java.time.Duration.ofNanos({ns}));  // 19
=== Go
time.Sleep({ns} * time.Nanosecond)
=== Python
import time
time.sleep({s})
=== JavaScript
await new Promise(done => setTimeout(done, {whole_ms}));
";

/// The sleeps for less than a millisecond, in the languages in which these differ.
const SHORT_SLEEP: &str = "
=== JavaScript
const cell = new Int32Array(new SharedArrayBuffer(4));
Atomics.wait(cell, 0, 0, {ms});  // ms
";

/// A spin in every language. The deadline is taken first, then comes the sleep of a hybrid wait.
const SPIN: &str = "
=== C++
auto end = std::chrono::steady_clock::now()
    + std::chrono::nanoseconds({ns});
{pause}while (std::chrono::steady_clock::now() < end) {}
=== C#
long t0 = System.Diagnostics.Stopwatch.GetTimestamp();
{pause}while (System.Diagnostics.Stopwatch.GetElapsedTime(t0)
    < TimeSpan.FromMicroseconds({us})) Thread.SpinWait(1);
=== Java
long end = System.nanoTime() + {ns}L;
{pause}while (System.nanoTime() - end < 0) Thread.onSpinWait();
=== Go
t0 := time.Now()
{pause}for time.Since(t0) < {ns}*time.Nanosecond {
}
=== Python
import time
end = time.perf_counter_ns() + {ns}
{pause}while time.perf_counter_ns() < end:
    pass
=== JavaScript
const end = performance.now() + {ms};
{pause}while (performance.now() < end);
";

/// The sleep of a hybrid wait, which ends a margin before the deadline.
const PAUSE: &str = "
=== C
{most}
nanosleep(&most, NULL);
=== C on Windows
{timer}
=== C++
std::this_thread::sleep_until(
    end - std::chrono::nanoseconds({margin}));
=== C++ on Windows
std::this_thread::sleep_until(
    end - std::chrono::milliseconds(2));
=== Rust
std::thread::sleep(std::time::Duration::from_nanos({ns}));
=== C#
Thread.Sleep({left_ms});
=== Java
Thread.sleep(java.time.Duration.ofNanos({ns}));  // 19
=== Java on Windows
Thread.sleep({left_ms});
=== Go
time.Sleep({ns} * time.Nanosecond)
=== Go on Linux
time.Sleep({left_ms} * time.Millisecond)
=== Python
time.sleep({s})
=== JavaScript
await new Promise(done => setTimeout(done, {left_ms}));
";

fn sleep(system: System, ns: u64) -> Code {
    let sheets = if ns < MILLISECOND { [SLEEP, SHORT_SLEEP].as_slice() } else { &[SLEEP] };
    let mut lines = code(sheets, system, "");
    if ns < MILLISECOND {
        lines.extend(code(&[SPIN], system, "").remove_entry("C#"));
    }
    lines.values_mut().for_each(|line| *line = filled(line, ns).replace("{pause}", ""));
    lines
}

/// A spin in every language, after this pause.
fn spin(system: System, ns: u64, pause: impl Fn(&str) -> String) -> Code {
    let mut lines = code(&[SPIN], system, "");
    for (language, line) in &mut lines {
        *line = filled(line, ns).replace("{pause}", &pause(language));
    }
    let c = match system {
        System::Windows => snippet::qpc_spin(ns),
        _ => snippet::spin(ns, ""),
    };
    for (language, spin) in [("C", c), ("Rust", snippet::rust_spin(ns))] {
        lines.insert(language.into(), spin.after(&pause(language)));
    }
    lines
}

/// How long before the deadline the sleep of a hybrid wait ends, in nanoseconds: a guess that is
/// enough if wake-ups take tens of microseconds. For a language that sleeps for whole milliseconds
/// it is at least one of them.
const MARGIN: u64 = 200_000;

/// The sleep of a hybrid wait; empty if it would be shorter than the language can sleep.
fn pause(language: &str, system: System, ns: u64) -> String {
    let left = ns.saturating_sub(MARGIN);
    // Whole milliseconds, of which one is the margin.
    let left_ms = (ns / MILLISECOND).saturating_sub(2);
    let none = if whole_milliseconds(language, system) { left_ms == 0 } else { left == 0 };
    match code(&[PAUSE], system, "").remove(language) {
        Some(line) if !none => {
            let line = filled(&line, left).replace("{left_ms}", &left_ms.to_string());
            line.replace("{margin}", &MARGIN.to_string()) + "\n"
        }
        _ => String::new(),
    }
}

/// The lines with the names in braces replaced by the duration, in the unit of each.
fn filled(lines: &str, ns: u64) -> String {
    // Seconds as a decimal number without an exponent.
    let s = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    [
        ("{ns}", ns.to_string()),
        ("{us}", (ns as f64 / 1e3).to_string()),
        ("{ms}", (ns as f64 / 1e6).to_string()),
        ("{whole_ms}", ns.div_ceil(MILLISECOND).to_string()),
        ("{s}", s.trim_end_matches('0').trim_end_matches('.').to_owned()),
        ("{duration}", snippet::timespec("duration", ns)),
        ("{most}", snippet::timespec("most", ns)),
        ("{timer}", snippet::waitable_timer(HIGH_RESOLUTION, ns)),
    ]
    .iter()
    .fold(lines.to_owned(), |lines, (name, value)| lines.replace(name, value))
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
