//! Reports of several machines next to each other.

mod common;

use common::{run, tool};
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
    let csv = shown(&["--export", "csv=-"], &files);
    assert_eq!(csv.lines().count(), 1 + 4 * rows.len());
    let markdown = shown(&["--export", "markdown=-"], &files);
    assert!(markdown.starts_with("# 4 reports compared"), "{markdown}");
    assert!(TARGETS.iter().all(|target| markdown.contains(&format!("{target}.json"))));
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
    for (files, why) in [
        (vec![file.as_str()], "two reports or more"),
        (vec![&file, "no-such.json"], "no-such.json"),
        (vec![&file, env!("CARGO_MANIFEST_PATH")], "not valid JSON"),
        (vec![&file, &stored(TARGETS[0])], "overhead only"),
        (vec![&file, &file, "--export", "hdr=-"], "not as hdr"),
    ] {
        let output = run(&[&["compare"], &files[..]].concat());
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains(why) && line.lines().count() == 1, "{line}");
    }
}
