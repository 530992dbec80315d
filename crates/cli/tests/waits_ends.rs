//! How long runs of waits begin and end: what is refused at once, and what is kept at a signal.
#![cfg(target_os = "linux")]

use crate::waiting::{path_text, read, samples, signal, until, waits};
use chronoscope_model::Report;
use std::process::{Command, Output, Stdio};

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A run that would take an hour.
const LONG: [&str; 5] = ["rust/thread-sleep", "--wait", "1ms", "--duration", "1h"];

#[test]
fn a_checkpoint_that_cannot_be_written_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in ["/nonexistent/folder/run.json", "/dev/full", path_text(folder.path())] {
        let args = [&LONG[..], &["--checkpoint", path]].concat();
        let output = waits(&args).output().expect("the tool");
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(path) && told.contains("--checkpoint"), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn a_second_run_does_not_overwrite_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let run = ["rust/thread-sleep", "--wait", "1ms", "--count", "3"];
    let args = [&run[..], &["--checkpoint", path_text(&path)]].concat();
    assert!(waits(&args).output().expect("the tool").status.success());
    let first = std::fs::read(&path).expect("a checkpoint");
    let output = waits(&args).output().expect("the tool");
    let told = told(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("--resume") && told.lines().count() == 1, "{told}");
    assert_eq!(std::fs::read(&path).expect("it is still there"), first);
}

#[test]
fn a_resumed_run_takes_the_output_options_of_its_own_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let csv = folder.path().join("rows.csv");
    let run = ["rust/thread-sleep", "--wait", "1ms", "--count", "3"];
    let args = [&run[..], &["--checkpoint", path_text(&path)]].concat();
    assert!(waits(&args).output().expect("the tool").status.success());
    let resume = ["--resume", path_text(&path)];
    let export = format!("csv={}", csv.display());
    let output = waits(&resume)
        .args(["--json", "--export", &export, "-q", "-v", "--color", "never"])
        .args(["--allow", "noisy-machine", "--fail-on", "error"])
        .output()
        .expect("the tool");
    let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
    assert!(report.run.complete && told(&output).is_empty(), "{output:?}");
    assert!(std::fs::read_to_string(&csv).expect("an export").contains("rust/thread-sleep"));
    for (option, value) in [
        ("--count", "7"),
        ("--budget", "3s"),
        ("--cpu", "0"),
        ("--seed", "1"),
        ("--checkpoint", "other.json"),
    ] {
        let output = waits(&resume).args([option, value]).output().expect("the tool");
        assert_eq!(output.status.code(), Some(2));
        assert!(told(&output).contains(option), "{}", told(&output));
    }
}

#[test]
fn a_signal_ends_a_run_with_what_was_measured_and_its_own_exit_code() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.json");
        let export = format!("json={}", folder.path().join("end.json").display());
        let args = [&LONG[..], &["--checkpoint", path_text(&path)]].concat();
        // These tests may run under nohup, which would let the tool ignore SIGHUP too.
        let child = Command::new("env")
            .args(["--default-signal=HUP", env!("CARGO_BIN_EXE_chronoscope")])
            .arg("waits")
            .args([&args[..], &["--export", &export]].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("GNU's env");
        until("the first checkpoint", || samples(&path));
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(code), "{}", told(&output));
        let report = read(&folder.path().join("end.json")).expect("it was exported");
        assert!(!report.run.complete && report.waits[0].samples > 0);
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn a_run_under_nohup_survives_the_loss_of_its_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    // A shell that ignores the signal, as nohup does, passes that on.
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP && exec \"$@\"", "sh"])
        .args([env!("CARGO_BIN_EXE_chronoscope"), "waits"])
        .args([&LONG[..], &["--checkpoint", path_text(&path)]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    let first = until("the first checkpoint", || samples(&path));
    signal(&child, "-HUP");
    until("a later one", || samples(&path).filter(|&n| n > first));
    signal(&child, "-TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
}
