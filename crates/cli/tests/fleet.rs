//! The files of a fleet are written whole, and never over what a user changed.

#![cfg(feature = "serve")]

use crate::common::run;
use chronoscope_fleet::files::FILES;
use std::fs;
use std::path::Path;
use std::process::Output;

fn generate(folder: &Path, options: &[&str]) -> Output {
    let folder = folder.to_str().expect("plain");
    run(&[&["generate", "fleet", folder], options].concat())
}

/// Checks that a run fails with this code and one line, and returns the line.
fn refused(output: &Output, code: i32) -> String {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn all_files_are_written_into_a_new_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("one/two");
    // The second run finds what it would write.
    for _ in 0..2 {
        let output = generate(&to, &[]);
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(&format!("wrote {} files to ", FILES.len())), "{told}");
    }
    for (path, text) in FILES.iter() {
        assert_eq!(fs::read_to_string(to.join(path)).expect("a file"), *text, "{path}");
    }
}

#[test]
fn changed_files_stay_unless_they_are_to_be_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path();
    let changed = ["prometheus/rules.yaml", "sql/load.sql"];
    for path in changed {
        let place = to.join(path);
        fs::create_dir(place.parent().expect("a folder")).expect("room");
        fs::write(place, "mine").expect("room");
    }
    let line = refused(&generate(to, &[]), 2);
    assert!(line.contains("prometheus/rules.yaml, sql/load.sql; --force"), "{line}");
    assert!(!to.join("README.md").exists());
    for path in changed {
        assert_eq!(fs::read(to.join(path)).expect("a file"), b"mine");
    }
    assert!(generate(to, &["--force"]).status.success());
    for (path, text) in FILES.iter() {
        assert_eq!(fs::read_to_string(to.join(path)).expect("a file"), *text, "{path}");
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("room");
    let line = refused(&generate(&file, &[]), 1);
    assert!(line.contains("cannot write"), "{line}");
    let within = folder.path().join("README.md");
    fs::create_dir(&within).expect("room");
    refused(&generate(folder.path(), &[]), 2);
    let line = refused(&generate(folder.path(), &["--force"]), 1);
    assert!(line.contains("README.md"), "{line}");
}

/// What an alert tells its reader to open is one of the files, at a heading that it has.
#[test]
fn every_runbook_link_opens() {
    let file = |path: &str| FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| &**text);
    let rules = file("prometheus/rules.yaml").expect("the rules");
    let links: Vec<&str> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("runbook: ")).collect();
    assert!(links.len() >= 10, "{links:?}");
    for link in links {
        let (path, anchor) = link.split_once('#').expect(link);
        let page = file(path).unwrap_or_else(|| panic!("{link}: there is no such file"));
        let heading = |line: &str| line.strip_prefix("### ").map(str::to_lowercase);
        assert!(page.lines().any(|line| heading(line).as_deref() == Some(anchor)), "{link}");
    }
}
