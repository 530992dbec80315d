//! Stored reports, shown on any screen and in any format.

use crate::common::{SHORT, check, run, tool};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// A report of the repository: a run without a command.
fn stored() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    folder.join("x86_64-unknown-linux-gnu.json").display().to_string()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn complaint(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.stdout.is_empty() && line.lines().count() == 1, "{line}");
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
    let (file, export) = (path.display().to_string(), format!("json={}", path.display()));
    let only: [&[&str]; 3] = [
        &["--budget", "1s", "--only", "rust"],
        &["--brief", "--no-waits"],
        &["advise", "--for", "interval", "--budget", "1s"],
    ];
    for args in SHORT.into_iter().chain(only) {
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
    let ticks = ["waits", "rust", "--wait", "1ms", "--count", "2", "--style", "ticks"];
    let shown = text(&run(&[&ticks[..], &["--export", &export]].concat()));
    assert_eq!(text(&run(&["report", &file])), shown);
}

/// The table of runtimes by clock source, from an emulated PC: Mono counts units of 100 ns under
/// each of them, and a read of a device takes longer than that.
#[test]
fn a_sweep_of_runtimes_can_be_looked_at_without_root() {
    let file = stored().replace("x86_64-unknown-linux-gnu", "sweep-runtimes-vm");
    let shown = text(&run(&["report", &file]));
    let (_, table) = shown.split_once("Runtime, system, timer").expect("the table");
    let mono = |source: &str| {
        let (_, rows) = table.split_once(&format!("\n  {source}  ")).expect(source);
        let row = rows.lines().find(|line| line.contains("dotnet-mono"));
        row.expect(source).to_owned()
    };
    assert!(!mono("tsc").contains("≈ latency"), "{shown}");
    for source in ["hpet", "acpi_pm"] {
        let row = mono(source);
        assert!(row.contains("100 ns") && row.contains("≈ latency"), "{row}");
    }
    let ask = ["advise", "--from", &file, "--language", "c#", "--for", "interval"];
    let advice = text(&run(&ask));
    for runtime in ["Mono", ".NET"] {
        assert!(advice.contains(runtime) && advice.contains("process, in C#"), "{advice}");
    }
    let csv = text(&run(&["report", &file, "--export", "csv=-", "--quiet"]));
    assert!(csv.contains("latency_median_ns") && csv.contains("resolution_sd_ns"), "{csv}");
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
        ("runtimes", "No runtime was measured"),
        ("hardware", "clock source"),
        ("findings", "No problems found"),
        ("doctor", " faults: "),
        ("advise", "clock_gettime"),
    ] {
        for columns in [60, 80, 132] {
            let args = ["report", &file, "--as", name];
            let output = tool(&args).env("COLUMNS", columns.to_string()).output();
            let text = text(&output.expect("the tool starts"));
            assert!(text.contains(part), "{name}: {text}");
            let long = text.lines().find(|line| line.chars().count() > columns);
            // This one has lines of its own layout.
            assert!(name == "brief" || long.is_none(), "{name} at {columns}: {long:?}");
        }
    }
    for format in chronoscope_report::format::ALL {
        let (export, id) = (format!("{}=-", format.id), format.id);
        let shown = text(&run(&["report", &file, "--as", id]));
        assert_eq!(shown, text(&run(&["report", &file, "--export", &export])), "{id}");
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
    assert_eq!(from_pipe, text(&run(&["report", &stored(), "--as", "brief"])));
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
        assert!(line.contains(why) && line.contains("standard input"), "{line}");
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
    // A screen that this version does not have does not decide what is shown.
    let whole = std::fs::read_to_string(&path).expect("a report");
    let other = whole.replace("\"screen\": \"hardware\"", "\"screen\": \"frobnicate\"");
    assert_ne!(other, whole);
    std::fs::write(&path, other).expect("room");
    assert!(text(&run(&["report", &file])).contains("processor"));
}

/// A report of another machine that holds only a runtime.
fn of_machine(place: &Path, timer: &str, tick_ns: f64, read_ns: f64) -> String {
    let cost = chronoscope_model::Estimate {
        value_ns: read_ns,
        low_ns: read_ns * 0.99,
        high_ns: read_ns * 1.01,
        ..Default::default()
    };
    let clock = chronoscope_model::runtimes::RuntimeClock {
        id: "nano-time".into(),
        call: "System.nanoTime()".into(),
        unit_ns: 1.0,
        tick_ns: Some(tick_ns),
        resolution_ns: Some(tick_ns.max(read_ns)),
        throughput: Some(cost),
        ..Default::default()
    };
    let row = chronoscope_model::runtimes::Runtime {
        id: "java".into(),
        name: "Java".into(),
        language: "Java".into(),
        system: format!("Linux with {timer}"),
        hardware_timer: timer.into(),
        program: Some("/usr/bin/java".into()),
        clocks: vec![clock],
        ..Default::default()
    };
    let report = chronoscope_model::Report {
        schema: chronoscope_model::SCHEMA.into(),
        runtimes: vec![row],
        ..Default::default()
    };
    let path = place.join(format!("{timer}.json"));
    let mut bytes = Vec::new();
    chronoscope_report::json::write(&report, &mut bytes).expect("written");
    std::fs::write(&path, bytes).expect("written");
    path.display().to_string()
}

#[test]
fn the_runtimes_of_several_machines_are_joined_in_one_matrix() {
    let folder = tempfile::tempdir().expect("a folder");
    let tsc = of_machine(folder.path(), "tsc", 1.0, 21.5);
    let hpet = of_machine(folder.path(), "hpet", 69.8, 1040.0);
    let coarse = of_machine(folder.path(), "jiffies", 4e6, 19.0);
    let args = ["report", &tsc, "--with", &hpet, "--with", &coarse];
    let screen = text(&run(&args));
    let matrix = screen.split("Runtime, system, timer").nth(1).expect("a matrix");
    let row = |timer: &str| {
        let mut rows = matrix.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let found = rows.find(|words| words.contains(&timer) && words[0] == "java");
        found.unwrap_or_else(|| panic!("no {timer}: {matrix}")).join(" ")
    };
    assert!(row("tsc").ends_with("1 ns 21.5 ns - ≈ latency"), "{}", row("tsc"));
    assert!(row("hpet").ends_with("≈ latency"), "{}", row("hpet"));
    // A tick that is longer than a read limits the resolution itself.
    assert!(row("jiffies").ends_with("4 ms 19.0 ns - 4 ms"), "{}", row("jiffies"));
    let json: serde_json::Value =
        serde_json::from_str(&text(&run(&[&args[..], &["--json"]].concat()))).expect("JSON");
    assert_eq!(json["runtimes"].as_array().map(Vec::len), Some(3));
    let none = stored();
    assert!(complaint(&["report", &tsc, "--with", &none]).contains("it has no runtimes"));
}

#[test]
fn several_reports_are_one_table_with_their_runs_kernels_and_times() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    let files = ["x86_64-unknown-linux-gnu.json", "aarch64-unknown-linux-gnu.json"];
    let files = files.map(|file| folder.join(file).display().to_string());
    let words = [&["report"], &files.each_ref().map(String::as_str)[..], &["--as", "csv"]].concat();
    let output = run(&words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let heads = lines.next().expect("a line");
    assert!(heads.starts_with("report,run,kernel,time,table,"), "{heads}");
    for file in &files {
        let json = std::fs::read_to_string(file).expect("a file");
        let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let [run, started] = ["id", "started"].map(|key| report["run"][key].as_str().expect(key));
        let kernel = report["environment"]["kernel"].as_str().expect("a kernel");
        let part = format!(",{run},{kernel},{started},");
        assert!(lines.clone().filter(|line| line.contains(&part)).count() > 20, "{part}");
    }
}
