//! The lines of code of a wait: the one that was measured, and those of the same kind in the other
//! languages.

use crate::system::{Code, System, code, with};
use chronoscope_model::waits::{Kind, Wait};

/// Below a millisecond some languages cannot sleep at all.
const MILLISECOND: u64 = 1_000_000;

/// The call as it was measured, behind what sets its slack, and what comes nearest to it in every
/// other language.
pub(super) fn lines(wait: &Wait, system: System) -> Code {
    let short = wait.requested_ns.is_some_and(|ns| ns < MILLISECOND);
    let others = match wait.kind {
        Kind::Sleep => sleep(system, short),
        Kind::Busy => spin(system),
        Kind::Hybrid => hybrid(system, short),
    };
    let own = wait.language.name();
    let mut lines = with(others, &[(own, &wait.call)]);
    for (language, line) in &mut lines {
        let before = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
            (Some(ms), ..) => period(language, ms),
            (None, Some(ns), false) if line != CSHARP_SPIN => slack(language, ns),
            _ => continue,
        };
        *line = before + line;
    }
    lines
}

/// What sets the calling thread's timer slack (prctl(2), PR_SET_TIMERSLACK is 29). Java, Go and
/// JavaScript do not say on which thread they sleep.
fn slack(language: &str, ns: u64) -> String {
    match language {
        "C" | "C++" => format!("prctl(PR_SET_TIMERSLACK, {ns});\n"),
        "Rust" => format!("unsafe {{ libc::prctl(libc::PR_SET_TIMERSLACK, {ns}) }};\n"),
        "C#" => format!(
            "[DllImport(\"libc\")] static extern int prctl(int what, nuint ns);\n\
             prctl(29, {ns});  // PR_SET_TIMERSLACK\n"
        ),
        "Python" => format!("ctypes.CDLL(None).prctl(29, {ns})  # PR_SET_TIMERSLACK\n"),
        _ => String::new(),
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

/// Thread.Sleep of C# and setTimeout count whole milliseconds; Java's sleep is exact below one
/// since version 21, Python's since 3.11, which sleeps by clock_nanosleep.
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

/// A sleep that ends a margin early, and a spin for the rest; below a millisecond only the spin
/// where a language sleeps for whole ones.
fn hybrid(system: System, short: bool) -> Code {
    let mut lines = spin(system);
    for (language, line) in &mut lines {
        let sleep = match (language.as_str(), system) {
            ("C", System::Windows) => "WaitForSingleObject(timer, INFINITE);  // margin early\n",
            ("C", _) => "nanosleep(&all_but_the_margin, NULL);\n",
            ("C++", _) => "std::this_thread::sleep_until(deadline - margin);\n",
            ("Rust", _) => "std::thread::sleep(duration - margin);\n",
            ("C#", _) if !short => "Thread.Sleep(milliseconds - margin);\n",
            ("Java", _) => "Thread.sleep(Duration.ofNanos(nanoseconds - margin));\n",
            ("Go", _) => "time.Sleep(duration - margin)\n",
            ("Python", _) => "time.sleep(seconds - margin)\n",
            ("JavaScript", _) if !short => {
                "await new Promise(done => setTimeout(done, ms - margin));\n"
            }
            _ => "",
        };
        *line = sleep.to_owned() + line;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::LANGUAGES;
    use chronoscope_model::clock::Language;

    #[test]
    fn every_language_has_lines_that_fit_and_the_measured_one_its_own() {
        for system in [System::Linux, System::Windows, System::Mac, System::Other] {
            for kind in [Kind::Sleep, Kind::Busy, Kind::Hybrid] {
                for ns in [1_000, 10_000_000] {
                    let wait = Wait {
                        kind,
                        language: Language::Rust,
                        call: "measured()".into(),
                        requested_ns: Some(ns),
                        slack_ns: Some(1),
                        ..Wait::default()
                    };
                    let lines = lines(&wait, system);
                    let languages: Vec<&str> = lines.keys().map(String::as_str).collect();
                    assert!(
                        LANGUAGES.iter().all(|l| languages.contains(l)),
                        "{languages:?}"
                    );
                    assert_eq!(lines.len(), LANGUAGES.len());
                    assert!(lines["Rust"].ends_with("TIMERSLACK, 1) };\nmeasured()"));
                    for line in lines.values().flat_map(|code| code.lines()) {
                        assert!(line.len() <= 66, "{line}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_period_of_windows_timer_is_asked_for_first() {
        let wait = Wait {
            timer_period_ms: Some(1),
            slack_ns: Some(1_000_000),
            ..Wait::default()
        };
        let lines = lines(&wait, System::Windows);
        assert!(lines["C"].starts_with("timeBeginPeriod(1);\n"));
        assert!(lines.values().all(|code| !code.contains("prctl")));
        for line in lines.values().flat_map(|code| code.lines()) {
            assert!(line.len() <= 66, "{line}");
        }
    }

    #[test]
    fn the_default_slack_is_not_set() {
        let wait = Wait {
            slack_ns: Some(50_000),
            default_slack: true,
            ..Wait::default()
        };
        let lines = lines(&wait, System::Linux);
        assert!(lines.values().all(|code| !code.contains("prctl")));
    }
}
