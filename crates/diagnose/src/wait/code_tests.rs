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
fn a_line_that_is_of_another_kind_says_so() {
    for system in [System::Linux, System::Windows, System::Mac, System::Other] {
        for kind in [Kind::Sleep, Kind::Busy, Kind::Hybrid] {
            for (ns, language) in [
                (100_000, Language::Rust),
                (100_000, Language::Cxx),
                (1_000_000, Language::Rust),
            ] {
                let wait = Wait {
                    kind,
                    language,
                    requested_ns: Some(ns),
                    slack_ns: Some(1),
                    ..Wait::default()
                };
                let lines = lines(&wait, system);
                let others = of_another_kind(&wait, system);
                let sleeps = |code: &str| {
                    ["sleep", "Sleep", "wait", "Wait"].iter().any(|w| {
                        code.lines()
                            .filter(|l| !l.starts_with("//"))
                            .any(|l| l.contains(w) && !l.contains("SpinWait"))
                    })
                };
                for (name, code) in &lines {
                    // The measured line is empty here, and needs no remark.
                    if *name == wait.language.name() {
                        assert!(!others.contains(&name.as_str()));
                        continue;
                    }
                    let told = code.starts_with("// ") && !code.starts_with("// at the default");
                    assert_eq!(told, others.contains(&name.as_str()), "{name}: {code}");
                    let fits = sleeps(code) == (kind != Kind::Busy);
                    assert!(fits || others.contains(&name.as_str()), "{name}: {code}");
                }
                assert_eq!(
                    others.contains(&"C#"),
                    ns < MILLISECOND && kind != Kind::Busy
                );
                assert!(!lines["C#"].contains("prctl") || ns >= MILLISECOND || kind == Kind::Busy);
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
