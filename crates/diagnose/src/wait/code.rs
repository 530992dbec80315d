//! The lines of code of a wait: the one that was measured, and those of the same kind in the other
//! languages.

use crate::system::{Code, System, code, with};
use chronoscope_model::waits::{Kind, Wait};

/// Below a millisecond some languages cannot sleep, or not for so short.
const MILLISECOND: u64 = 1_000_000;

/// The call as it was measured, behind what sets its slack, and what comes nearest to it in every
/// other language.
pub(super) fn lines(wait: &Wait, system: System) -> Code {
    let short = is_short(wait);
    let others = match wait.kind {
        Kind::Sleep => sleep(system, short),
        Kind::Busy => spin(system),
        Kind::Hybrid => hybrid(system, short),
    };
    let own = wait.language.name();
    let spins = spin(system);
    let mut lines = with(others, &[(own, &wait.call)]);
    for (language, line) in &mut lines {
        let before = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
            (Some(ms), ..) => period(language, ms),
            // What only spins has no use for it.
            (None, Some(ns), false) if spins.get(language) != Some(line) => slack(language, ns),
            _ => String::new(),
        };
        let remark = remarks(wait.kind, system, short)
            .iter()
            .find(|(of, _)| of == language && own != *of);
        let remark = remark.map_or(String::new(), |(_, remark)| format!("{remark}\n"));
        *line = remark + &before + line;
    }
    lines
}

fn is_short(wait: &Wait) -> bool {
    wait.requested_ns.is_some_and(|ns| ns < MILLISECOND)
}

/// The languages whose line does not do what the measured one does; each line says so itself.
pub(super) fn of_another_kind(wait: &Wait, system: System) -> Vec<&'static str> {
    let remarks = remarks(wait.kind, system, is_short(wait)).iter();
    let others = remarks.map(|(language, _)| *language);
    others.filter(|l| *l != wait.language.name()).collect()
}

/// What is to be said of a line that sleeps where it should not, or not as shortly as it should.
///
/// Thread.Sleep of C# takes whole milliseconds, and what is left of a TimeSpan is discarded
/// (Microsoft, "Thread.Sleep Method"); so does setTimeout (HTML, "Timers"). Go's timers wait by
/// epoll_wait on Linux, whose shortest time is a millisecond, where nothing else is to be run
/// (golang/go, issue 53824). On Windows, sleep_for waits by Sleep for milliseconds rounded up
/// (LLVM, thread_win32.cpp), and Java's sleep is exact below one on POSIX systems only (JDK 21
/// release notes, JDK-8305092).
fn remarks(kind: Kind, system: System, short: bool) -> &'static [(&'static str, &'static str)] {
    if !short {
        return &[];
    }
    match (kind, system) {
        (Kind::Busy, _) => &[],
        (Kind::Sleep, System::Windows) => &[
            ("C#", CSHARP),
            (
                "C++",
                "// sleeps for 1 ms at least: it takes whole ones on Windows",
            ),
            (
                "Java",
                "// sleeps for 1 ms at least: it takes whole ones on Windows",
            ),
        ],
        (Kind::Sleep, System::Linux) => &[
            ("C#", CSHARP),
            (
                "Go",
                "// sleeps for 1 ms where the program is idle (Go issue 53824)",
            ),
        ],
        (Kind::Sleep, _) => &[("C#", CSHARP)],
        (Kind::Hybrid, System::Windows) => &[
            ("C#", CSHARP),
            (
                "C++",
                "// only spins: it sleeps for whole milliseconds on Windows",
            ),
            (
                "Java",
                "// only spins: it sleeps for whole milliseconds on Windows",
            ),
            ("JavaScript", JAVASCRIPT),
        ],
        (Kind::Hybrid, System::Linux) => &[
            ("C#", CSHARP),
            (
                "Go",
                "// only spins: an idle program sleeps for 1 ms (Go issue 53824)",
            ),
            ("JavaScript", JAVASCRIPT),
        ],
        (Kind::Hybrid, _) => &[("C#", CSHARP), ("JavaScript", JAVASCRIPT)],
    }
}

const CSHARP: &str = "// spins, for C# cannot sleep below 1 ms: Thread.Sleep(TimeSpan)\n\
                      // drops what is less (learn.microsoft.com, Thread.Sleep Method)";
const JAVASCRIPT: &str = "// only spins: setTimeout takes whole milliseconds";

/// What sets the calling thread's timer slack (prctl(2), PR_SET_TIMERSLACK is 29). Java and Go do
/// not say on which thread they sleep, and JavaScript cannot call it.
fn slack(language: &str, ns: u64) -> String {
    match language {
        "C" | "C++" => format!("prctl(PR_SET_TIMERSLACK, {ns});\n"),
        "Rust" => format!("unsafe {{ libc::prctl(libc::PR_SET_TIMERSLACK, {ns}) }};\n"),
        "C#" => format!(
            "[DllImport(\"libc\")] static extern int prctl(int what, nuint ns);\n\
             prctl(29, {ns});  // PR_SET_TIMERSLACK\n"
        ),
        "Python" => format!("ctypes.CDLL(None).prctl(29, {ns})  # PR_SET_TIMERSLACK\n"),
        _ => "// at the default timer slack, which cannot be set from here\n".into(),
    }
}

/// What asks Windows for a period of its timer, for the whole process; with winmm.lib.
fn period(language: &str, ms: u32) -> String {
    match language {
        "C" | "C++" => format!("timeBeginPeriod({ms});\n"),
        "Rust" => format!("unsafe {{ windows_sys::Win32::Media::timeBeginPeriod({ms}) }};\n"),
        "C#" => format!(
            "[DllImport(\"winmm\")] static extern uint timeBeginPeriod(uint ms);\n\
             timeBeginPeriod({ms});\n"
        ),
        "Python" => format!("ctypes.windll.winmm.timeBeginPeriod({ms})\n"),
        _ => String::new(),
    }
}

/// Java's sleep is exact below a millisecond since version 21, Python's since 3.11, which sleeps by
/// clock_nanosleep; what differs besides is in [`remarks`].
fn sleep(system: System, short: bool) -> Code {
    let base = code(&[
        ("C", "nanosleep(&duration, NULL);"),
        ("C++", "std::this_thread::sleep_for(duration);"),
        ("Rust", "std::thread::sleep(duration);"),
        ("C#", "Thread.Sleep(milliseconds);"),
        ("Java", "Thread.sleep(Duration.ofNanos(nanoseconds));"),
        ("Go", "time.Sleep(duration)"),
        ("Python", "time.sleep(seconds)"),
        (
            "JavaScript",
            "await new Promise(done => setTimeout(done, milliseconds));",
        ),
    ]);
    let base = match system {
        System::Windows => with(
            base,
            &[(
                "C",
                "HANDLE timer = CreateWaitableTimerExW(NULL, NULL,\n    \
                 CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);\n\
                 SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE);\n\
                 WaitForSingleObject(timer, INFINITE);",
            )],
        ),
        _ => base,
    };
    if !short {
        return base;
    }
    with(
        base,
        &[
            ("C#", CSHARP_SPIN),
            (
                "JavaScript",
                "const cell = new Int32Array(new SharedArrayBuffer(4));\n\
                 Atomics.wait(cell, 0, 0, milliseconds);  // may be a fraction",
            ),
        ],
    )
}

const CSHARP_SPIN: &str = "while (Stopwatch.GetTimestamp() < deadline) Thread.SpinWait(1);";

fn spin(system: System) -> Code {
    let base = code(&[
        (
            "C",
            "do clock_gettime(CLOCK_MONOTONIC, &now);\n\
             while (now.tv_sec * 1000000000LL + now.tv_nsec < deadline);",
        ),
        (
            "C++",
            "while (std::chrono::steady_clock::now() < deadline) {}",
        ),
        (
            "Rust",
            "while Instant::now() < deadline { std::hint::spin_loop() }",
        ),
        ("C#", CSHARP_SPIN),
        (
            "Java",
            "while (System.nanoTime() - deadline < 0) Thread.onSpinWait();",
        ),
        ("Go", "for time.Until(deadline) > 0 {\n}"),
        (
            "Python",
            "while time.perf_counter_ns() < deadline:\n    pass",
        ),
        ("JavaScript", "while (performance.now() < deadline);"),
    ]);
    match system {
        System::Windows => with(
            base,
            &[(
                "C",
                "do QueryPerformanceCounter(&now);\nwhile (now.QuadPart < deadline);",
            )],
        ),
        _ => base,
    }
}

/// A sleep that ends a margin early, and a spin for the rest; only the spin where a language has a
/// remark that it cannot sleep for so short.
fn hybrid(system: System, short: bool) -> Code {
    let mut lines = spin(system);
    let spins = remarks(Kind::Hybrid, system, short);
    for (language, line) in &mut lines {
        if spins.iter().any(|(only, _)| only == language) {
            continue;
        }
        let sleep = match (language.as_str(), system) {
            ("C", System::Windows) => "WaitForSingleObject(timer, INFINITE);  // margin early\n",
            ("C", _) => "nanosleep(&all_but_the_margin, NULL);\n",
            ("C++", _) => "std::this_thread::sleep_until(deadline - margin);\n",
            ("Rust", _) => "std::thread::sleep(duration - margin);\n",
            ("C#", _) => "Thread.Sleep(milliseconds - margin);\n",
            ("Java", _) => "Thread.sleep(Duration.ofNanos(nanoseconds - margin));\n",
            ("Go", _) => "time.Sleep(duration - margin)\n",
            ("Python", _) => "time.sleep(seconds - margin)\n",
            ("JavaScript", _) => "await new Promise(done => setTimeout(done, ms - margin));\n",
            _ => "",
        };
        *line = sleep.to_owned() + line;
    }
    lines
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
