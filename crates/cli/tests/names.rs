//! The names of tasks that ran instead of late threads: hostile ones are escaped wherever they are
//! shown, and those of other users' processes are in no file unless that is asked for.

#![cfg(target_os = "linux")]

use crate::waiting::json;
use chronoscope_model::Report;
use chronoscope_model::why::{Cause, Culprit, Known, Later, Part, Why, Worst};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const HOSTILE: &str = "e\u{1b}[31mvil\n<script>,\u{202e}\u{fffd}";
const THEIRS: &str = "theirs-only";

/// A stored report whose first row was late because of a hostile task of this user, one of another
/// user, and one with a name that no kernel gives.
fn stored(folder: &Path) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reports/x86_64-unknown-linux-gnu.json");
    let text = fs::read(file).expect("a report of the repository");
    let mut report: Report = serde_json::from_slice(&text).expect("a report");
    let task = |name: &str, pid, other_user| Culprit {
        name: Some(name.into()),
        pid,
        tid: pid,
        ns: 1_000_000,
        wake_ups: 1,
        known: Known::Seen,
        other_user,
        ..Culprit::default()
    };
    let long = "long".repeat(10_000);
    let culprits = vec![task(HOSTILE, 5, false), task(THEIRS, 6, true), task(&long, 7, false)];
    let parts = vec![Part { cause: Cause::RunQueue, ns: 3_000_000 }];
    report.clocks.clear();
    report.run.screen = Some("waits".into());
    report.waits[0].why = Some(Why {
        later: vec![Later { than_ns: 0, waits: 9, late_ns: 3_000_000, parts: parts.clone() }],
        worst: vec![Worst {
            late_ns: 3_000_000,
            parts,
            culprits: culprits.clone(),
            ..Worst::default()
        }],
        examined: 9,
        culprits,
        ..Why::default()
    });
    let path = folder.join("run.json");
    fs::write(&path, serde_json::to_vec(&report).expect("plain data")).expect("room");
    path.display().to_string()
}

fn shown(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_chronoscope")).args(args).output();
    let output = output.expect("the tool starts");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn hostile_names_are_escaped_and_those_of_others_stay_out_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = &*stored(folder.path());
    let screen = shown(&["report", file, "--as", "waits", "-v", "--color", "never"]);
    assert!(screen.contains("Who ran instead") && screen.contains(THEIRS), "{screen}");
    assert!(screen.contains("\\u{1b}[31mvil\\n"), "{screen}");
    for format in ["csv", "markdown", "html", "ndjson", "json"] {
        let text = shown(&["report", file, "--export", &format!("{format}=-")]);
        for bad in ["\u{1b}", "<script>,", "\u{202e}"] {
            // JSON needs no escape for characters that are not controls, and CSV none for signs.
            let plain = (format.ends_with("json") && bad != "\u{1b}")
                || (format == "csv" && bad.starts_with('<'));
            assert!(plain || !text.contains(bad), "{format} has {bad:?}");
        }
        assert!(!text.contains(THEIRS), "{format} names it");
        if format.ends_with("json") || format == "csv" {
            let named = shown(&["report", file, "--names", "--export", &format!("{format}=-")]);
            assert!(named.contains(THEIRS), "{format}");
        }
    }
    // The page holds the report too, compressed.
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("plain");
    shown(&["report", file, "-o", page]);
    let inside: Report =
        serde_json::from_str(&shown(&["report", page, "--json"])).expect("a report");
    let why = inside.waits[0].why.as_ref().expect("it was stored");
    let names: Vec<_> = why.all_culprits().map(|it| it.name.as_deref()).collect();
    assert_eq!(names.len(), 6);
    assert_eq!(names.iter().filter(|name| **name == Some(HOSTILE)).count(), 2);
    assert_eq!(names.iter().filter(|name| name.is_none()).count(), 2);
}

/// A busy process on the CPU of the waits.
struct Hog(Child);

impl Drop for Hog {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_hog_is_named_unless_no_names_are_wanted() {
    let cpu = chronoscope_probes::machine::affinity::allowed().pop().expect("a CPU").to_string();
    let script = "printf planted-hog > /proc/self/comm; while :; do :; done";
    let mut command = Command::new("taskset");
    let hog = command.args(["-c", &cpu, "sh", "-c", script]).stdin(Stdio::null()).spawn();
    let Ok(hog) = hog.map(Hog) else {
        eprintln!("not tested: processes cannot be pinned");
        return;
    };
    let args = ["busy/monotonic", "--wait", "20ms", "--count", "30", "--why", "--cpu", &cpu];
    let culprits = |more: &[&str]| {
        let (report, _) = json(&[&args[..], more].concat());
        let known = |id: &str| !report.notes.iter().any(|note| note.id == id);
        let seen = known("why-switches") && known("why-likely") && known("why-hidden");
        let why = report.waits[0].why.clone().expect("asked for");
        seen.then_some(why.culprits)
    };
    let (Some(named), Some(nameless)) = (culprits(&[]), culprits(&["--no-names"])) else {
        eprintln!("not tested: it is not recorded here who runs");
        return;
    };
    let of_it = |all: &[Culprit]| all.iter().find(|it| it.pid == hog.0.id()).cloned();
    let found = of_it(&named).expect("it ran");
    assert_eq!((found.name.as_deref(), found.other_user), (Some("planted-hog"), false));
    assert!(of_it(&nameless).is_some() && nameless.iter().all(|it| it.name.is_none()));
}

/// The name of a file is chosen by whoever sent it: no message shows it as it is.
#[test]
fn names_of_files_in_messages_are_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "x\u{1b}]0;pwn\u{7}\u{1b}[31m\n\u{202e}Y.json";
    let path = folder.path().join(name);
    fs::write(&path, "{}").expect("room");
    let path = path.to_str().expect("text");
    for args in [
        &["report", path][..],
        &["compare", path],
        &["doctor", "--facts", path],
        &["waits", "--resume", path],
        &["advise", "--from", path],
        &["watch", "--replay", path],
        &["watch", "--record", path],
        &["watch", "--resume", path],
        &["clocks", path],
        &["report", "--as", path],
        &[path],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_chronoscope")).args(args).output();
        let output = output.expect("the tool starts");
        assert!(!output.status.success(), "{args:?}: {output:?}");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).expect("text");
            let hostile = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!text.contains(hostile), "{args:?}: {text:?}");
        }
    }
}
