//! A report next to each report of a folder or a stream.

use crate::common::{check, run, tool};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

fn stored(target: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join(format!("{target}.json"))
}

/// The report of this system, changed by a function.
fn changed(change: impl Fn(&mut Value)) -> Value {
    let bytes = std::fs::read(stored("x86_64-unknown-linux-gnu")).expect("a report");
    let mut report = serde_json::from_slice(&bytes).expect("JSON");
    change(&mut report);
    report
}

/// Reads of the first clocks cost more by this factor.
fn slower(clocks: usize, factor: f64) -> Value {
    changed(|report| {
        let with_cost = |clock: &&mut Value| clock["cost"]["throughput"]["value_ns"].is_f64();
        let all = report["clocks"].as_array_mut().expect("clocks").iter_mut();
        for clock in all.filter(with_cost).take(clocks) {
            for quantity in ["throughput", "latency"] {
                for key in ["value_ns", "low_ns", "high_ns", "core_cycles"] {
                    if let Some(value) = clock["cost"][quantity][key].as_f64() {
                        clock["cost"][quantity][key] = (value * factor).into();
                    }
                }
            }
        }
    })
}

/// A folder: nothing changed, two clocks did, six did, another machine, and what is no report.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("room");
    };
    write("a-calm.json", slower(0, 1.0).to_string().as_bytes());
    write("b-two.json", slower(2, 3.0).to_string().as_bytes());
    write("c-six.json", slower(6, 3.0).to_string().as_bytes());
    write("d-empty.json", b"");
    write("e-cut.json", &slower(0, 1.0).to_string().as_bytes()[..9000]);
    write("f-hostile.json", "[".repeat(100_000).as_bytes());
    write("notes.txt", b"not a report");
    folder
}

fn names(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let others = found["others"].as_array().expect("others").iter();
    others.map(|it| it["file"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_worst_report_is_first_and_unreadable_ones_are_last() {
    let folder = folder();
    let first = stored("x86_64-unknown-linux-gnu").display().to_string();
    let words = ["compare", &first, &folder.path().display().to_string()];
    let output = run(&[&words[..], &["--json"]].concat());
    let all = names(&output);
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!(all[..2], ["c-six.json", "b-two.json"]);
    assert!(all[3..].iter().all(|name| !name.starts_with("a-")), "{all:?}");
    for width in ["60", "80", "120"] {
        let shown = tool(&words).env("COLUMNS", width).output().expect("the tool starts");
        let text = String::from_utf8(shown.stdout).expect("text");
        assert!(text.lines().all(|line| line.chars().count() <= width.parse().expect("it")));
        assert!(text.contains("3 reports cannot be compared"), "{text}");
        assert!(text.contains("In 1 report nothing changed"), "{text}");
    }
    let csv = run(&[&words[..], &["--export", "csv=-"]].concat());
    assert_eq!(String::from_utf8_lossy(&csv.stdout).lines().count(), 7);
    let markdown = run(&[&words[..], &["--export", "markdown=-"]].concat());
    assert!(String::from_utf8_lossy(&markdown.stdout).contains("c-six.json"), "{markdown:?}");
    let failed = run(&[&words[..], &["--threshold", "5%"]].concat());
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
}

#[test]
fn a_stream_has_a_report_on_each_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("reports.ndjson");
    let lines =
        [slower(0, 1.0).to_string(), "{}".into(), String::new(), slower(4, 2.0).to_string()];
    let stream = lines.join("\n");
    std::fs::write(&file, &stream).expect("room");
    let first = stored("x86_64-unknown-linux-gnu").display().to_string();
    let of_file = run(&["compare", &first, &file.display().to_string(), "--json"]);
    let found = names(&of_file);
    assert_eq!(found, ["reports.ndjson:4", "reports.ndjson:1", "reports.ndjson:2"]);
    let args = ["compare", &first, "-", "--json"];
    let mut command = tool(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool starts");
    child.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    check(&args, &output);
    assert_eq!(names(&output).len(), 3);
}

/// Records hold what a report does, for one run or for many.
#[test]
fn records_are_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("records.ndjson").display().to_string();
    let first = stored("x86_64-unknown-linux-gnu").display().to_string();
    let export = format!("ndjson={file}");
    assert!(run(&["report", &first, "--export", &export]).status.success());
    let shown = run(&["report", &file]);
    assert_eq!(shown.stdout, run(&["report", &first]).stdout);
    let output = run(&["compare", &first, &file, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(found["counts"]["same"].as_u64() > Some(10), "{output:?}");
    let within = folder.path().display().to_string();
    assert_eq!(names(&run(&["compare", &first, &within, "--json"])), ["records.ndjson"]);
    let records = std::fs::read(&file).expect("it was written");
    std::fs::write(&file, records.repeat(2)).expect("room");
    assert_eq!(names(&run(&["compare", &first, &file, "--json"])).len(), 2);
}

/// The runs of a folder, each with an id of its own.
fn set(folder: &Path, name: &str, runs: u64, factor: f64) -> String {
    let folder = folder.join(name);
    std::fs::create_dir(&folder).expect("room");
    for at in 0..runs {
        let mut report = slower(4, factor * (1.0 + 0.001 * at as f64));
        report["run"]["id"] = format!("{name}{at}").into();
        let file = folder.join(format!("{at}.json"));
        std::fs::write(file, report.to_string()).expect("room");
    }
    folder.display().to_string()
}

#[test]
fn two_sets_are_judged_by_the_spread_of_their_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = set(folder.path(), "a", 6, 1.0);
    let b = set(folder.path(), "b", 5, 1.1);
    let output = run(&["compare", &a, &b, "--json", "--seed", "1"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&found["method"], &found["a"]["runs"], &found["b"]["runs"]),
        (&"sets".into(), &6.into(), &5.into())
    );
    assert_eq!(found["counts"]["worse"], 8, "{output:?}");
    assert_eq!(found["counts"]["better"], 0);
    let cold = found["rows"].as_array().expect("rows").iter().filter(|row| {
        row["quantity"] == "cold" && row["verdict"] == "same" && row["bounds"]["ratio"] == 1.0
    });
    assert!(cold.count() > 0, "what two reports cannot tell is judged");
    for (files, code, words) in [
        ([format!("{a}/*.json"), format!("{b}/?.json")], 0, "5 runs"),
        ([a.clone(), format!("{b}/1*.json")], 2, "takes 5 runs or more, and this one has 1"),
        ([a.clone(), format!("{b}/none-*.json")], 2, "no file has such a name"),
    ] {
        let output = run(&["compare", &files[0], &files[1]]);
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(output.status.code() == Some(code) && text.contains(words), "{text}");
    }
    let failed = run(&["compare", &a, &b, "--threshold", "5%"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
}

/// One report at a time: a hundred times as many need no more than a few lines each.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_reports() {
    use std::io::Read;
    /// The most memory that the tool has had when it has read so many reports, in KiB.
    fn most_kib(reports: usize) -> u64 {
        let first = stored("x86_64-unknown-linux-gnu").display().to_string();
        let mut command = tool(&["compare", &first, "-", "--json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the tool starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let line = slower(1, 1.5).to_string() + "\n";
        for _ in 0..reports {
            stdin.write_all(line.as_bytes()).expect("it reads");
        }
        // Everything but what fits into the pipe was read.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        drop(stdin);
        child.stdout.take().expect("a pipe").read_to_end(&mut Vec::new()).expect("output");
        child.wait().expect("it ends");
        let status = status.expect("it waits for the next line");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
    let (few, many) = (most_kib(10), most_kib(1000));
    assert!(many < 64 << 10, "{many} KiB");
    // Another line takes a few KiB, and a report hundreds.
    assert!(many < few + (16 << 10), "{few} KiB, {many} KiB");
}
