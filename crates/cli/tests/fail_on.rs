//! Which findings are a failure, which are ignored, and what standard error says about them.

use crate::common::run;
use chronoscope_model::{About, Certainty, Finding, Level, Report, SCHEMA};

/// The exit code and standard error for a stored report with these options.
fn ended(options: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let finding =
        |id: &str, level, about| Finding { id: id.into(), level, about, ..Finding::default() };
    let unknown = finding("adjtimex-denied", Level::Info, About::Machine);
    let report = Report {
        schema: SCHEMA.into(),
        findings: vec![
            finding("noisy-machine", Level::Warning, About::Run),
            finding("rt-throttling", Level::Warning, About::Machine),
            finding("tai-unset", Level::Info, About::Machine),
            Finding { certainty: Certainty::Unknown, ..unknown },
        ],
        ..Report::default()
    };
    std::fs::write(&path, serde_json::to_vec(&report).expect("a report")).expect("a file");
    let path = path.display().to_string();
    let output = run(&[&["report", &path, "--quiet"], options].concat());
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_line_on_standard_error_names_the_finding_and_the_option() {
    for (options, told) in [
        (&["--fail-on", "warning"][..], "warning rt-throttling (--fail-on warning)"),
        (&["--fail-on", "info"], "warning rt-throttling and 1 more (--fail-on info)"),
        (&["--fail-on", "Warning"], "warning rt-throttling (--fail-on warning)"),
        (&["--fail-on", "error,TAI-unset"], "info tai-unset (--fail-on tai-unset)"),
        (
            &["--fail-on", "error", "--fail-on", "warning"],
            "warning rt-throttling (--fail-on warning)",
        ),
        (
            &["--fail-on", "noisy-machine", "--allow", "rt-throttling"],
            "warning noisy-machine (--fail-on noisy-machine)",
        ),
        (&["--fail-on", "adjtimex-denied"], "info adjtimex-denied (--fail-on adjtimex-denied)"),
    ] {
        let line = format!("chronoscope: exit 1: {told}\n");
        assert_eq!(ended(options), (Some(1), line), "{options:?}");
    }
}

#[test]
fn findings_about_the_run_and_what_is_unknown_or_allowed_are_no_failure() {
    for options in [
        &["--fail-on", "error"][..],
        &["--fail-on", "error,unsynchronised"],
        &["--fail-on", "warning", "--allow", "rt-throttling"],
        &["--fail-on", "info", "--allow", "info,rt-throttling"],
        &["--fail-on", "info", "--allow", "info", "--allow", "warning"],
        &["--fail-on", "noisy-machine", "--allow", "warning"],
    ] {
        assert_eq!(ended(options), (Some(0), String::new()), "{options:?}");
    }
}

#[test]
fn what_is_no_level_and_no_finding_is_refused() {
    for option in ["--fail-on", "--allow"] {
        for (list, told) in [
            ("warnings", "did you mean warning?"),
            ("rt-throtling", "did you mean rt-throttling"),
            ("info,rt-throtling", "did you mean rt-throttling"),
            ("qqqq", "chronoscope list faults"),
            ("info,", "empty"),
            (",", "empty"),
        ] {
            let (code, line) = ended(&[option, list]);
            assert_eq!((code, line.contains(told)), (Some(2), true), "{option} {list}: {line}");
        }
    }
}
