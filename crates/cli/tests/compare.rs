//! Reports of one machine or of several next to each other.

use crate::common::{run, tool};
use chronoscope_model::clock::{Facts, Reads};
use chronoscope_model::compare::Compared;
use std::path::Path;

const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
];

/// The report of a target that the repository holds.
fn stored(target: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join(format!("{target}.json")).display().to_string()
}

fn shown(words: &[&str], files: &[String]) -> String {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let output = run(&[&["compare"], &files[..], words].concat());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_clocks_of_any_number_of_machines_are_compared() {
    for number in [2, 4, 6] {
        let files: Vec<String> = TARGETS.iter().cycle().take(number).map(|it| stored(it)).collect();
        for width in ["60", "80", "120"] {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let words = [&["compare"], &files[..]].concat();
            let output = tool(&words).env("COLUMNS", width).output().expect("the tool starts");
            let text = String::from_utf8(output.stdout).expect("text");
            let most = text.lines().map(|line| line.chars().count()).max();
            assert!(most <= width.parse().ok(), "{number} at {width}: {text}");
            for letter in ["A  ", "B  "] {
                assert!(text.contains(&format!("  {letter}")), "{text}");
            }
            assert!(text.contains("2026-11-21"), "{text}");
            let last = text.split("For intervals").nth(1).expect("the choice");
            assert!(last.contains("chronoscope/instant") && last.contains("posix/monotonic"));
            let last = last.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(last.contains("of each language by its geometric mean: "), "{last}");
        }
    }
}

#[test]
fn every_format_holds_every_machine() {
    let files = TARGETS.map(stored);
    let json: serde_json::Value = serde_json::from_str(&shown(&["--json"], &files)).expect("JSON");
    assert_eq!(json["schema"], "chronoscope.comparison/1");
    let rows = json["clocks"].as_array().expect("clocks");
    assert!(rows.iter().all(|row| row["on"].as_array().is_some_and(|on| on.len() == 4)));
    let more = || json["more"].as_array().expect("more").iter();
    let changes = || std::iter::once(&json).chain(more());
    let rows: usize = changes().map(|it| it["rows"].as_array().expect("rows").len()).sum();
    let csv = shown(&["--export", "csv=-"], &files);
    assert_eq!(csv.lines().count(), 1 + rows);
    let markdown = shown(&["--export", "markdown=-"], &files);
    assert!(markdown.starts_with("# Compared\n\nB, C, D with A\n"), "{markdown}");
    assert!(TARGETS.iter().all(|target| markdown.contains(&format!("{target}.json"))));
    // What is not changed is in no table.
    assert!(!markdown.contains("| same") && !markdown.contains("(-v)"), "{markdown}");
    // Another machine is neither better nor worse.
    for row in changes().flat_map(|it| it["rows"].as_array().expect("rows")) {
        let verdict = row["verdict"].as_str().expect("a verdict");
        assert!(["higher", "lower", "same", "cannot-tell"].contains(&verdict), "{row}");
    }
    assert!(run(&["compare", &files[0], &files[1], "--threshold", "1%"]).status.success());
}

/// A copy of a stored report whose system calls cost so many times as much.
fn slower(folder: &Path, times: f64) -> String {
    let text = std::fs::read(stored(TARGETS[0])).expect("a report");
    let mut report: chronoscope_model::Report = serde_json::from_slice(&text).expect("JSON");
    for clock in &mut report.clocks {
        let reads = match clock.id.ends_with("-syscall") {
            true => Reads::SystemCall,
            false => Reads::Vdso,
        };
        clock.facts = Some(Facts { reads, ..Facts::default() });
        let cost = &mut clock.cost;
        let costs = [&mut cost.throughput, &mut cost.latency].into_iter().flatten();
        for it in costs.filter(|_| reads == Reads::SystemCall) {
            for ns in [&mut it.value_ns, &mut it.low_ns, &mut it.high_ns] {
                *ns *= times;
            }
            it.core_cycles = it.core_cycles.map(|cycles| cycles * times);
        }
    }
    let file = folder.join(format!("{times}.json"));
    std::fs::write(&file, serde_json::to_vec(&report).expect("plain data")).expect("room");
    file.display().to_string()
}

#[test]
fn what_changed_is_named_and_a_threshold_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let (a, b) = (stored(TARGETS[0]), slower(folder.path(), 1.5));
    let text = shown(&[], &[a.clone(), b.clone()]);
    for words in ["+50.0 %", "are system calls, and no other row is", "It changed."] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let last = text.lines().rev().take(3).collect::<String>();
    assert!(last.contains("figures are worse"), "{text}");
    let text = shown(&["-v"], &[a.clone(), b.clone()]);
    assert!(text.contains("same, within") && text.contains("worse"), "{text}");
    let text = shown(&[], &[a.clone(), a.clone()]);
    assert!(text.contains("No change") && !text.contains("It changed"), "{text}");
    for (files, threshold, code) in
        [([&a, &b], "60%", 0), ([&a, &b], "49.5 %", 1), ([&b, &a], "5%", 0), ([&a, &a], "0%", 0)]
    {
        let output = run(&["compare", files[0], files[1], "--threshold", threshold, "--json"]);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{threshold}: {line}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["exceeded"] == true, code == 1);
        if code == 1 {
            assert!(line.contains("is worse by 50.0 %, more than 49.5 %"), "{line}");
            assert_eq!(line.lines().count(), 1);
        }
    }
    for threshold in ["5", "0.05", "-5%", "nan%", "five", ""] {
        let output = run(&["compare", &a, &b, "--threshold", threshold]);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{threshold}: {line}");
        assert!(line.contains("percentage") && line.lines().count() == 1, "{line}");
    }
}

#[test]
fn comparisons_are_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let machines = TARGETS.map(stored).to_vec();
    let one = vec![stored(TARGETS[0]), slower(folder.path(), 1.5)];
    let many: Vec<String> = TARGETS.iter().cycle().take(6).map(|it| stored(it)).collect();
    for files in [machines, one, many] {
        let text = shown(&["--json"], &files);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let read: Compared = serde_json::from_str(&text).expect("it is read back");
        assert_eq!(serde_json::to_value(&read).expect("plain data"), value);
    }
}

#[test]
fn overhead_is_shown_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("overhead.json").display().to_string();
    let export = format!("json={file}");
    let words = ["overhead", "rust/instant", "9", "9", "9", "--export", &export];
    assert!(run(&words).status.success());
    let text = shown(&[], &[file.clone(), file.clone()]);
    for word in ["rust/instant", "baseline", "timed", "overhead", "average", "median", "B"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let elsewhere = TARGETS.map(stored);
    let elsewhere = elsewhere.each_ref().map(String::as_str);
    for (files, why) in [
        (vec![file.as_str()], "two reports or more"),
        (vec![&file, "no-such.json"], "no-such.json"),
        (vec![&file, env!("CARGO_MANIFEST_PATH")], "not valid JSON"),
        (vec![&file, &stored(TARGETS[0])], "has overhead,"),
        (vec![&file; 5], "5 reports of one machine"),
        ([&elsewhere[..], &[&file]].concat(), "overhead.json: of several machines"),
        (vec![&file, &file, "--export", "hdr=-"], "not as hdr"),
    ] {
        let output = run(&[&["compare"], &files[..]].concat());
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains(why) && line.lines().count() == 1, "{line}");
    }
}
