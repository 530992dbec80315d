//! The command `doctor`, on this machine and on bundles.

mod common;

use chronoscope_model::check::Outcome;
use chronoscope_model::{About, Level, Report};
use common::run;
use std::fs;
use std::path::Path;

fn report(output: &std::process::Output) -> Report {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_bundle_of_this_machine_is_diagnosed_as_the_machine_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = folder.path().join("bundle");
    let path = bundle.display().to_string();
    let here = report(&run(&["doctor", "--json", "--budget", "1s", "--record", &path]));
    assert_eq!(here.checks.len(), chronoscope_diagnose::faults::ALL.len());
    let there = report(&run(&["doctor", "--facts", &path, "--json"]));
    // What facts show is the same. Programs come and go.
    for (a, b) in here.checks.iter().zip(&there.checks) {
        assert_eq!(a.id, b.id);
        let facts = a.certainty == chronoscope_model::Certainty::Evidence;
        if facts && a.id != "two-disciplines" {
            assert_eq!(a.outcome, b.outcome, "{}: {:?} {:?}", a.id, a.why, b.why);
        }
    }
    assert_eq!(here.clocks, there.clocks);
    let stored = fs::read_to_string(bundle.join("report.json")).expect("a report");
    assert!(!stored.contains(&path), "it names the folder");
    // An existing folder is not written to.
    let again = run(&["doctor", "--budget", "300ms", "--record", &path]);
    assert_eq!(again.status.code(), Some(2));
    let shown = run(&["doctor", "--facts", &path]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.starts_with("Doctor  "), "{shown}");
    let grave = here.findings.iter().filter(|it| it.level > Level::Info);
    for finding in grave.filter(|it| it.about == About::Machine) {
        println!("on this machine: {finding:?}");
    }
}

/// Writes a bundle with these facts, and returns its path.
fn bundle(folder: &Path, files: &[(&str, &str)]) -> String {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder.display().to_string()
}

#[test]
fn facts_alone_are_enough_and_levels_decide_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bundle(
        folder.path(),
        &[
            ("process", "arch=aarch64\nsysname=Linux\n"),
            ("root/dev/kmsg", "4,1,1,-;Measured 235 cycles TSC warp between CPUs\n"),
            ("root/proc/self/timens_offsets", "monotonic 5 0\n"),
        ],
    );
    let found = report(&run(&["doctor", "--facts", &path, "--json"]));
    assert_eq!(found.environment.arch, "aarch64");
    let outcome = |id: &str| {
        let check = found.checks.iter().find(|check| check.id == id);
        check.map(|check| check.outcome)
    };
    assert_eq!(outcome("tsc-warp"), Some(Outcome::Found));
    assert_eq!(outcome("time-namespace"), Some(Outcome::Found));
    assert_eq!(outcome("clock-backwards"), Some(Outcome::Unknown));
    let code = |args: &[&str]| run(&[&["doctor", "--facts", &path], args].concat()).status.code();
    assert_eq!(code(&["--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["--fail-on", "error"]), Some(0));
    assert_eq!(code(&["--fail-on", "warning", "--allow", "tsc-warp"]), Some(0));
    assert_eq!(code(&["--cpu", "0"]), Some(2));
    assert_eq!(code(&["--record", "elsewhere"]), Some(2));
}

#[test]
fn what_is_no_bundle_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |path: &str| {
        let output = run(&["doctor", "--facts", path]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    };
    let empty = folder.path().display().to_string();
    assert!(refused(&empty).contains("--record"));
    refused(&format!("{empty}/nowhere"));
    let deep = "[".repeat(100_000);
    for text in ["", "{", "[]", "{\"schema\":1}", deep.as_str(), "\0\0\0"] {
        let path = bundle(folder.path(), &[("report.json", text)]);
        refused(&path);
    }
}

#[test]
fn the_page_on_doctor_lists_every_fault() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/doctor.md");
    let page = fs::read_to_string(path).expect("the page");
    for fault in chronoscope_diagnose::faults::ALL {
        let row = format!("| `{}` | {} |", fault.id(), fault.page.title);
        assert!(page.contains(&row), "docs/doctor.md has no row {row}");
    }
}
