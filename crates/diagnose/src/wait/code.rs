//! The lines of code of a wait: the one that was measured, and those of the same kind in the other
//! languages.

use super::own;
use crate::system::{Code, System};
use chronoscope_model::waits::{Kind, Wait};

/// Below a millisecond some languages cannot sleep at all.
const MILLISECOND: u64 = 1_000_000;

/// The call as it was measured, behind what it needs and what sets its slack, and what comes nearest
/// to it in every other language. All of them can be pasted into a function. `hz` is the rate of the
/// processor's counter, where it is known.
pub(super) fn lines(wait: &Wait, system: System, hz: Option<f64>) -> Code {
    let ns = wait.requested_ns.unwrap_or(MILLISECOND);
    let others = match wait.kind {
        Kind::Sleep => sleep(system, ns),
        Kind::Busy => spin(system, ns),
        Kind::Hybrid => hybrid(system, ns),
    };
    let mut lines = with_strings(others, [(wait.language.name(), own::lines(wait, ns, hz))]);
    for (language, line) in &mut lines {
        let before = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
            (Some(ms), ..) => period(language, ms),
            (None, Some(ns), false) if !line.contains("SpinWait") => slack(language, ns),
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
            "[System.Runtime.InteropServices.DllImport(\"libc\")]\n\
             static extern int prctl(int what, nuint ns);\n\
             prctl(29, {ns});  // PR_SET_TIMERSLACK\n"
        ),
        "Python" => {
            format!("import ctypes\nctypes.CDLL(None).prctl(29, {ns})  # PR_SET_TIMERSLACK\n")
        }
        _ => String::new(),
    }
}

/// What asks Windows for a period of its timer, for the whole process; with winmm.lib.
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
        _ => String::new(),
    }
}

/// Thread.Sleep of C# and setTimeout count whole milliseconds; Java's sleep is exact below one
/// since version 21, Python's since 3.11, which sleeps by clock_nanosleep.
fn sleep(system: System, ns: u64) -> Code {
    let ms = ns as f64 / 1e6;
    let whole_ms = ns.div_ceil(MILLISECOND);
    let base = strings([
        (
            "C",
            format!(
                "{}\nnanosleep(&duration, NULL);",
                own::timespec("duration", ns)
            ),
        ),
        (
            "C++",
            format!("std::this_thread::sleep_for(\n    std::chrono::nanoseconds({ns}));"),
        ),
        (
            "Rust",
            format!("std::thread::sleep(std::time::Duration::from_nanos({ns}));"),
        ),
        ("C#", format!("Thread.Sleep({whole_ms});  // ms")),
        (
            "Java",
            format!("Thread.sleep(java.time.Duration.ofNanos({ns}));  // 19"),
        ),
        ("Go", format!("time.Sleep({ns} * time.Nanosecond)")),
        (
            "Python",
            format!("import time\ntime.sleep({})", seconds(ns)),
        ),
        (
            "JavaScript",
            format!("await new Promise(done => setTimeout(done, {whole_ms}));"),
        ),
    ]);
    let base = match system {
        System::Windows => with_strings(base, [("C", own::high_resolution_timer(ns))]),
        _ => base,
    };
    if ns >= MILLISECOND {
        return base;
    }
    with_strings(
        base,
        [
            ("C#", csharp_spin(ns)),
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

fn csharp_spin(ns: u64) -> String {
    format!(
        "long t0 = System.Diagnostics.Stopwatch.GetTimestamp();\n\
         while (System.Diagnostics.Stopwatch.GetElapsedTime(t0)\n    \
         < TimeSpan.FromMicroseconds({})) Thread.SpinWait(1);",
        ns as f64 / 1e3
    )
}

fn spin(system: System, ns: u64) -> Code {
    let ms = ns as f64 / 1e6;
    let c = match system {
        System::Windows => own::qpc_spin(ns),
        _ => own::spin(ns),
    };
    strings([
        ("C", c),
        (
            "C++",
            format!(
                "auto end = std::chrono::steady_clock::now()\n    \
                 + std::chrono::nanoseconds({ns});\n\
                 while (std::chrono::steady_clock::now() < end) {{}}"
            ),
        ),
        ("Rust", own::rust_spin(ns)),
        ("C#", csharp_spin(ns)),
        (
            "Java",
            format!(
                "long end = System.nanoTime() + {ns}L;\n\
                 while (System.nanoTime() - end < 0) Thread.onSpinWait();"
            ),
        ),
        (
            "Go",
            format!("t0 := time.Now()\nfor time.Since(t0) < {ns}*time.Nanosecond {{\n}}"),
        ),
        (
            "Python",
            format!(
                "import time\n\
                 end = time.perf_counter_ns() + {ns}\n\
                 while time.perf_counter_ns() < end:\n    pass"
            ),
        ),
        (
            "JavaScript",
            format!("const end = performance.now() + {ms};\nwhile (performance.now() < end);"),
        ),
    ])
}

/// How long before the deadline the sleep of a hybrid wait ends, in nanoseconds: a guess that is
/// enough where wakes take tens of microseconds. Where a language sleeps for whole milliseconds, it
/// is one of them at least.
const MARGIN: u64 = 200_000;

/// A sleep that ends a margin early, and a spin for the rest; only the spin where the sleep would
/// be of nothing, or of less than what the language sleeps for.
fn hybrid(system: System, ns: u64) -> Code {
    let mut lines = spin(system, ns);
    let left = ns.saturating_sub(MARGIN);
    // Whole milliseconds, of which one is the margin.
    let left_ms = (ns / MILLISECOND).saturating_sub(2);
    for (language, line) in &mut lines {
        let pause = match (language.as_str(), system) {
            ("C#", _) if left_ms > 0 => format!("Thread.Sleep({left_ms});\n"),
            ("JavaScript", _) if left_ms > 0 => {
                format!("await new Promise(done => setTimeout(done, {left_ms}));\n")
            }
            ("C#" | "JavaScript", _) => String::new(),
            _ if left == 0 => String::new(),
            ("C", System::Windows) => own::high_resolution_timer(left) + "\n",
            ("C", _) => format!("{}\nnanosleep(&most, NULL);\n", own::timespec("most", left)),
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
        };
        // The deadline is taken first, and the spin comes last.
        let at = line.find("do ").filter(|_| language == "C");
        let at = at
            .or_else(|| line.find("while"))
            .or_else(|| line.find("for "));
        line.insert_str(at.unwrap_or(0), &pause);
    }
    lines
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
                    let lines = lines(&wait, system, None);
                    let languages: Vec<&str> = lines.keys().map(String::as_str).collect();
                    assert!(
                        LANGUAGES.iter().all(|l| languages.contains(l)),
                        "{languages:?}"
                    );
                    assert_eq!(lines.len(), LANGUAGES.len());
                    assert!(lines["Rust"].ends_with("TIMERSLACK, 1) };\nmeasured();"));
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
        let lines = lines(&wait, System::Windows, None);
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
        let lines = lines(&wait, System::Linux, None);
        assert!(lines.values().all(|code| !code.contains("prctl")));
    }
}
