//! `chronoscope trust` from outside.

use crate::common::{run, tool};
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
    assert!(errors.lines().count() == 1 && errors.contains("trust --resume"), "{errors}");
    assert!(run(&["report", path]).status.success());
}

/// All clocks go on meanwhile, as they do for a machine that a busy host does not run.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_was_stopped_or_frozen_is_told_from_a_paused_machine() {
    use crate::waiting::{Group, signal, until};
    use std::time::Duration;
    let args = ["trust", "rust/instant", "--duration", "4s", "--json", "-q", "--checkpoint"];
    for frozen in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let args = [&args[..], &[path.to_str().expect("a path")]].concat();
        let group = if frozen { Group::new() } else { None };
        let child = match &group {
            Some(group) => group.start(&args),
            None if frozen => return,
            None => tool(&args).stdout(Stdio::piped()).spawn().expect("the tool"),
        };
        until("the first checkpoint", || path.metadata().ok().filter(|file| file.len() > 0));
        let halt = |halts: bool| match &group {
            Some(group) => group.freeze(halts),
            None => signal(&child, if halts { "-STOP" } else { "-CONT" }),
        };
        halt(true);
        std::thread::sleep(Duration::from_millis(700));
        halt(false);
        let out = child.wait_with_output().expect("it ends");
        let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let watched = &report["trust"]["watched"];
        let pauses = watched["pauses"].as_array().expect("a pause");
        let is_ours = |pause: &Value| {
            pause["paused"] == "process" && pause["ns"].as_f64().is_some_and(|ns| ns >= 6e8)
        };
        assert!(pauses.iter().any(is_ours), "frozen: {frozen}, {watched}");
    }
}

#[test]
fn bad_input_gets_one_line() {
    for args in [
        &["trust", "no/such"][..],
        &["trust", "--duration", "0s"],
        &["trust", "--duration", "1ms"],
        &["trust", "--budget", "99ms"],
        &["trust", "--resume", "/nonexistent"],
        &["trust", "--resume", "-"],
        &["trust", "--resume", "t.json", "--checkpoint", "u.json"],
        &["trust", "rust/instant", "--resume", "t.json"],
        &["trust", "--duration", "-1s"],
        &["trust", "--duration", "1s", "--budget", "1s"],
        &["trust", "--cpu", "99999"],
    ] {
        let out = run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {out:?}");
        assert!(!out.stderr.is_empty());
    }
    let short = run(&["trust", "--duration", "1ms"]);
    let told = String::from_utf8_lossy(&short.stderr);
    assert!(told.lines().count() == 1 && told.contains("at least 100 ms"), "{told}");
}

/// Only these systems tell one boot from another.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod resumed {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn read(path: &Path) -> Value {
        let bytes = std::fs::read(path).expect("a report");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn number(report: &Value, pointer: &str) -> f64 {
        let figure = report["trust"].pointer(pointer).and_then(Value::as_f64);
        figure.unwrap_or_else(|| panic!("{pointer} in {}", report["trust"]))
    }

    /// Starts a run of an hour, and ends it with this signal after its first states.
    fn stopped(path: &Path, signal: &str) -> Value {
        let file = path.to_str().expect("a path");
        let mut child = tool(&["trust", "rust/instant", "--duration", "1h", "--checkpoint", file])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tool");
        let looked = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            path.metadata().is_ok_and(|file| file.len() > 0)
                && number(&read(path), "/seconds") > 1.5
        });
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("kill").success());
        child.wait().expect("it was started here");
        assert!(looked);
        read(path)
    }

    /// Whether there is no counter, so that what counts from the start of a process stands in for
    /// it; the run is then refused.
    fn is_refused_without_a_counter(earlier: &Value, out: &std::process::Output) -> bool {
        let none = earlier["trust"]["anchor"]["counter"] == "rust/instant";
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(none, told.contains("there is no counter"), "{told}");
        none
    }

    #[test]
    fn a_run_that_was_stopped_is_continued_and_its_figures_add_up() {
        let folder = tempfile::tempdir().expect("a folder");
        for signal in ["-INT", "-KILL"] {
            let path = folder.path().join(format!("t{signal}.json"));
            let file = path.to_str().expect("a path");
            let first = stopped(&path, signal);
            assert_eq!(first["run"]["complete"], false);
            let out = run(&["trust", "--resume", file, "--duration", "1200ms", "--json", "-q"]);
            if is_refused_without_a_counter(&first, &out) {
                return;
            }
            assert!(out.status.success(), "{out:?}");
            let whole: Value = serde_json::from_slice(&out.stdout).expect("JSON");
            assert_eq!(whole, read(&path), "the file is kept up to date");
            assert_eq!((&whole["run"]["complete"], &whole["spec"]), (&true.into(), &first["spec"]));
            let [before, after] = [&first, &whole].map(|report| number(report, "/seconds"));
            assert!(after >= before + 0.29 && after < before + 60.0, "{before} {after}");
            for count in [
                "/watched/looks",
                "/wall/looks",
                "/clocks/0/one_thread/tries",
                "/matrix/pairs/0/handed/turns",
            ] {
                if first["trust"].pointer(count).is_some() {
                    let [before, after] = [&first, &whole].map(|report| number(report, count));
                    assert!(after > before, "{count}: {before} {after}");
                }
            }
            let gaps = whole["trust"]["watched"]["gaps"].as_array().expect("a gap");
            assert!(gaps.len() == 1 && gaps[0]["seconds"].as_f64() > Some(0.0), "{gaps:?}");
            let series = |report: &Value, key: &str| report["trust"]["series"][key].clone();
            assert_eq!(series(&whole, "started"), series(&first, "started"));
            let [some, all] = [&first, &whole].map(|report| series(report, "at_s"));
            let [some, all] = [&some, &all].map(|at| at.as_array().expect("times"));
            assert!(all.len() > some.len() && all[..some.len()] == some[..], "{some:?} {all:?}");
            let ends = |report: &Value| number(report, "/rates/0/seconds");
            assert!(ends(&whole) > ends(&first), "rates go on over the gap");
            for format in [&["--as", "trust"][..], &["--as", "csv"], &["--as", "ndjson"], &[]] {
                let out = run(&[&["report", file], format].concat());
                let text = String::from_utf8_lossy(&out.stdout);
                assert!(
                    out.status.success() && text.contains("rust/instant"),
                    "{format:?}: {out:?}"
                );
            }
        }
    }

    #[test]
    fn a_complete_run_is_continued_for_as_long_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let file = path.to_str().expect("a path");
        let export = format!("json={file}");
        let args = ["trust", "rust/instant", "--duration", "400ms", "-q", "--export", &export];
        assert!(run(&args).status.success());
        for parts in [2, 3] {
            let out = run(&["trust", "--resume", file, "-q"]);
            if is_refused_without_a_counter(&read(&path), &out) {
                return;
            }
            assert!(out.status.success());
            let report = read(&path);
            let seconds = number(&report, "/asked_s");
            assert!(seconds >= 0.4 * f64::from(parts) - 1e-6 && seconds < 30.0, "{seconds}");
            let gaps = report["trust"]["watched"]["gaps"].as_array().map_or(0, Vec::len);
            assert_eq!(gaps as u32, parts - 1);
        }
    }

    #[test]
    fn what_cannot_be_continued_is_refused_in_one_line_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let file = path.to_str().expect("a path");
        let export = format!("json={file}");
        let args = ["trust", "rust/instant", "--duration", "200ms", "-q", "--export", &export];
        assert!(run(&args).status.success());
        let good = read(&path);
        let changed = |pointer: &str, value: Value| {
            let mut report = good.clone();
            *report.pointer_mut(pointer).expect("a key") = value;
            report.to_string()
        };
        let half = good.to_string();
        let cases = [
            (String::new(), "it is empty"),
            ("{}".into(), "not a chronoscope report"),
            (half[..half.len() / 2].to_owned(), "not valid JSON"),
            (changed("/trust/anchor/boot", "another".into()), "another machine"),
            (changed("/trust/anchor", Value::Null), "does not say where its watch ended"),
            (changed("/trust/anchor/tick_ns", 0.into()), "impossible"),
            (changed("/trust/anchor/counter", "sundial".into()), "the counter is now"),
            (changed("/trust/seconds", 1e300.into()), "impossible"),
            (changed("/trust/clocks/0/one_thread/tries", u64::MAX.into()), "impossible"),
            (changed("/trust", Value::Null), "not the report of a run of `trust`"),
            (changed("/spec", serde_json::json!({"clocks": {}})), "not the report of a run"),
        ];
        for (text, why) in cases {
            std::fs::write(&path, &text).expect("a file");
            let out = run(&["trust", "--resume", file, "--duration", "100ms", "-q"]);
            let told = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{why}: {told}");
            assert!(told.lines().count() == 1 && told.contains(why), "{why}: {told}");
            assert_eq!(std::fs::read_to_string(&path).expect("it is still there"), text);
        }
        // A series without rhyme or reason is left out.
        let wild = changed("/trust/series/at_s", serde_json::json!([9, 3, -1e308, 1e308]));
        std::fs::write(&path, wild).expect("a file");
        let out = run(&["trust", "--resume", file, "--duration", "100ms", "-q"]);
        assert!(is_refused_without_a_counter(&good, &out) || out.status.success());
    }
}
