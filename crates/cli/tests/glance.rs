//! Without a command: what can be left out, and the two lines for a bug report.

use crate::common::{run, tool};
use chronoscope_diagnose::advise::PURPOSES;
use chronoscope_model::Report;
use std::collections::BTreeMap;
use std::process::Output;

fn report(args: &[&str]) -> Report {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn two_lines_describe_the_machine() {
    let output = tool(&["--brief", "--color", "always"]).env("COLUMNS", "60").output();
    let output = output.expect("the tool starts");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.starts_with("chronoscope ") && !text.contains('\u{1b}'), "{text}");
    for part in [" ns", "worst wake-up", "finding"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = report(&["--brief", "--json"]);
    assert!(report.clocks.len() <= 2 && report.waits.iter().any(|wait| wait.samples > 0));
    assert!(report.waits_plan.is_none());
    let output = run(&["--brief", "-v"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("--verbose does not apply"), "{}", told(&output));
}

#[test]
fn only_what_is_asked_for_is_measured() {
    let budget = ["--budget", "1s", "--json"];
    let some = report(&[&["--only", "rust,posix/mono*", "--no-waits"][..], &budget].concat());
    let ids: Vec<&str> = some.clocks.iter().map(|clock| clock.id.as_str()).collect();
    assert_eq!(ids, ["posix/monotonic", "rust/instant", "rust/system_time"]);
    assert!(some.waits.is_empty());
    assert!(some.notes.iter().any(|note| note.id == "some-clocks"));
    assert!(some.notes.iter().all(|note| note.id != "waits-left-out"));
    let left_out = |report: &Report| report.notes.iter().any(|note| note.id == "some-clocks");
    let all = report(&[&["--all", "--no-waits"][..], &budget].concat());
    assert!(all.waits.is_empty() && !left_out(&all));
    // What is shown, and what advice needs.
    let usual = report(&budget);
    assert!(usual.clocks.len() < all.clocks.len() / 3 && left_out(&usual));
    let needed = |report: &Report| {
        let is_row = |id: &&str| report.clocks.iter().any(|it| it.id == *id && !it.elsewhere);
        PURPOSES.iter().flat_map(|purpose| purpose.needs()).filter(is_row).collect::<Vec<_>>()
    };
    assert_eq!(needed(&usual), needed(&all));
    // Next to a load another clock may be cheaper, and whether a language reads it by code of its
    // own is another matter.
    let advised = |report: &Report| {
        let first = report.advice.iter().filter(|it| it.wait.is_none() && it.languages.is_empty());
        first.map(|it| (it.purpose.clone(), it.clock.is_some())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(advised(&usual), advised(&all));
    assert!(usual.waits.iter().any(|wait| wait.samples > 0));
    for args in [
        &["--only", "rust/instanz"][..],
        &["--only", ""],
        &["--no-waits", "clocks"],
        &["--brief", "hardware"],
        &["--only", "rust", "waits"],
        &["--only", "rust", "--brief"],
        &["--only", "rust", "--all"],
        &["--all", "--brief"],
        &["--no-waits", "--export", "hdr=-"],
    ] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
    assert!(told(&run(&["--only", "rust/instanz"])).contains("rust/instant"));
    let line = told(&run(&["--no-waits", "clocks"]));
    assert!(line.contains("--no-waits does not apply to `clocks`"), "{line}");
}

#[test]
fn code_is_in_one_language_unless_more_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let system = if cfg!(windows) { "windows" } else { "posix" };
    let args = ["--only", system, "--no-waits", "--budget", "1s", "--json"];
    std::fs::write(&path, run(&args).stdout).expect("room");
    let file = path.display().to_string();
    let from = ["advise", "--from", &file, "--for", "interval"];
    let languages = |more: &[&str], variable: &str| {
        let args = [&from[..], more].concat();
        let output = tool(&args).env("CHRONOSCOPE_LANGUAGE", variable).output();
        let output = output.expect("the tool starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &told(&output);
        let known = chronoscope_diagnose::advise::LANGUAGES.into_iter();
        let shown =
            known.filter(|name| text.lines().any(|l| l.starts_with(&format!("  {name}  "))));
        (shown.collect::<Vec<_>>(), text)
    };
    let (shown, text) = languages(&[], "");
    assert_eq!(shown, ["C"], "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("--language all"), "{text}");
    assert_eq!(languages(&[], "python").0, ["Python"]);
    assert_eq!(languages(&["--language", "go"], "python").0, ["Go"]);
    for more in [&["--language", "all"][..], &["-v"]] {
        let (shown, text) = languages(more, "");
        assert!(shown.len() >= 4, "{text}");
    }
    assert_eq!(languages(&[], "all").0.len(), languages(&["--language", "all"], "").0.len());
    let (_, wrong) = languages(&[], "klingon");
    assert!(wrong.contains("CHRONOSCOPE_LANGUAGE") && wrong.contains("Python"), "{wrong}");
    // Programs get every language of this tool, unless one is asked for.
    let count = |more: &[&str]| {
        let report = report(&[&from[..], &["--json"], more].concat());
        report.advice.iter().map(|advice| advice.code.len()).sum::<usize>()
    };
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&["--language", "rust"]), 1);
}
