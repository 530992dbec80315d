//! Clocks, differences, calls and overheads without a load and under some.
#![cfg(target_os = "linux")]

use crate::common::{run, tool};
use crate::waiting::{children, runs, until};
use chronoscope_model::Report;
use chronoscope_model::waits::Load;
use std::process::Stdio;

/// The commands in a short form.
const SHORT: [&[&str]; 4] = [
    &["clocks", "rust/instant", "c/time", "--budget", "3s"],
    &["deltas", "rust/instant", "--reads", "1000", "--budget", "1s"],
    &["calls", "rust/instant", "--budget", "300ms"],
    &["overhead", "rust/instant", "60", "20", "20", "--budget", "1s"],
];

fn report(args: &[&str], more: &[&str]) -> Report {
    let args = [args, more, &["--json", "--quiet"]].concat();
    let output = run(&args);
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("nothing but a report is printed")
}

/// The load of each row, in the order of the report.
fn loads(report: &Report) -> Vec<Option<Load>> {
    let clocks = report.clocks.iter().chain(&report.clocks_under_load).map(|row| row.load);
    let deltas = report.deltas.iter().map(|row| row.load);
    let loops = report.calls.iter().map(|row| row.load);
    let loops = loops.chain(report.overhead.iter().map(|row| row.load));
    clocks.chain(deltas).chain(loops).collect()
}

#[test]
fn each_load_has_its_rows_after_those_without_a_load() {
    let (none, normal, print) = (None, Some(Load::Normal), Some(Load::Print));
    for args in SHORT {
        let found = report(args, &["--load", "normal,print,normal,none"]);
        let expected = match args[0] {
            "clocks" => vec![none, none, normal, print, normal, print],
            _ => vec![none, normal, print],
        };
        assert_eq!(loads(&found), expected, "{args:?}");
        let got: Vec<_> = found.load_runs.iter().map(|run| (Some(run.load), run.lost())).collect();
        assert_eq!(got, [(normal, 0), (print, 0)]);
        assert!(found.clocks_under_load.iter().all(|clock| clock.cost.throughput.is_some()));
    }
}

#[test]
fn no_load_is_the_same_as_none() {
    for args in SHORT {
        let found = [report(args, &[]), report(args, &["--load", "none"])];
        assert_eq!(loads(&found[0]), loads(&found[1]));
        for found in found {
            assert!(found.load_runs.is_empty() && loads(&found).iter().all(Option::is_none));
        }
    }
}

#[test]
fn a_load_leaves_neither_processes_nor_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = tool(&["calls", "rust/instant", "--load", "print,io", "--budget", "4s"])
        .env("TMPDIR", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool");
    let mut seen = Vec::new();
    until("the end", || {
        seen.extend(children(child.id()));
        child.try_wait().expect("it is ours")
    });
    assert!(!seen.is_empty() && !seen.iter().any(|&pid| runs(pid)));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn the_thread_has_the_priority_or_nothing_is_measured() {
    let args = ["calls", "rust/instant", "--budget", "300ms", "--priority", "5", "--json"];
    let output = run(&args);
    if output.status.code() == Some(2) {
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("--priority 5: ") && told.lines().count() == 1, "{told}");
        return eprintln!("left out: {told}");
    }
    let found: Report = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(found.ruler.and_then(|ruler| ruler.fifo), Some(5));
    assert_eq!(found.calls.len(), 1);
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    for args in SHORT {
        for (more, told) in [
            (["--priority", "50"], "1 to 49"),
            (["--priority=100", "--allow-high-priority"], "1 to 99"),
            (["--load", "nromal"], "normal"),
            (["--load=normal", "--load-processes=100000"], "possible"),
        ] {
            let output = run(&[args, &more].concat());
            let line = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{args:?} {more:?}");
            assert!(line.contains(told), "{line}");
        }
    }
}
