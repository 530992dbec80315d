//! Every comparison and every promise runs, briefly, and prints rows that can be parsed.

use serde_json::Value;
use std::process::Command;

fn rows(args: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_chronoscope-bench"))
        .args(args)
        .output()
        .expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert!(!rows.is_empty(), "{args:?}");
    rows
}

#[test]
fn reads_are_compared_with_the_bare_counter() {
    let rows = rows(&["reads", "--rounds", "3", "--calls", "100"]);
    for row in &rows {
        assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0));
    }
    assert!(rows.len() > 15, "{}", rows.len());
}

#[test]
fn no_wait_is_early() {
    for row in rows(&["waits", "--lengths-us", "100,1000", "--seconds", "1"]) {
        assert_eq!(row["early"], 0, "{row}");
    }
}

#[test]
fn the_promises_of_correctness_hold() {
    for args in [
        &["bound", "--checks", "20000"][..],
        &["bound", "--load", "equal", "--checks", "20000"],
        &["rate", "--seconds", "1"],
    ] {
        for row in rows(args) {
            let beyond = row["violations"].as_u64().unwrap_or(0);
            let (error, bound) = (row["error_ppm"].as_f64(), row["bound_ppm"].as_f64());
            assert!(beyond == 0 && error.map(f64::abs) <= bound, "{row}");
        }
    }
    for row in rows(&["unsynced", "--seconds", "1"]) {
        assert_eq!(row["passed"], true, "{row}");
    }
    for row in rows(&["wall", "--seconds", "1"]) {
        assert_eq!(row["beyond"], 0, "{row}");
    }
}

#[test]
fn whatever_needs_two_cpus_runs_if_there_are_two() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    for row in rows(&["handover", "--count", "2000"]) {
        let ordered = row["read"] == "Instant::now_ordered";
        assert!(row["backwards"] == 0 || !ordered, "{row}");
    }
    rows(&["threads", "--rounds", "3"]);
}
