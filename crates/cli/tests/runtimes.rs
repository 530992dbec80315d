//! Runtimes in all kinds of trouble: programs that are not runtimes, and one that is. Each has one
//! clear row, the others go on, and no process is left behind.

#![cfg(target_os = "linux")]

use crate::common::{self, check, tool};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with a space in its name, for programs and for the cache.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let prefix = tempfile::Builder::new().prefix("run times ").tempdir();
        Self(prefix.expect("a directory"))
    }

    /// A program that is called for its version and as a probe; this script is the probe.
    fn program(&self, name: &str, version: &str, probe: &str) -> PathBuf {
        let path = self.0.path().join(name);
        let script = format!(
            "#!/bin/sh\ncase \"$1\" in --version) echo 'It is {version}'; exit;; esac\n{probe}\n"
        );
        fs::write(&path, script).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
        path
    }

    /// Runs the tool on these ids with these places, and returns its report's rows, if it has some,
    /// and its output.
    fn rows(&self, args: &[&str]) -> Seen {
        self.rows_within("4s", args)
    }

    fn rows_within(&self, budget: &str, args: &[&str]) -> Seen {
        let args = [&["runtimes", "--budget", budget, "--json"], args].concat();
        let output = self.tool(&args).output().expect("the tool starts");
        check(&args, &output);
        Seen::of(&output)
    }

    fn tool(&self, args: &[&str]) -> Command {
        let mut command = tool(args);
        command.env("XDG_CACHE_HOME", self.0.path().join("a cache"));
        command
    }
}

struct Seen {
    rows: Vec<Value>,
    said: String,
    code: Option<i32>,
}

impl Seen {
    fn of(output: &Output) -> Self {
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Self {
            rows: report["runtimes"].as_array().cloned().unwrap_or_default(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }

    /// The reason of the only row, of a run that measured nothing.
    fn only_reason(&self) -> &str {
        let of_runtimes = self.rows.iter().filter(|row| row["id"] != "c:built-in");
        let reasons: Vec<&str> = of_runtimes.filter_map(|row| row["reason"].as_str()).collect();
        assert_eq!(reasons.len(), 1, "{:?} {}", self.rows, self.said);
        assert_eq!(self.code, Some(3), "{}", self.said);
        assert!(self.said.contains("no runtime could be measured"), "{}", self.said);
        assert!(!reasons[0].contains('\n'));
        reasons[0]
    }
}

fn given(id: &str, path: &Path) -> String {
    format!("{id}={}", path.display())
}

const HELLO: &str = r#"{"protocol":1,"runtime":"Fake","version":"4.5",
"stopwatch":{"call":"now()","hz":1e9},"clocks":[{"id":"time","call":"now()",
"kind":"monotonic","hz":HZ,"modes":["throughput"]}]}"#;

fn hello(hz: &str) -> String {
    HELLO.replace('\n', "").replace("HZ", hz)
}

/// What a probe may do wrong, and what its row says.
fn troubles() -> Vec<(&'static str, String, &'static str)> {
    let fine = hello("1e9");
    vec![
        ("crashes", "kill -SEGV $$".into(), "signal 11"),
        ("ends", "echo out of luck >&2; exit 3".into(), "code 3 at hello: out of luck"),
        ("garbage", "read a; echo '<html>'".into(), "not an answer"),
        ("million", "read a; yes".into(), "not an answer"),
        ("nan", format!("read a; echo '{}'", hello("NaN")), "not an answer"),
        (
            "negative",
            format!("read a; echo '{}'", hello("-1e9")),
            "the rate of time is -1000000000",
        ),
        (
            "half-way",
            format!(
                "read a; echo '{fine}'; read a; echo '{{\"start\":1,\"ticks\":5}}'; kill -9 $$"
            ),
            "signal 9 at batch",
        ),
        (
            "backwards",
            format!("read a; echo '{fine}'; read a; echo '{{\"start\":1,\"ticks\":-5}}'; read a"),
            "the length of a batch is -5",
        ),
    ]
}

#[test]
fn every_trouble_has_its_row_and_the_others_go_on() {
    let place = Place::new();
    for (name, probe, reason) in troubles() {
        let program = place.program(name, "Python 3.99.1", &probe);
        let seen = place.rows(&["python", "--runtime", &given("python", &program)]);
        let why = seen.only_reason();
        assert!(why.contains(reason), "{name}: {why}");
    }
    assert!(leftovers(place.0.path()).is_empty());
}

/// Whatever a program answers that is asked to wait, the tool ends with one line.
#[test]
fn a_runtime_in_trouble_makes_no_wait_and_says_why_in_one_line() {
    let place = Place::new();
    let own = r#""protocol":2,"waits":["sleep","select"],"monotonic":true"#;
    let fine = hello("1e9").replace(r#""protocol":1"#, own);
    let started = place.0.path().join("started");
    let hanging = format!("echo >> '{}'; read a; sleep 3600", started.display());
    let lazy = format!(
        "read a; echo '{fine}'; while read a; do echo '{{\"start\":1,\"times\":[]}}'; done"
    );
    let path = std::env::join_paths([place.0.path(), Path::new("/usr/bin"), Path::new("/bin")]);
    let path = path.expect("no colons");
    for (version, probe, reason) in [
        ("none", "", "no version in 'It is none'"),
        ("3.1", "", "3.1 is too old: 3.7 or later"),
        ("3.99", "echo broken >&2; exit 1", "it ended with code 1 at hello: broken"),
        ("3.99", "read a; echo '<html>'", "not an answer"),
        ("3.99", "read a; yes", "not an answer"),
        ("3.99", "read a; head -c 2000000 /dev/zero | tr '\\0' x", "more than 1 MiB"),
        ("3.99", &lazy, "it made no wait"),
        ("3.99", &hanging, "no answer to hello within 10"),
    ] {
        place.program("python3", version, probe);
        let args = ["waits", "python/sleep", "python/select", "--wait", "1ms", "--count", "9"];
        let output = place.tool(&args).env("PATH", &path).output().expect("the tool starts");
        check(&args, &output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
        assert!(said.contains(reason), "{reason}: {said}");
    }
    // It was waited for only once, though each slack has a process of its own.
    assert_eq!(fs::read_to_string(started).expect("written").lines().count(), 1);
    assert!(leftovers(place.0.path()).is_empty());
}

/// A program that refuses to wait once it is what it is to be.
#[test]
fn the_thread_of_a_runtime_that_waits_is_given_the_priority_that_is_asked_for() {
    let place = Place::new();
    let fine = hello("1e9").replace(r#""protocol":1"#, r#""protocol":2,"waits":["sleep"]"#);
    let probe = |thread: &str| {
        format!(
            "read r; echo '{fine}'; while read r; do set -- $r; t=0,1000000,1000100
             [ \"$4\" = 0 ] && t=; sleep 0.01; case \"$(chrt -p $$)\" in
             *SCHED_FIFO*) echo '{{\"error\":\"it is SCHED_FIFO\"}}';;
             *) echo \"{{\\\"start\\\":1,\\\"times\\\":[$t]{thread}}}\";; esac; done"
        )
    };
    let path = std::env::join_paths([place.0.path(), Path::new("/usr/bin"), Path::new("/bin")]);
    let path = path.expect("no colons");
    for (thread, reason) in [
        (r#",\"thread\":$$"#, "it is SCHED_FIFO"),
        (r#",\"thread\":1"#, "it has no thread 1"),
        ("", "does not say which thread waits"),
    ] {
        place.program("python3", "3.99", &probe(thread));
        let args = ["waits", "python/sleep", "--wait", "1ms", "--count", "9", "--priority", "1"];
        let output = place.tool(&args).env("PATH", &path).output().expect("the tool starts");
        check(&args, &output);
        let said = String::from_utf8_lossy(&output.stderr);
        // Not everybody may have one.
        if output.status.code() == Some(2) {
            return assert!(said.contains("--priority"), "{said}");
        }
        assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
        assert!(said.contains(reason), "{reason}: {said}");
    }
    assert!(leftovers(place.0.path()).is_empty());
}

#[test]
fn what_is_missing_or_too_old_says_what_to_do() {
    let place = Place::new();
    let old = place.program("old", "Python 2.7.18", "");
    let seen = place.rows(&["python", "--runtime", &given("python", &old)]);
    let why = seen.only_reason();
    assert!(why.contains("2.7.18 is too old: 3.7 or later"), "{why}");
    let nowhere = Path::new("/no such place");
    let seen = place.rows(&["python", "--runtime", &given("python", nowhere)]);
    let why = seen.only_reason();
    assert!(why.contains("no python3 or python at /no such place"), "{why}");
    let mut command = place.tool(&["runtimes", "node", "--budget", "4s"]);
    let output = command.env("PATH", "/no/path").env("HOME", "/nowhere").output();
    let output = output.expect("the tool starts");
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    // The runtime may still be in a usual place. Lines are wrapped anywhere between words.
    let words: Vec<&str> = screen.split_whitespace().collect();
    assert!(output.status.success() || words.join(" ").contains("apt install nodejs"), "{screen}");
}

#[test]
fn a_probe_that_hangs_is_given_up_and_the_others_go_on() {
    let place = Place::new();
    let hanging = place.program("hanging", "Python 3.99.1", "read a; sleep 3600; sleep 3600");
    let failing = place.program("node", "v22.1.0", "exit 5");
    let seen = place.rows(&[
        "python",
        "node",
        "--runtime",
        &given("python", &hanging),
        "--runtime",
        &given("node", &failing),
    ]);
    let reason = |id: &str| {
        let row = seen.rows.iter().find(|row| row["id"] == id);
        let why = row.and_then(|row| row["reason"].as_str());
        why.unwrap_or_default().to_owned()
    };
    assert!(reason("python").starts_with("no answer to hello within 10"), "{}", reason("python"));
    assert!(reason("node").contains("code 5"), "{}", reason("node"));
    assert!(leftovers(place.0.path()).is_empty());
}

#[test]
fn a_path_with_spaces_is_searched() {
    let place = Place::new();
    let program = place.program("python3", "Python 3.99.1", "exit 9");
    let mut command = place.tool(&["runtimes", "python", "--budget", "4s", "--json"]);
    let path = std::env::join_paths([place.0.path(), Path::new("/usr/bin"), Path::new("/bin")]);
    let output = command.env("PATH", path.expect("no colons")).output();
    let seen = Seen::of(&output.expect("the tool starts"));
    assert!(seen.only_reason().contains("code 9"), "{:?}", seen.rows);
    let found = seen.rows.iter().any(|row| row["program"] == program.to_string_lossy().as_ref());
    assert!(found, "{:?}", seen.rows);
}

/// `/proc` takes no directory, not even from root.
#[test]
fn without_a_cache_it_builds_in_a_temporary_directory_and_removes_that() {
    let place = Place::new();
    let temporary = place.0.path().join("temporary");
    fs::create_dir(&temporary).expect("made");
    let program = place.program("python3", "Python 3.99.1", "exit 9");
    let given = given("python", &program);
    let args = ["runtimes", "python", "--runtime", &given, "--json"];
    let run = |temporary: &Path| {
        let mut command = tool(&args);
        command.env("XDG_CACHE_HOME", "/proc/none").env("TMPDIR", temporary);
        let output = command.output().expect("the tool starts");
        check(&args, &output);
        Seen::of(&output)
    };
    assert!(run(&temporary).only_reason().contains("code 9"));
    let left = fs::read_dir(&temporary).expect("a directory").count();
    assert_eq!(left, 0);
    // Root may have the TMPDIR of a user, and then builds elsewhere.
    assert!(run(Path::new("/proc/none")).only_reason().contains("code 9"));
}

#[test]
fn two_runs_at_once_share_a_cache() {
    let place = Place::new();
    let args = ["runtimes", "c:gcc-O0", "--budget", "15s", "--json", "--quiet"];
    let start = || {
        let mut command = place.tool(&args);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("the tool starts")
    };
    let both = [start(), start()];
    for child in both {
        let output = child.wait_with_output().expect("it ends");
        check(&args, &output);
        let seen = Seen::of(&output);
        let row = seen.rows.iter().find(|row| row["id"] != "c:built-in").expect("a row");
        let missing = row["reason"].as_str().is_some_and(|why| why.contains("apt install"));
        assert!(missing || row["clocks"].is_array(), "{row} {}", seen.said);
    }
    let cache = place.0.path().join("a cache/chronoscope/runtimes");
    let names = fs::read_dir(cache).expect("a cache").flatten();
    let half = names.filter(|entry| entry.file_name().to_string_lossy().starts_with(".part-"));
    assert_eq!(half.count(), 0);
}

#[test]
fn what_cannot_be_asked_for_is_refused_at_once() {
    for (args, part) in [
        (&["runtimes", "pyton"][..], "python"),
        (&["runtimes", "--runtime", "python"], "ID=PATH"),
        (&["runtimes", "--runtime", "cobol=/usr/bin/cobol"], "cobol"),
        (&["runtimes", "--with", "/no/such/report.json"], "cannot read"),
        (&["advise", "--runtimes"], "--language"),
    ] {
        let output = common::run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

/// Python is where these tests run, and C's compiler made this program; either may be missing.
#[test]
fn a_real_runtime_is_measured_next_to_c_and_one_that_fails_does_not_disturb_it() {
    let place = Place::new();
    let failing = place.program("node", "v22.1.0", "exit 1");
    let args = ["python", "node", "--runtime", &given("node", &failing)];
    // The tick comes after the costs, for which a busy machine takes longer.
    let mut rows = place.rows_within("15s", &args).rows;
    let python =
        |rows: &[Value]| rows.iter().find(|row| row["id"] == "python").cloned().expect("a row");
    if python(&rows)["clocks"][0]["tick_ns"].is_null() {
        rows = place.rows_within("60s", &args).rows;
    }
    let python = python(&rows);
    if python["reason"].is_string() {
        return;
    }
    let node = rows.iter().find(|row| row["id"] == "node").expect("a row");
    assert!(node["reason"].as_str().is_some_and(|why| why.contains("code 1")), "{node}");
    let clock = &python["clocks"][0];
    assert_eq!(clock["call"], "time.perf_counter_ns()");
    let ratio = &clock["relative"];
    let value = |key: &str| ratio[key].as_f64().expect("a number");
    assert!(value("low") <= value("value") && value("value") <= value("high"), "{ratio}");
    assert!(clock["tick_ns"].as_f64().is_some_and(|tick| tick > 0.0), "{clock}");
    assert!(python["warm_up"]["batches"].as_u64().is_some_and(|batches| batches > 0));
    assert!(leftovers(place.0.path()).is_empty());
}

/// Runs `deltas` with a `python3` whose probe answers `hello` and then these lines.
fn series_of(place: &Place, answers: &[&str]) -> Output {
    let lines = answers.iter().map(|line| format!("read a; echo '{line}'; "));
    let more = "while read a; do echo '{\"error\":\"no such request\"}'; done";
    let probe = format!("read a; echo '{}'; {}{more}", hello("1e9"), lines.collect::<String>());
    place.program("python3", "Python 3.99.1", &probe);
    let args = ["deltas", "python/time", "--reads", "4", "--load", "low", "--json"];
    let path = std::env::join_paths([place.0.path(), Path::new("/usr/bin"), Path::new("/bin")]);
    let output = place.tool(&args).env("PATH", path.expect("no colons")).output();
    let output = output.expect("the tool starts");
    check(&args, &output);
    output
}

#[test]
fn reads_of_a_runtime_are_counted_and_what_cannot_be_true_is_refused() {
    let place = Place::new();
    let pairs = r#"{"call":"Start()","pairs":200000,"zero":100000,"total":200000,"longest":9}"#;
    let output = series_of(&place, &[r#"{"values":[0,5,5,3]}"#, pairs]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let (found, loaded) = (&report["deltas"][0], &report["deltas"][1]);
    assert_eq!((&found["load"], &loaded["load"]), (&Value::Null, &"low".into()));
    assert_eq!((&found["id"], &found["call"]), (&"python/time".into(), &"now()".into()));
    assert_eq!((&found["reads"], &found["negative"]), (&4.into(), &1.into()));
    assert_eq!(found["rows"].as_array().map(Vec::len), Some(3));
    assert_eq!((&found["changes"]["count"], &found["changes"]["min_ns"]), (&1.into(), &5.0.into()));
    assert_eq!(
        (&found["pairs"]["count"], &found["pairs"]["max_ns"]),
        (&200_000.into(), &9.0.into())
    );
    for (answers, reason) in [
        (&[][..], "python: it refuses 'deltas time 4': no such request"),
        (&["<html>"], "not an answer"),
        (&[r#"{"values":[0]}"#], "fewer than two reads"),
        (&[r#"{"values":[0,1,2,3,4]}"#], "it answers 5 reads to 'deltas time 4'"),
        (&[r#"{"values":[0,1e300]}"#], "a difference is 1"),
        (&[r#"{"values":[0,1,2,3]}"#, r#"{"call":"","pairs":-1,"zero":0}"#], "not an answer"),
        (&[r#"{"values":[0,1,2,3]}"#, r#"{"error":""}"#, r#"{"reads":-1}"#], "not an answer"),
    ] {
        let output = series_of(&place, answers);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(reason), "{said}");
    }
    assert!(leftovers(place.0.path()).is_empty());
}

/// A clock whose values are fractions of a second. Python may be missing.
#[test]
fn calls_and_sums_are_timed_with_the_clock_of_a_runtime_and_under_a_load() {
    let place = Place::new();
    for (name, args) in [
        ("calls", &["calls", "python/perf-counter"][..]),
        ("overhead", &["overhead", "python/perf-counter", "20", "9", "99"]),
    ] {
        let args = [args, &["--load", "low", "--budget", "6s", "--json"]].concat();
        let output = place.tool(&args).output().expect("the tool starts");
        check(&args, &output);
        if output.status.code() == Some(3) {
            return;
        }
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let found = report[name].as_array().expect("both");
        let loads: Vec<&Value> = found.iter().map(|one| &one["load"]).collect();
        assert_eq!(loads, [&Value::Null, &"low".into()]);
        for one in found {
            assert_eq!(one["id"], "python/perf-counter");
            let ns = |path: &str| one.pointer(path).and_then(Value::as_f64).unwrap_or(0.0);
            if name == "overhead" {
                assert!(ns("/baseline/median_ns") > 0.0 && ns("/timed/median_ns") > 0.0, "{one}");
                continue;
            }
            // By the clock itself and by the ruler, whatever else ran.
            let least = |path: &str| {
                (0..3).map(|pass| ns(&format!("/passes/{pass}{path}"))).fold(f64::MAX, f64::min)
            };
            let [own, ruler] = [least("/delta1_ns"), least("/ruler_ns/0")];
            assert!(own > ruler / 50.0 && own < ruler * 50.0 && ruler > 0.0, "{one}");
        }
    }
    // So short a time either suffices or is refused.
    let args = ["overhead", "python/perf-counter", "--budget", "9ms", "--json"];
    let output = place.tool(&args).output().expect("the tool starts");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let found = report["overhead"].as_array().is_some_and(|found| !found.is_empty());
    assert_eq!(output.status.code(), Some(if found { 0 } else { 3 }), "{report}");
    assert!(leftovers(place.0.path()).is_empty());
}

#[test]
fn the_clock_of_a_runtime_must_be_named_wholly() {
    for command in ["deltas", "calls", "overhead"] {
        for (id, part) in [
            ("python", "name a clock of it, as in python/CLOCK"),
            ("c/tme", "did you mean"),
            ("pyton/time", "there is no clock"),
        ] {
            let output = common::run(&[command, id]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command} {id}: {said}");
            assert!(said.contains(part), "{command} {id}: {said}");
        }
    }
}

/// Mono may be missing, and so may the counter.
#[test]
fn the_counter_that_csharp_reads_runs_at_the_rate_of_the_tools_own() {
    let place = Place::new();
    let mut command = place.tool(&["deltas", "dotnet-mono/rdtsc", "--budget", "15s", "--json"]);
    let output = command.output().expect("the tool starts");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let own = report["ruler"]["hz"].as_f64().filter(|_| report["ruler"]["is_counter"] == true);
    let tick = report["deltas"][0]["ns_per_tick"].as_f64();
    let (Some(own), Some(tick)) = (own, tick) else {
        return;
    };
    // Both are measured, and the machine may be busy; the low half of the counter alone would wrap.
    assert!((own * tick / 1e9 - 1.0).abs() < 1e-3, "{own} Hz, ticks of {tick} ns");
    assert_eq!(report["deltas"][0]["negative"], 0);
}

/// The processes whose command line names this folder.
fn leftovers(place: &Path) -> Vec<String> {
    let listed = Command::new("ps").args(["-eo", "args"]).output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let name = place.to_string_lossy();
    let left = listed.lines().filter(|line| line.contains(&*name));
    left.map(str::to_owned).collect()
}
