//! `chronoscope trust` from outside.

mod common;

use common::{run, tool};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn a_short_run_tests_everything_and_finds_no_step_back_on_one_thread() {
    let out = run(&["trust", "rust/instant", "--duration", "700ms", "--json", "-q"]);
    assert!(out.status.success(), "{out:?}");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let trust = &report["trust"];
    let clock = &trust["clocks"][0];
    assert_eq!(clock["id"], "rust/instant");
    assert!(clock["one_thread"]["tries"].as_u64() > Some(1000), "{clock}");
    assert_eq!(clock["one_thread"]["violations"], 0);
    assert!(trust["watched"]["looks"].as_u64() > Some(3), "{trust}");
    assert!(trust["seconds"].as_f64() > Some(0.6));
    let alone = report["environment"]["allowed_cpus"].as_array().is_none_or(|all| all.len() < 2);
    assert!(alone || trust["matrix"]["pairs"].as_array().is_some_and(|pairs| !pairs.is_empty()));
}

#[test]
fn the_screen_fits_and_the_report_shows_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.json");
    let export = format!("json={}", path.display());
    let out = run(&["trust", "rust/instant", "--budget", "400ms", "--export", &export]);
    assert!(out.status.success(), "{out:?}");
    let screen = String::from_utf8(out.stdout).expect("text");
    assert!(screen.contains("steps back") && screen.contains("rust/instant"), "{screen}");
    let again = run(&["report", path.to_str().expect("a path")]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), screen);
    for format in ["csv", "markdown", "ndjson"] {
        let out = run(&["report", path.to_str().expect("a path"), "--as", format]);
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && text.contains("rust/instant"), "{format}: {text}");
    }
}

#[test]
fn a_run_that_is_killed_leaves_its_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.json");
    let mut child = tool(&[
        "trust",
        "rust/instant",
        "--duration",
        "1h",
        "--checkpoint",
        path.to_str().expect("a path"),
    ])
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .expect("the tool");
    let written = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        path.metadata().is_ok_and(|file| file.len() > 0)
    });
    child.kill().expect("it runs");
    child.wait().expect("it was started here");
    assert!(written);
    let report = std::fs::read(&path).expect("a checkpoint");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["run"]["complete"], false);
    assert!(report["trust"]["clocks"][0]["one_thread"].is_object());
    // An existing file is not overwritten.
    let path = path.to_str().expect("a path");
    let out = run(&["trust", "--checkpoint", path]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(errors.lines().count() == 1 && errors.contains("chronoscope report"), "{errors}");
    assert!(run(&["report", path]).status.success());
}

#[test]
fn bad_input_gets_one_line() {
    for args in [
        &["trust", "no/such"][..],
        &["trust", "--duration", "0s"],
        &["trust", "--duration", "-1s"],
        &["trust", "--duration", "1s", "--budget", "1s"],
        &["trust", "--cpu", "99999"],
    ] {
        let out = run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {out:?}");
        assert!(!out.stderr.is_empty());
    }
}
