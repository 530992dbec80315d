//! Reports that are kept under a name.

#[allow(dead_code, reason = "the tool runs with another home here")]
use crate::common::{check, tool};
use std::path::Path;
use std::process::{Command, Output};

/// The tool, whose user has this folder for data.
fn user(home: &Path, args: &[&str]) -> Command {
    let mut command = tool(args);
    command.env("HOME", home).env("USERPROFILE", home);
    command.env("XDG_DATA_HOME", home.join("data")).env("APPDATA", home.join("data"));
    command
}

fn run(home: &Path, args: &[&str]) -> Output {
    let output = user(home, args).output().expect("the tool starts");
    check(args, &output);
    output
}

fn folder(home: &Path) -> std::path::PathBuf {
    home.join("data").join("chronoscope").join("baselines")
}

fn stored() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join("x86_64-unknown-linux-gnu.json").display().to_string()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_report_is_saved_and_compared_with() {
    let home = tempfile::tempdir().expect("a folder");
    let (home, file) = (home.path(), stored());
    let none = run(home, &["compare", &file, "--baseline", "before"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(errors(&none).contains("none was saved yet"), "{none:?}");
    let save = ["compare", &file, "--save-baseline", "before"];
    let saved = run(home, &save);
    assert!(saved.status.success(), "{saved:?}");
    assert!(folder(home).join("before.json").is_file());
    let again = run(home, &save);
    assert_eq!(again.status.code(), Some(2));
    assert!(errors(&again).contains("--force"), "{again:?}");
    assert!(run(home, &[&save[..], &["--force"]].concat()).status.success());
    let compared = run(home, &["compare", &file, "--baseline", "before", "--threshold", "0%"]);
    assert!(compared.status.success(), "{compared:?}");
    let text = String::from_utf8_lossy(&compared.stdout);
    assert!(text.contains("No change") && !text.contains("worse:"), "{text}");
    let unknown = run(home, &["compare", &file, "--baseline", "befor"]);
    assert_eq!(unknown.status.code(), Some(2));
    let line = errors(&unknown);
    assert!(line.contains("saved are before") && line.contains("baselines"), "{line}");
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn a_name_is_no_path_and_what_is_no_report_is_not_saved() {
    let home = tempfile::tempdir().expect("a folder");
    let (home, file) = (home.path(), stored());
    let long = "x".repeat(300);
    for name in ["../x", ".hidden", "CON", "nul.x", "", "a b", "a/b", "x\u{7f}", &long] {
        for option in ["--save-baseline", "--baseline"] {
            let output = run(home, &["compare", &file, &format!("{option}={name}")]);
            assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
        }
    }
    for (args, why) in [
        (vec![env!("CARGO_MANIFEST_PATH")], "not valid JSON"),
        (vec!["no-such.json"], "no-such.json"),
        (vec![], "one report"),
        (vec![&*file, &*file], "one report"),
    ] {
        let output = run(home, &[&["compare"], &args[..], &["--save-baseline", "x"]].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(errors(&output).contains(why), "{output:?}");
    }
    assert!(!folder(home).exists());
}

#[test]
fn of_two_that_save_at_once_one_wins_and_the_file_is_whole() {
    let home = tempfile::tempdir().expect("a folder");
    let (home, file) = (home.path(), stored());
    for round in 0..5 {
        let name = format!("at-once-{round}");
        let args = ["compare", &*file, "--save-baseline", &*name];
        let start = |_| user(home, &args).spawn().expect("the tool starts");
        let children: Vec<_> = (0..2).map(start).collect();
        let codes = children.into_iter().map(|mut it| it.wait().expect("it ends").code());
        assert_eq!(codes.filter(|code| *code == Some(0)).count(), 1);
        let compared = run(home, &["compare", &file, "--baseline", &name]);
        assert!(compared.status.success(), "{compared:?}");
    }
    let files = std::fs::read_dir(folder(home)).expect("a folder").count();
    assert_eq!(files, 5, "nothing else is left");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_made_is_told_before_anything_is_measured() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    // A file in its place: root may write to any folder.
    std::fs::write(home.join("data"), "").expect("room");
    let args = ["clocks", "rust/instant", "--budget", "10h", "--save-baseline", "x"];
    let output = run(home, &args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let line = errors(&output);
    assert!(line.contains("cannot write") && line.lines().count() == 1, "{line}");
}

#[test]
fn a_run_is_saved_and_the_next_one_is_compared_with_it() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    let clocks = ["clocks", "rust/instant", "--budget", "300ms"];
    let saved = run(home, &[&clocks[..], &["--save-baseline", "mine"]].concat());
    assert!(saved.status.success(), "{saved:?}");
    assert!(errors(&saved).contains("saved as mine"), "{saved:?}");
    let file = home.join("next.json").display().to_string();
    let with = ["--baseline", "mine", "--export", &file];
    let next = run(home, &[&clocks[..], &with].concat());
    assert!(next.status.success(), "{next:?}");
    let text = String::from_utf8_lossy(&next.stdout);
    assert!(text.contains("mine") && text.contains("this run"), "{text}");
    let report = std::fs::read(file).expect("the report is still exported");
    assert!(chronoscope_report::json::read(&report).is_ok());
    // An unknown name is told before anything is measured.
    let unknown = run(home, &["clocks", "--budget", "10h", "--baseline", "other"]);
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
}
