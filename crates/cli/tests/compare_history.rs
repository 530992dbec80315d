//! A report next to earlier ones of the same machine, and when a figure changed.

use crate::common::run;
use chronoscope_model::{Clock, Estimate};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

const CLOCKS: usize = 12;

/// A report of a few clocks, each of which costs 20 ns and a little more or less.
fn report(run: usize, changed: impl Fn(usize) -> f64) -> Value {
    let clock = |at: usize| {
        // Between -1 and 1, and different for each clock and run.
        let noise = ((run * 31 + at * 17) % 13) as f64 / 6.0 - 1.0;
        let ns = 20.0 * (1.0 + 0.0008 * noise) * changed(at);
        let (low_ns, high_ns) = (ns * 0.998, ns * 1.002);
        let estimate = Estimate { value_ns: ns, low_ns, high_ns, ..Estimate::default() };
        let id = format!("test/clock-{at}");
        let mut clock = Clock { id, available: true, ..Clock::default() };
        clock.cost.throughput = Some(estimate);
        serde_json::to_value(clock).expect("JSON")
    };
    let clocks: Vec<Value> = (0..CLOCKS).map(clock).collect();
    json!({
        "schema": "chronoscope.report/1",
        "run": {
            "id": format!("{run:016x}"), "argv": [], "tool_version": "0.1.0", "order_seed": 1,
            "started": format!("2026-10-{:02}T08:00:00Z", run + 1), "seconds": 1.0,
            "finished": format!("2026-10-{:02}T08:00:01Z", run + 1), "complete": true,
        },
        "environment": {
            "os": "Debian", "kernel": "6.18", "arch": "x86_64",
            "cpu": { "model": "EPYC", "logical": 2 }
        },
        "clocks": clocks,
    })
}

fn write(folder: &Path, name: &str, report: &Value) -> String {
    let file = folder.join(name);
    std::fs::write(&file, report.to_string()).expect("room");
    file.display().to_string()
}

/// A folder with this many runs, which are written in an order that is not that of their start.
fn folder(runs: usize, changed: impl Fn(usize, usize) -> f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for at in 0..runs {
        let name = format!("{:02}.json", runs - at);
        write(folder.path(), &name, &report(at, |clock| changed(at, clock)));
    }
    folder
}

fn history(folder: &Path, words: &[&str]) -> Output {
    run(&[&["compare", "--history", &folder.display().to_string()], words].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn a_change_is_dated_and_a_spike_is_none() {
    let folder = folder(16, |run, clock| match clock {
        3 if run >= 9 => 1.04,
        4 if run == 9 => 1.5,
        5 if run == 15 => 1.5,
        _ => 1.0,
    });
    let output = history(folder.path(), &["--json"]);
    assert!(output.status.success(), "{output:?}");
    let found = parsed(&output);
    assert_eq!(found["method"], "history");
    let starts = found["history"]["runs"].as_array().expect("runs").iter();
    let starts: Vec<&str> = starts.map(|run| run["started"].as_str().expect("a date")).collect();
    assert!(starts.is_sorted() && starts.len() == 16);
    let trends = found["history"]["trends"].as_array().expect("trends");
    for trend in trends {
        let turns = trend["turns"].as_array().map_or(0, Vec::len);
        assert_eq!(turns, usize::from(trend["id"] == "test/clock-3"), "{trend}");
        assert_eq!(trend["values"].as_array().expect("values").len(), 16);
    }
    let dated = trends.iter().find(|trend| trend["id"] == "test/clock-3").expect("it");
    assert_eq!(dated["turns"][0]["run"], 9);
    assert_eq!(dated["turns"][0]["started"], "2026-10-10T08:00:00Z");
    let rows = found["rows"].as_array().expect("rows");
    let verdict = |id: &str| rows.iter().find(|row| row["id"] == id).map(|row| &row["verdict"]);
    assert_eq!(verdict("test/clock-3").expect("it"), "worse");
    // The spike makes what the history predicts so wide that it does not bound a change.
    assert_eq!(verdict("test/clock-4").expect("it"), "cannot-tell");
    assert_eq!(verdict("test/clock-5").expect("it"), "cannot-tell");
    assert_eq!(found["counts"]["worse"], 1);
    let screen = text(&history(folder.path(), &[]));
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    assert!(screen.contains("2026-10-10 08:00 +4.0 %"), "{screen}");
    assert!(screen.contains("only the newest run is off"), "{screen}");
    for (threshold, code) in [("3%", 1), ("5%", 0)] {
        let output = history(folder.path(), &["--threshold", threshold]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
    for format in ["markdown=-", "csv=-"] {
        let shown = text(&history(folder.path(), &["--export", format]));
        assert!(shown.contains("test/clock-3"), "{shown}");
    }
}

#[test]
fn a_new_report_is_judged_by_the_folder() {
    let folder = folder(8, |_, _| 1.0);
    let new = |name, changed: f64| {
        let report = report(20, |clock| if clock == 2 { changed } else { 1.0 });
        let elsewhere = tempfile::tempdir().expect("a folder");
        let file = write(elsewhere.path(), name, &report);
        let words = [&*file, "--threshold", "2%", "--json"];
        let output = history(folder.path(), &words);
        (output.status.code(), parsed(&output)["counts"].clone())
    };
    let (code, counts) = new("calm.json", 1.0);
    assert_eq!((code, &counts["worse"], &counts["better"]), (Some(0), &json!(0), &json!(0)));
    let (code, counts) = new("worse.json", 1.03);
    assert_eq!((code, &counts["worse"], &counts["better"]), (Some(1), &json!(1), &json!(0)));
    let (code, counts) = new("better.json", 0.97);
    assert_eq!((code, &counts["worse"], &counts["better"]), (Some(0), &json!(0), &json!(1)));
}

#[test]
fn other_machines_and_bad_files_are_left_out_and_counted() {
    let folder = folder(6, |_, _| 1.0);
    let path = folder.path();
    for at in 6..9 {
        let mut other = report(at, |_| 3.0);
        other["environment"]["kernel"] = "6.1".into();
        write(path, &format!("other-{at}.json"), &other);
    }
    write(path, "copy.json", &report(2, |_| 1.0));
    for at in 0..9 {
        std::fs::write(path.join(format!("bad-{at}.json")), "{").expect("room");
    }
    std::fs::create_dir(path.join("folder.json")).expect("room");
    std::fs::write(path.join("notes.txt"), "not a report").expect("room");
    let new = tempfile::tempdir().expect("a folder");
    let new = write(new.path(), "new.json", &report(20, |_| 1.0));
    let output = history(path, &[&new, "--json"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).lines().count() <= 4, "{output:?}");
    let found = parsed(&output);
    let history_of = &found["history"];
    assert_eq!(history_of["runs"].as_array().map(Vec::len), Some(7));
    assert_eq!(history_of["unread"].as_array().map(Vec::len), Some(10));
    let out: Vec<&Value> = history_of["left_out"].as_array().expect("some").iter().collect();
    assert!(out.iter().any(|it| it["key"] == "kernel" && it["a"] == "6.1" && it["runs"] == 3));
    assert!(out.iter().any(|it| it["key"] == "the same run again" && it["runs"] == 1));
    let screen = text(&history(path, &[&new]));
    assert!(screen.contains("3 runs: kernel 6.1, not 6.18"), "{screen}");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("3 runs took no part, most because of another kernel"), "{screen}");
    assert!(words.contains("No change among the runs that took part."), "{screen}");
}

/// Runs that differ in what matters are judged as a set, even if the others are too few to judge
/// the newest by.
#[test]
fn runs_that_take_no_part_are_judged_as_a_set() {
    for (like, changed) in [(8, 1.0), (8, 1.04), (5, 1.04)] {
        let folder = folder(like, |_, clock| if clock == 3 { changed } else { 1.0 });
        for at in like..like + 6 {
            let mut other = report(at, |_| 1.0);
            other["environment"]["kernel"] = "6.1".into();
            // Before the others, so that the newest is one of those.
            other["run"]["started"] = format!("2026-09-{:02}T08:00:00Z", at + 1).into();
            write(folder.path(), &format!("other-{at}.json"), &other);
        }
        let output = history(folder.path(), &["--json"]);
        assert!(output.status.success(), "{output:?}");
        let out = &parsed(&output)["history"]["left_out"][0];
        assert_eq!((&out["runs"], &out["a"]), (&json!(6), &json!("6.1")));
        let judged = &out["judged"];
        assert_eq!((&judged["a"]["runs"], &judged["b"]["runs"]), (&json!(6), &json!(like)));
        let rows = judged["rows"].as_array().expect("rows").iter();
        let worse: Vec<&Value> = rows.filter(|row| row["verdict"] == "worse").collect();
        assert_eq!(worse.len(), usize::from(changed > 1.0), "{judged}");
        assert!(worse.iter().all(|row| row["id"] == "test/clock-3"), "{worse:?}");
        let screen = text(&history(folder.path(), &[]));
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        let verdict = if changed > 1.0 { "It changed." } else { "No change." };
        let expected = format!(
            "6 runs took no part: kernel 6.1, not 6.18. As a set, next to the others: {verdict}"
        );
        assert!(words.contains(&expected) && !words.contains("No change found"), "{screen}");
    }
}

#[test]
fn what_is_no_history_is_refused_in_one_line() {
    let few = folder(4, |_, _| 1.0);
    let empty = tempfile::tempdir().expect("a folder");
    let file = write(empty.path(), "one.txt", &report(1, |_| 1.0));
    for (folder, words, why) in [
        (few.path(), vec![], "it takes 5 earlier runs"),
        (empty.path(), vec![], "there is no file *.json"),
        (Path::new("no-such-folder"), vec![], "no-such-folder"),
        (few.path(), vec![&*file, &*file], "one report at most"),
        (few.path(), vec!["--baseline", "x"], "--baseline"),
    ] {
        let output = history(folder, &words);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(line.contains(why) && line.lines().count() == 1, "{why}: {line}");
    }
}
