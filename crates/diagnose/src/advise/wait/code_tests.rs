use super::*;
use crate::advise::LANGUAGES;
use chronoscope_model::clock::Language;

const SYSTEMS: [System; 4] = [System::Linux, System::Windows, System::Mac, System::Other];

fn measured(kind: Kind, ns: u64) -> Wait {
    Wait {
        kind,
        language: Language::Rust,
        call: "measured()".into(),
        requested_ns: Some(ns),
        ..Wait::default()
    }
}

/// Checks that the lines fit on a screen of 80 columns next to the languages' names.
fn narrow(lines: &Code) {
    for line in lines.values().flat_map(|code| code.lines()) {
        assert!(line.len() <= 66, "{line}");
    }
}

#[test]
fn every_language_has_code_that_fits_and_the_measured_one_its_own() {
    for system in SYSTEMS {
        for kind in [Kind::Sleep, Kind::Busy, Kind::Hybrid] {
            for ns in [1_000, 1_500_000, 10_000_000] {
                let wait = Wait { slack_ns: Some(1), ..measured(kind, ns) };
                let lines = lines(&wait, &LANGUAGES, system);
                assert_eq!(lines.len(), LANGUAGES.len());
                assert!(lines["Rust"].ends_with("measured();"), "{}", lines["Rust"]);
                assert_eq!(lines["Rust"].contains("TIMERSLACK, 1) }"), kind != Kind::Busy);
                let raw = |code: &String| code.contains("{timer") || code.contains("pub(super)");
                assert!(!lines.values().any(raw), "{lines:?}");
                narrow(&lines);
            }
        }
    }
}

#[test]
fn the_timer_period_of_windows_is_set_first() {
    let wait = Wait { timer_period_ms: Some(1), slack_ns: Some(1_000_000), ..Wait::default() };
    let lines = lines(&wait, &LANGUAGES, System::Windows);
    assert!(lines["C"].starts_with("timeBeginPeriod(1);\n"));
    assert!(lines.values().all(|code| !code.contains("prctl")));
    narrow(&lines);
}

#[test]
fn the_default_slack_is_not_set() {
    let wait = Wait { slack_ns: Some(50_000), default_slack: true, ..Wait::default() };
    let lines = lines(&wait, &LANGUAGES, System::Linux);
    assert!(lines.values().all(|code| !code.contains("prctl")));
}

#[test]
fn a_language_makes_only_waits_of_the_measured_kind_with_the_measured_settings() {
    let goals = [Goal::Usual, Goal::Accuracy, Goal::Cpu, Goal::Load];
    for (system, goal) in SYSTEMS.into_iter().flat_map(|system| goals.map(|goal| (system, goal))) {
        let can = |language, wait: &Wait| can(language, wait, goal, system);
        for ns in [100_000, 1_000_000, 10_000_000] {
            let short = ns == 100_000;
            let mut hybrid = measured(Kind::Hybrid, ns);
            let sleeps = !short && goal != Goal::Cpu;
            for language in LANGUAGES.iter().filter(|language| **language != "Rust") {
                let can_pause = sleeps && !(*language == "JavaScript" && system == System::Windows);
                assert_eq!(
                    can(language, &hybrid),
                    can_pause,
                    "{language} {system:?} {goal:?} {ns}"
                );
            }
            hybrid.slack_ns = Some(1);
            assert!(can("Rust", &hybrid) && !can("Java", &hybrid));
            assert_eq!(can("C", &hybrid), sleeps);
            let sliced = Wait { slice_ns: Some(100_000), ..measured(Kind::Sleep, ns) };
            assert!(can("C", &sliced) && !can("C#", &sliced));
        }
    }
}

/// The high-resolution timer is the sleep of Windows; what cannot call it says so.
#[test]
fn on_windows_each_language_sleeps_by_the_timer_of_high_resolution() {
    for ns in [100_000, 1_000_000] {
        let lines = lines(&measured(Kind::Sleep, ns), &LANGUAGES, System::Windows);
        for language in ["C", "C++", "C#", "Java", "JavaScript"] {
            assert!(lines[language].contains("CreateWaitableTimerExW"), "{language}: {lines:?}");
        }
        assert!(lines["JavaScript"].starts_with("// ends at a tick"), "{lines:?}");
    }
}

#[test]
fn no_language_rounds_a_short_sleep_up_to_a_millisecond() {
    for system in [System::Linux, System::Mac, System::Other] {
        let lines = lines(&measured(Kind::Sleep, 100_000), &LANGUAGES, system);
        for code in lines.values() {
            assert!(!code.contains("Sleep(1)") && !code.contains(", 1)"), "{code}");
        }
    }
}
