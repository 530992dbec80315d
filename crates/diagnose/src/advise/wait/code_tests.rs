use super::*;
use chronoscope_model::clock::Language;

/// Checks that the lines fit on a screen of 80 columns next to the languages' names.
fn narrow(lines: &Code) {
    for line in lines.values().flat_map(|code| code.lines()) {
        assert!(line.len() <= 66, "{line}");
    }
}

#[test]
fn every_language_has_code_that_fits_and_the_measured_one_its_own() {
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
                let (lines, _) = lines(&wait, system);
                let languages: Vec<&str> = lines.keys().map(String::as_str).collect();
                assert!(LANGUAGES.iter().all(|l| languages.contains(l)), "{languages:?}");
                assert_eq!(lines.len(), LANGUAGES.len());
                assert!(lines["Rust"].ends_with("TIMERSLACK, 1) };\nmeasured();"));
                narrow(&lines);
            }
        }
    }
}

#[test]
fn the_timer_period_of_windows_is_set_first() {
    let wait = Wait { timer_period_ms: Some(1), slack_ns: Some(1_000_000), ..Wait::default() };
    let (lines, _) = lines(&wait, System::Windows);
    assert!(lines["C"].starts_with("timeBeginPeriod(1);\n"));
    assert!(lines.values().all(|code| !code.contains("prctl")));
    narrow(&lines);
}

#[test]
fn the_default_slack_is_not_set() {
    let wait = Wait { slack_ns: Some(50_000), default_slack: true, ..Wait::default() };
    let (lines, _) = lines(&wait, System::Linux);
    assert!(lines.values().all(|code| !code.contains("prctl")));
}

/// The code of a line without its comments.
fn bare(code: &str) -> String {
    let lines = code.lines().filter(|l| !l.starts_with(['/', '#']));
    lines.collect::<Vec<_>>().join("\n")
}

fn sleeps(code: &str) -> bool {
    let code = bare(code).replace("SpinWait", "").replace("onSpinWait", "");
    ["sleep", "Sleep", "Timeout", "wait(", "WaitFor"].iter().any(|call| code.contains(call))
}

#[test]
fn code_of_another_kind_says_so() {
    let systems = [System::Linux, System::Windows, System::Mac, System::Other];
    let kinds = [Kind::Sleep, Kind::Busy, Kind::Hybrid];
    for (system, kind) in systems.iter().flat_map(|s| kinds.map(|k| (*s, k))) {
        for ns in [100_000, 500_000, 1_000_000, 10_000_000] {
            let wait = Wait {
                kind,
                language: Language::Rust,
                call: "measured()".into(),
                requested_ns: Some(ns),
                slack_ns: Some(1),
                ..Wait::default()
            };
            let (lines, others) = lines(&wait, system);
            for (language, code) in lines.iter().filter(|(language, _)| *language != "Rust") {
                let first = code.lines().next().unwrap_or_default();
                let remarks = ["spins", "sleeps for 1 ms", "sleeps for at least 1 ms"];
                let told = remarks.iter().any(|remark| first.contains(remark));
                let named = others.contains(&language.as_str());
                assert_eq!(told, named, "{language} {ns}: {code}");
                let same = sleeps(code) == (kind != Kind::Busy);
                assert!(same || named, "{language} {ns}: {code}");
                // Code that sleeps sets the slack, or says that it cannot.
                let slack = code.contains("PR_SET_TIMERSLACK") || code.contains("timer slack");
                assert!(slack == sleeps(code) || kind == Kind::Busy, "{language} {ns}: {code}");
            }
            let short = kind == Kind::Sleep && ns < MILLISECOND;
            assert!(!short || others.contains(&"C#"));
            assert!(kind != Kind::Busy || others.is_empty());
            assert!(ns < 10 * MILLISECOND || others.is_empty(), "{others:?}");
        }
    }
}
