//! The code of a wait: the lines that were measured, and a wait of the same kind in the other
//! languages.

use crate::advise::LANGUAGES;
use crate::system::{Code, System};
use chronoscope_model::snippet::{self, HIGH_RESOLUTION, Spin};
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
    let others = match wait.kind {
        Kind::Sleep => sleep(system, ns),
        Kind::Busy => spin(system, ns),
        Kind::Hybrid => hybrid(system, ns),
    };
    let spins = spin(system, ns);
    let own = wait.language.name();
    let measured = match wait.code.as_str() {
        "" => snippet::statement("", &wait.call),
        lines => lines.to_owned(),
    };
    let mut lines = with_strings(others, [(own, measured)]);
    let mut of_another_kind = Vec::new();
    for (language, line) in &mut lines {
        let only_spins = language != own && spins.get(language) == Some(line);
        let before = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
            (Some(ms), ..) => period(language, ms),
            // Slack has no effect on a spin.
            (None, Some(ns), false) if !only_spins => slack(language, ns),
            _ => String::new(),
        };
        let before = wait.slice_ns.map_or(String::new(), |ns| slice(language, ns)) + &before;
        *line = before + line;
        if language == own {
            continue;
        }
        let remark = match wait.kind {
            Kind::Busy => None,
            Kind::Sleep => (ns < MILLISECOND).then(|| long_sleep(language, system)).flatten(),
            Kind::Hybrid => only_spins.then(|| no_sleep_before(language, system)),
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

/// The comment on a sleep of less than a millisecond that takes longer.
fn long_sleep(language: &str, system: System) -> Option<&'static str> {
    match language {
        // It has another call for that.
        "JavaScript" => None,
        "C#" => Some(
            "// spins: C# cannot sleep for less than 1 ms; Thread.Sleep\n\
             // drops fractions (learn.microsoft.com, Thread.Sleep Method)",
        ),
        "Go" if whole_milliseconds(language, system) => {
            Some("// sleeps for 1 ms if the program is idle (Go issue 53824)")
        }
        _ if whole_milliseconds(language, system) => {
            Some("// sleeps for at least 1 ms: Windows takes whole milliseconds")
        }
        _ => None,
    }
}

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
fn slack(language: &str, ns: u64) -> String {
    match language {
        "C" | "C++" => format!("prctl(PR_SET_TIMERSLACK, {ns});\n"),
        "Rust" => format!("unsafe {{ libc::prctl(libc::PR_SET_TIMERSLACK, {ns}) }};\n"),
        "C#" => format!(
            "[System.Runtime.InteropServices.DllImport(\"libc\")]\n\
             static extern int prctl(int what, nuint ns);\n\
             prctl(29, {ns});  // PR_SET_TIMERSLACK\n"
        ),
        "Python" => {
            format!("import ctypes\nctypes.CDLL(None).prctl(29, {ns})  # PR_SET_TIMERSLACK\n")
        }
        _ => "// with the default timer slack, which cannot be set from here\n".into(),
    }
}

/// The lines that ask for a slice for the calling thread (sched_setattr(2), Linux 6.12), and leave
/// its policy and its nice value as they are. Java and Go do not say which thread they sleep on.
fn slice(language: &str, ns: u64) -> String {
    match language {
        "C" | "C++" => format!(
            "struct {{\n    \
             uint32_t size, policy;\n    \
             uint64_t flags;\n    \
             int32_t nice;\n    \
             uint32_t priority;\n    \
             uint64_t runtime, deadline, period;\n\
             }} attributes = {{}};\n\
             syscall(SYS_sched_getattr, 0, &attributes,\n    \
             sizeof attributes, 0);\n\
             attributes.runtime = {ns};  // the slice (Linux 6.12)\n\
             syscall(SYS_sched_setattr, 0, &attributes, 0);\n"
        ),
        "Rust" => format!(
            "// The slice (Linux 6.12). chronoscope has it as an option:\n\
             // chronoscope::wait::Waiter::shorten_slice\n\
             let mut attr: libc::sched_attr = unsafe {{ std::mem::zeroed() }};\n\
             unsafe {{\n    \
             let (at, size) = (&raw mut attr, size_of_val(&attr));\n    \
             libc::syscall(libc::SYS_sched_getattr, 0, at, size, 0);\n    \
             (*at).sched_runtime = {ns};\n    \
             libc::syscall(libc::SYS_sched_setattr, 0, at, 0);\n\
             }}\n"
        ),
        "Python" => "# with the default slice: see the code in C\n".into(),
        _ => "// with the default slice, which cannot be set from here\n".into(),
    }
}

/// The lines that ask Windows for a timer period, for the whole process; they need winmm.lib.
fn period(language: &str, ms: u32) -> String {
    match language {
        "C" | "C++" => format!("timeBeginPeriod({ms});\n"),
        "Rust" => format!("unsafe {{ windows_sys::Win32::Media::timeBeginPeriod({ms}) }};\n"),
        "C#" => format!(
            "[System.Runtime.InteropServices.DllImport(\"winmm\")]\n\
             static extern uint timeBeginPeriod(uint ms);\n\
             timeBeginPeriod({ms});\n"
        ),
        "Python" => format!("import ctypes\nctypes.windll.winmm.timeBeginPeriod({ms})\n"),
        _ => "// with the default timer period, which cannot be set from here\n".into(),
    }
}

/// A sleep in every language. Java's is exact below a millisecond since version 21, Python's since
/// 3.11, which calls clock_nanosleep; see [`whole_milliseconds`].
fn sleep(system: System, ns: u64) -> Code {
    let ms = ns as f64 / 1e6;
    let whole_ms = ns.div_ceil(MILLISECOND);
    let base = strings([
        ("C", format!("{}\nnanosleep(&duration, NULL);", snippet::timespec("duration", ns))),
        ("C++", format!("std::this_thread::sleep_for(\n    std::chrono::nanoseconds({ns}));")),
        ("Rust", format!("std::thread::sleep(std::time::Duration::from_nanos({ns}));")),
        ("C#", format!("Thread.Sleep({whole_ms});  // ms")),
        ("Java", format!("Thread.sleep(java.time.Duration.ofNanos({ns}));  // 19")),
        ("Go", format!("time.Sleep({ns} * time.Nanosecond)")),
        ("Python", format!("import time\ntime.sleep({})", seconds(ns))),
        ("JavaScript", format!("await new Promise(done => setTimeout(done, {whole_ms}));")),
    ]);
    let base = match system {
        System::Windows => {
            let timer = snippet::waitable_timer(HIGH_RESOLUTION, ns);
            with_strings(base, [("C", timer)])
        }
        _ => base,
    };
    if ns >= MILLISECOND {
        return base;
    }
    with_strings(
        base,
        [
            ("C#", csharp_spin(ns).alone()),
            (
                "JavaScript",
                format!(
                    "const cell = new Int32Array(new SharedArrayBuffer(4));\n\
                     Atomics.wait(cell, 0, 0, {ms});  // ms"
                ),
            ),
        ],
    )
}

fn csharp_spin(ns: u64) -> Spin {
    Spin {
        before: "long t0 = System.Diagnostics.Stopwatch.GetTimestamp();\n".into(),
        turns: format!(
            "while (System.Diagnostics.Stopwatch.GetElapsedTime(t0)\n    \
             < TimeSpan.FromMicroseconds({})) Thread.SpinWait(1);",
            ns as f64 / 1e3
        ),
    }
}

/// A spin in every language.
fn spins(system: System, ns: u64) -> [(&'static str, Spin); 8] {
    let of = |before: String, turns: &str| Spin { before, turns: turns.into() };
    let c = match system {
        System::Windows => snippet::qpc_spin(ns),
        _ => snippet::spin(ns, ""),
    };
    let go = Spin {
        before: "t0 := time.Now()\n".into(),
        turns: format!("for time.Since(t0) < {ns}*time.Nanosecond {{\n}}"),
    };
    [
        ("C", c),
        (
            "C++",
            of(
                format!(
                    "auto end = std::chrono::steady_clock::now()\n    \
                     + std::chrono::nanoseconds({ns});\n"
                ),
                "while (std::chrono::steady_clock::now() < end) {}",
            ),
        ),
        ("Rust", snippet::rust_spin(ns)),
        ("C#", csharp_spin(ns)),
        (
            "Java",
            of(
                format!("long end = System.nanoTime() + {ns}L;\n"),
                "while (System.nanoTime() - end < 0) Thread.onSpinWait();",
            ),
        ),
        ("Go", go),
        (
            "Python",
            of(
                format!("import time\nend = time.perf_counter_ns() + {ns}\n"),
                "while time.perf_counter_ns() < end:\n    pass",
            ),
        ),
        (
            "JavaScript",
            of(
                format!("const end = performance.now() + {};\n", ns as f64 / 1e6),
                "while (performance.now() < end);",
            ),
        ),
    ]
}

fn spin(system: System, ns: u64) -> Code {
    strings(spins(system, ns).map(|(language, spin)| (language, spin.alone())))
}

/// How long before the deadline the sleep of a hybrid wait ends, in nanoseconds: a guess that is
/// enough if wake-ups take tens of microseconds. For a language that sleeps for whole milliseconds
/// it is at least one of them.
const MARGIN: u64 = 200_000;

/// A sleep that ends a margin early, and a spin for the rest; only the spin if the sleep would be
/// shorter than the language can sleep.
fn hybrid(system: System, ns: u64) -> Code {
    // The deadline is taken first, and the spin comes last.
    strings(spins(system, ns).map(|(language, spin)| {
        let pause = pause(language, system, ns);
        (language, spin.after(&pause))
    }))
}

/// The sleep of a hybrid wait; empty if there is none.
fn pause(language: &str, system: System, ns: u64) -> String {
    let left = ns.saturating_sub(MARGIN);
    // Whole milliseconds, of which one is the margin.
    let left_ms = (ns / MILLISECOND).saturating_sub(2);
    match (language, system) {
        ("C#", _) if left_ms > 0 => format!("Thread.Sleep({left_ms});\n"),
        ("JavaScript", _) if left_ms > 0 => {
            format!("await new Promise(done => setTimeout(done, {left_ms}));\n")
        }
        ("Go", System::Linux) if left_ms > 0 => {
            format!("time.Sleep({left_ms} * time.Millisecond)\n")
        }
        ("C++", System::Windows) if left_ms > 0 => {
            "std::this_thread::sleep_until(\n    end - std::chrono::milliseconds(2));\n".into()
        }
        ("Java", System::Windows) if left_ms > 0 => format!("Thread.sleep({left_ms});\n"),
        _ if whole_milliseconds(language, system) => String::new(),
        _ if left == 0 => String::new(),
        ("C", System::Windows) => snippet::waitable_timer(HIGH_RESOLUTION, left) + "\n",
        ("C", _) => format!("{}\nnanosleep(&most, NULL);\n", snippet::timespec("most", left)),
        ("C++", _) => format!(
            "std::this_thread::sleep_until(\n    \
             end - std::chrono::nanoseconds({MARGIN}));\n"
        ),
        ("Rust", _) => {
            format!("std::thread::sleep(std::time::Duration::from_nanos({left}));\n")
        }
        ("Java", _) => {
            format!("Thread.sleep(java.time.Duration.ofNanos({left}));  // 19\n")
        }
        ("Go", _) => format!("time.Sleep({left} * time.Nanosecond)\n"),
        ("Python", _) => format!("time.sleep({})\n", seconds(left)),
        _ => String::new(),
    }
}

/// Seconds as a decimal number without an exponent.
fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn strings<const N: usize>(lines: [(&str, String); N]) -> Code {
    with_strings(Code::new(), lines)
}

fn with_strings<const N: usize>(mut base: Code, lines: [(&str, String); N]) -> Code {
    base.extend(lines.map(|(language, line)| (language.to_owned(), line)));
    base
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
