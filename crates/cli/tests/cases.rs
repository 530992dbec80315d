//! Cases from public reports: `cases/NAME` holds what a user had, its `EXPECTED` what is right and
//! the source, and `cases/checks.txt` the same in lines that this test can check, through the tool
//! as a user runs it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::common::tool;
use chronoscope_model::finding::Outcome;
use chronoscope_model::{Finding, Report};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases that are not right yet. One that turns right and is still here fails the test.
const KNOWN_WRONG: &[&str] = &[];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The lines of each case in `checks.txt`.
fn cases() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(folder().join("checks.txt")).expect("the checks");
    let mut cases: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => cases.push((name.into(), Vec::new())),
            None => cases.last_mut().expect("a case comes first").1.push(line.into()),
        }
    }
    cases
}

fn explained(name: &str) -> String {
    let output = tool(&["explain", name]).env("COLUMNS", "100000").output().expect("it starts");
    assert!(matches!(output.status.code(), Some(0 | 2)), "{name}: {output:?}");
    String::from_utf8_lossy(&output.stdout).to_lowercase()
}

/// What a case shows: a report if it holds facts, and what its script prints if it has one.
struct Shown {
    report: Option<Report>,
    printed: String,
}

fn shown(name: &str, checks: &[String]) -> Result<Shown, String> {
    let folder = folder().join(name);
    let mut report = None;
    if folder.join("process").exists() {
        let path = folder.display().to_string();
        let output = tool(&["doctor", "--facts", &path, "--json"]).output().expect("it starts");
        let json = serde_json::from_slice(&output.stdout);
        report = Some(json.map_err(|why| format!("{why}: {output:?}"))?);
    }
    let mut printed = String::new();
    if checks.iter().any(|line| line.starts_with("live:")) {
        let mut script = Command::new("sh");
        script.arg(folder.join("run.sh")).arg(env!("CARGO_BIN_EXE_chronoscope"));
        let output = script.output().expect("a shell");
        printed = String::from_utf8_lossy(&output.stdout).to_lowercase();
    }
    Ok(Shown { report, printed })
}

/// All that a finding says.
fn text(found: &Finding) -> String {
    [&*found.title, &found.evidence.join("\n"), &found.fix].join("\n").to_lowercase()
}

/// Whether a line of `checks.txt` holds, or why not.
fn holds(check: &str, shown: &Shown) -> Result<(), String> {
    // A line that `explain` shall know may itself hold colons.
    let page = check.starts_with("page ") || check.starts_with("nopage ");
    let parts = if page { check.rsplit_once(": ") } else { check.split_once(": ") };
    let (head, wanted) = parts.unwrap_or((check, ""));
    let (verb, rest) = head.split_once(' ').unwrap_or((head, ""));
    let wanted: Vec<String> = wanted.split(" | ").map(str::to_lowercase).collect();
    let within = |text: &str| wanted.iter().any(|words| text.contains(&**words));
    let none = Vec::new();
    let findings = shown.report.as_ref().map_or(&none, |report| &report.findings);
    let one_of = |list: &str, name: &str| list.split('|').any(|one| one == name);
    let mut named = findings.iter().filter(|found| one_of(rest, &found.id));
    let right = match verb {
        "found" => {
            let (ids, levels) = rest.split_once(' ').expect("ids and levels");
            let right = |found: &&Finding| {
                one_of(ids, &found.id) && one_of(levels, found.level.name()) && found.is_found()
            };
            findings.iter().any(|found| right(&found))
        }
        "any" => {
            let right = |found: &Finding| one_of(rest, found.level.name()) && within(&text(found));
            findings.iter().any(right)
        }
        "says" => named.any(|found| within(&text(found))),
        "hides" => named.all(|found| !within(&text(found))),
        "never" => !findings.iter().any(|found| within(&text(found))),
        "silent" => !findings.iter().any(|found| {
            found.level.name() == rest || { found.level == chronoscope_model::Level::Error }
        }),
        "unruled" => {
            let checks = shown.report.iter().flat_map(|report| &report.checks);
            checks.filter(|check| check.id == rest).all(|check| check.outcome != Outcome::Clear)
        }
        "page" => within(&explained(rest)),
        "nopage" => !within(&explained(rest)),
        "live" => within(&shown.printed),
        "dead" => !within(&shown.printed),
        _ => panic!("'{check}' begins with no known word"),
    };
    if right { Ok(()) } else { Err(format!("does not hold: {check}")) }
}

/// What a live case needs and this machine lacks.
fn lacking(name: &str) -> Option<&'static str> {
    let there = |program| Command::new(program).arg("--version").output().is_ok();
    match name {
        "live-valgrind" => (!there("valgrind")).then_some("valgrind"),
        name if name.starts_with("live-") => (!there("gcc")).then_some("gcc"),
        _ => None,
    }
}

#[test]
fn every_case_is_right_but_for_the_known_ones() {
    judge(|name| !name.starts_with("live-"));
}

#[test]
fn a_clock_that_misbehaves_never_stops_the_tool() {
    judge(|name| name.starts_with("live-"));
}

/// Tries the cases with such names, or those whose name contains `CHRONOSCOPE_CASE`.
fn judge(these: impl Fn(&str) -> bool) {
    let only = std::env::var("CHRONOSCOPE_CASE").ok();
    let mut wrong = String::new();
    let mut cases = cases();
    cases
        .retain(|(name, _)| these(name) && only.as_ref().is_none_or(|only| name.contains(&**only)));
    let right = cases.iter().filter(|(name, checks)| {
        if let Some(program) = lacking(name) {
            eprintln!("not tested: {name} needs {program}");
            return true;
        }
        let failed: Vec<String> = match shown(name, checks) {
            Ok(shown) => checks.iter().filter_map(|check| holds(check, &shown).err()).collect(),
            Err(why) => vec![why],
        };
        let known = KNOWN_WRONG.contains(&&**name);
        if known && failed.is_empty() {
            let _ = writeln!(wrong, "{name} is right: take it off the list");
        }
        for line in &failed {
            if known {
                println!("known: {name}: {line}");
            } else {
                let _ = writeln!(wrong, "{name}: {line}");
            }
        }
        failed.is_empty()
    });
    let right = right.count();
    println!("{right} of {} cases are right", cases.len());
    assert!(wrong.is_empty(), "{right} of {} are right\n{wrong}", cases.len());
}

#[test]
fn every_folder_has_checks_and_each_check_a_folder() {
    let mut folders: Vec<String> = fs::read_dir(folder())
        .expect("the cases")
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let cases = cases();
    assert_eq!(cases.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), folders);
    for (name, checks) in &cases {
        assert!(!checks.is_empty() && folder().join(name).join("EXPECTED").exists(), "{name}");
    }
    for name in KNOWN_WRONG {
        assert!(cases.iter().any(|(case, _)| case == name), "{name}");
    }
}
