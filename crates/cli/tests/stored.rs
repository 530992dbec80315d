//! Stored reports, shown on any screen and in any format.

mod common;

use common::{check, run, tool};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// A report of the repository: a run without a command.
fn stored() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder
        .join("x86_64-unknown-linux-gnu.json")
        .display()
        .to_string()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn complaint(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.stdout.is_empty() && line.lines().count() == 1,
        "{line}"
    );
    line
}

/// The tool with a report on standard input.
fn piped(args: &[&str], bytes: &[u8]) -> Output {
    let mut child = tool(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(bytes).expect("it is read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    check(args, &output);
    output
}

#[test]
fn a_stored_report_is_shown_as_its_run_showed_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("run.json");
    let (file, export) = (
        path.display().to_string(),
        format!("json={}", path.display()),
    );
    let runs: [&[&str]; 9] = [
        &["--budget", "1s", "--only", "rust"],
        &["--brief", "--no-waits"],
        &["clocks", "rust", "--budget", "1s"],
        &["deltas", "rust/instant", "--reads", "100"],
        &["calls", "rust/instant", "--budget", "100ms"],
        &["overhead", "rust/instant", "9", "9", "9"],
        &["waits", "rust", "--wait", "1ms", "--count", "2"],
        &["hardware"],
        &["advise", "--for", "interval", "--budget", "1s"],
    ];
    for args in runs {
        for detail in [&[][..], &["-v"]] {
            if args.contains(&"--brief") && !detail.is_empty() {
                continue;
            }
            let args = [args, detail, &["--export", &export]].concat();
            let shown = text(&run(&args));
            let again = text(&run(&[&["report", &file][..], detail].concat()));
            assert_eq!(again, shown, "{args:?}");
        }
    }
    // The style of a table belongs to the screen too.
    let ticks = [
        "waits", "rust", "--wait", "1ms", "--count", "2", "--style", "ticks",
    ];
    let shown = text(&run(&[&ticks[..], &["--export", &export]].concat()));
    assert_eq!(text(&run(&["report", &file])), shown);
}

#[test]
fn every_screen_and_format_can_be_asked_for_at_any_width() {
    let file = stored();
    for (name, part) in [
        ("summary", "Clocks"),
        ("brief", "clock source tsc"),
        ("clocks", "Cost of a read"),
        ("waits", "Waits, load none"),
        ("ticks", "wait routine runs"),
        ("deltas", "No differences were measured"),
        ("calls", "No calls were measured"),
        ("overhead", "No overhead was measured"),
        ("hardware", "clock source"),
        ("findings", "No problems found"),
        ("advise", "clock_gettime"),
    ] {
        for columns in [60, 80, 132] {
            let args = ["report", &file, "--as", name];
            let output = tool(&args).env("COLUMNS", columns.to_string()).output();
            let text = text(&output.expect("the tool starts"));
            assert!(text.contains(part), "{name}: {text}");
            let long = text.lines().find(|line| line.chars().count() > columns);
            // These two have lines of their own layout.
            let own = ["brief", "ticks"].contains(&name);
            assert!(own || long.is_none(), "{name} at {columns}: {long:?}");
        }
    }
    for format in chronoscope_report::format::ALL {
        let (export, id) = (format!("{}=-", format.id), format.id);
        let shown = text(&run(&["report", &file, "--as", id]));
        assert_eq!(
            shown,
            text(&run(&["report", &file, "--export", &export])),
            "{id}"
        );
    }
    let json = text(&run(&["report", &file, "--json"]));
    assert_eq!(json, text(&run(&["report", &file, "--as", "json"])));
    assert!(complaint(&["report", &file, "--as", "json", "--json"]).contains("one document"));
    assert!(complaint(&["report", &file, "--cpu", "0"]).contains("--cpu"));
    let output = run(&["report", &file, "--as", "yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("markdown"));
}

#[test]
fn a_report_can_come_from_standard_input() {
    let whole = std::fs::read(stored()).expect("a report");
    let from_pipe = text(&piped(&["report", "-", "--as", "brief"], &whole));
    assert_eq!(
        from_pipe,
        text(&run(&["report", &stored(), "--as", "brief"]))
    );
    assert!(text(&piped(&["advise", "--from", "-"], &whole)).contains("posix/monotonic"));
    for (bytes, why) in [
        (&b""[..], "empty"),
        (b"{]", "not valid JSON"),
        (b"{\"a\": 1}", "not a chronoscope report"),
        (b"{\"schema\":\"chronoscope.report/99\"}", "newer"),
    ] {
        let output = piped(&["report", "-"], bytes);
        let line = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(
            line.contains(why) && line.contains("standard input"),
            "{line}"
        );
        assert_eq!(line.lines().count(), 1, "{line}");
    }
    let waits = complaint(&["waits", "--resume", "-"]);
    assert!(waits.contains("needs a file"), "{waits}");
}

#[test]
fn a_report_without_waits_has_no_distributions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    std::fs::write(&path, run(&["hardware", "--json"]).stdout).expect("room");
    let file = path.display().to_string();
    assert!(complaint(&["report", &file, "--as", "hdr"]).contains("no waits"));
    assert!(complaint(&["report", "/no/such/file"]).contains("/no/such/file"));
    // A command line of another program, or of another version, does not decide what is shown.
    let whole = std::fs::read_to_string(&path).expect("a report");
    let other = whole.replace("\"hardware\"", "\"frobnicate\"");
    assert_ne!(other, whole);
    std::fs::write(&path, other).expect("room");
    assert!(text(&run(&["report", &file])).contains("clock source"));
}
