//! Bad input gets one clear line and the right exit code.

use crate::common::run;
use std::env::consts::EXE_SUFFIX;

fn code(args: &[&str]) -> i32 {
    run(args).status.code().expect("it was not killed")
}

/// Standard error of a run.
fn complaint(args: &[&str]) -> String {
    String::from_utf8_lossy(&run(args).stderr).into_owned()
}

#[test]
fn unknown_names_get_a_suggestion_and_code_2() {
    let missing = format!("<ID> is missing: `chronoscope{EXE_SUFFIX} deltas <ID>`");
    for (args, proposal) in [
        (&["clocks", "posix/monotonc"][..], "posix/monotonic"),
        (&["deltas", "posix/monotnic"], "posix/monotonic"),
        (&["explain", "resoluton"], "resolution"),
        (&["advise", "--for", "intervall"], "interval"),
        (&["advise", "--language", "Pyhton"], "Python"),
        (&["advise", "--language", "cobol"], "C, C++, Rust"),
        (&["runtimes", "perl:nope"], "write perl instead"),
        (&["runtimes", "c:nope"], "c:gcc-O2"),
        (&["explain", "c/time", "frobnicate"], "'frobnicate'"),
        (&["explain", "sequential"], "sequential reads (experiment)"),
        // What is near to a command, and what other tools call it.
        (&["advice"], "did you mean advise?"),
        (&["clock"], "did you mean clocks?"),
        (&["clokcs"], "did you mean clocks?"),
        (&["deltas\u{1b}"], "did you mean deltas?"),
        (&["history"], "use `chronoscope compare --history DIR`"),
        (&["sleep"], "use `chronoscope waits`"),
        (&["xyzzy"], "see chronoscope --help"),
        // Habits of other tools, and what is near to an option.
        (&["waits", "-i", "1000", "-l", "9"], "--wait 1ms"),
        (&["clocks", "--runs", "10"], "--calls"),
        (&["-p", "80"], "up to 99, in `chronoscope waits`"),
        (&["doctor", "--export-json", "x"], "-o run.json"),
        (&["hardware", "--output=x.json"], "-o FILE"),
        (&["hardware", "--budgte", "1s"], "did you mean --budget?"),
        (&["hardware", "--frobnicate"], "there is no --frobnicate"),
        (&["hardware", "it"], "takes no argument 'it'"),
        (&["hardware", "-o", "x.xyz"], ".json, .ndjson, .csv, .md"),
        (&["hardware", "-o", "-"], "json=-"),
        (&["list", "nothing"], "use one of clocks, waits"),
        (&["generate", "nothing", "x"], "use one of fleet, completions"),
        (&["runtimes", "xyzzy"], "chronoscope list runtimes"),
        (&["demo", "xyzzy"], "chronoscope demo list"),
        (&["explain", "-"], "nothing is called '-'"),
        (&["explain", " / "], "nothing is called ' / '"),
        (&["explain", "0"], "nothing is called '0'"),
        (&["doctor", "--pid", "x"], "a whole number, 0 or above"),
        (&["doctor", "--pid", "-1"], "a whole number, 0 or above"),
        (&["browser", "--serve", "--port", "x"], "a whole number, 0 or above"),
        (&["browser", "--serve", "--port", "99999"], "too large"),
        (&["advise", "--every", "1ms", "--work", "2ms"], "shorter than the period"),
        (&["report", "x", "--as", "nothing"], "overhead"),
        (&["advise", "--for", "xyzzy"], "chronoscope list purposes"),
        (&["clocks", "xyzzy"], "chronoscope list clocks"),
        (&["waits", "xyzzy"], "chronoscope list waits"),
        // What clap words in paragraphs.
        (&["deltas"], &missing),
        (&["report"], "is missing"),
        (&["generate"], "fleet, completions, man, schema"),
        (&["generate", "fleet"], "<FOLDER> is missing"),
        (&["waits", "--count", "5", "--count", "6"], "--count <N> is given more than once"),
        (&["overhead", "a", "b"], "one clock"),
        (&["waits", "--color"], "a value is required"),
        (&["calls", "python/time-ns", "--priority=5"], "in its own process"),
        (&["overhead", "python/time-ns", "--priority=5"], "in its own process"),
        (&["waits", "1ms"], "write --wait 1ms"),
        (&["advise", "--every", "1kHz"], "a number and Hz"),
        (&["help", "xyzzy"], "chronoscope --help"),
        // A number without a unit has two readings.
        (&["waits", "--wait", "0.001"], "write 0.001ms (1 us) or 0.001s (1 ms)"),
        (&["advise", "--wait", "10"], "write 10ms or 10s"),
        (&["clocks", "--budget", "10"], "write 10ms or 10s"),
        (&["serve", "--cpu-budget", "0.5"], "0.5 % or as 50.0 % of a CPU"),
    ] {
        assert_eq!(code(args), 2, "{args:?}");
        let line = complaint(args);
        assert!(line.contains(proposal) && line.lines().count() == 1, "{args:?}: {line}");
    }
    for args in [&["list", "nothing"][..], &["--frobnicate"], &["deltas"], &["deltas", "c/"]] {
        assert_eq!(code(args), 2, "{args:?}");
    }
}

/// A file that cannot be written is code 1, whichever command writes it, and an option that cannot
/// be meant is code 2.
#[test]
fn what_cannot_be_written_is_code_1_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/file");
    let missing = missing.to_str().unwrap();
    for args in [
        &["watch", "--record", missing][..],
        &["watch", "--record", missing, "--stop-above", "1ms"],
        &["doctor", "--record", "/dev/null"],
        &["generate", "man", missing],
        &["generate", "fleet", "/dev/null/x"],
        &["waits", "--checkpoint", missing],
        &["trust", "--checkpoint", missing],
        &["hardware", "-o", "svg=/dev/null/x"],
    ] {
        let told = complaint(args);
        assert_eq!(code(args), 1, "{args:?}: {told}");
        assert!(told.contains("cannot write") && told.lines().count() == 1, "{args:?}: {told}");
    }
    assert_eq!(code(&["watch", "--record", missing, "--record-limit", "1B"]), 2);
}

#[test]
fn bad_numbers_are_refused() {
    for budget in ["0s", "-1s", "1e30h", "10", "ms", "nans", "5ns", ""] {
        assert_eq!(code(&["clocks", &format!("--budget={budget}")]), 2, "{budget}");
    }
    for count in ["0", "-1", "1e30", "99999999999999999999", "x", "1.5", "10Q", ""] {
        assert_eq!(code(&["clocks", "c/time", &format!("--calls={count}")]), 2, "{count}");
        assert_eq!(code(&["deltas", "c/time", &format!("--reads={count}")]), 2, "{count}");
        assert_eq!(code(&["overhead", "c/time", "--", count]), 2, "{count}");
    }
    assert_eq!(code(&["overhead", "c/time", "1", "1", "99999999"]), 2);
    for (words, told) in [("c/time 9 rust/instant", "two"), ("1 2 3 4", "four"), ("0", "above")] {
        let args: Vec<_> = ["overhead"].into_iter().chain(words.split(' ')).collect();
        assert_eq!(code(&args), 2, "{words}");
        assert!(complaint(&args).contains(told), "{words}: {}", complaint(&args));
    }
    assert!(complaint(&["deltas", "c/time", "--reads", "1"]).contains("two reads"));
    // What begins with a hyphen is a bad value rather than an unknown option.
    for args in [
        &["clocks", "--budget", "-5s"][..],
        &["deltas", "c/time", "--reads", "-1"],
        &["clocks", "--calls", "-1"],
        &["overhead", "c/time", "-1"],
        &["waits", "--wait", "-1ms"],
        &["waits", "--count", "-3"],
        &["hardware", "--cpu", "-1"],
        &["hardware", "--cpu", "1e30"],
        &["hardware", "--seed", "-0.5"],
    ] {
        let told = complaint(args);
        assert_eq!(code(args), 2, "{args:?}");
        assert!(told.contains("above") && !told.contains("tip"), "{told}");
    }
    assert_eq!(code(&["hardware", "--cpu", "-1"]), 2);
    assert_eq!(code(&["hardware", "--cpu", "100000"]), 2);
    assert!(complaint(&["hardware", "--cpu", "100000"]).contains("may run on"));
}

#[test]
fn bad_exports_and_reports_are_refused() {
    for export in ["json", "xml=x", "json="] {
        assert_eq!(code(&["hardware", "--export", export]), 2, "{export}");
    }
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("json={}", folder.path().join("no/such/folder.json").display());
    assert_eq!(code(&["hardware", "--export", &missing]), 1);
    let told = complaint(&["hardware", "--export", &missing]);
    assert!(told.contains("cannot write") && !told.contains(".chronoscope-"), "{told}");
    // It is reported before an hour of measuring, not after.
    let args = ["--budget", "1h", "--export", &missing];
    assert_eq!(code(&args), 1);
    let whole = run(&["hardware", "--json"]).stdout;
    for (name, content, told) in [
        ("empty", &b""[..], "empty"),
        ("garbage", b"{]", "not valid JSON"),
        ("binary", b"\x7fELF\0\xff", "not valid JSON"),
        ("truncated", &whole[..whole.len() / 2], "not valid JSON"),
        ("other", b"{\"a\": 1}", "not a chronoscope report"),
        ("list", b"{\"schema\":\"chronoscope.list/1\"}", "not a chronoscope report"),
        ("newer", b"{\"schema\":\"chronoscope.report/99\"}", "newer"),
        ("without anything", &whole, "neither clocks nor waits"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let args = ["advise", "--from", path.to_str().unwrap()];
        assert_eq!(code(&args), 2, "{name}");
        let line = complaint(&args);
        assert!(line.contains(told), "{name}: {line}");
        assert_eq!(line.lines().count(), 1, "{name}: {line}");
    }
    let path = folder.path().join("large");
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(257 << 20).unwrap();
    let args = ["advise", "--from", path.to_str().unwrap()];
    assert!(code(&args) == 2 && complaint(&args).contains("256 MiB"));
    for path in ["/no/such/file", folder.path().to_str().unwrap()] {
        assert_eq!(code(&["advise", "--from", path]), 2);
    }
}

/// A limit may be so low that the program cannot be loaded; the system says that, if anyone does.
#[test]
#[cfg(target_os = "linux")]
fn a_lack_of_memory_is_one_line_and_code_3() {
    let clocks = [20, 30, 40, 60, 80, 120].map(|mb| (mb, "clocks c/time --budget 20ms"));
    for (mb, words) in clocks.into_iter().chain([(30, "runtimes perl --budget 20ms")]) {
        let line =
            format!("ulimit -v {mb}000; exec '{}' {words}", env!("CARGO_BIN_EXE_chronoscope"));
        let output = std::process::Command::new("sh").args(["-c", &line]).output();
        let output = output.expect("a shell");
        let told = String::from_utf8_lossy(&output.stderr);
        // A thread that handles signals needs a stack.
        let known = ["bytes of memory", "no runtime", "cannot handle signals"];
        let known = known.iter().any(|it| told.contains(it));
        let fits = match output.status.code() {
            Some(3) => known && told.lines().count() == 1,
            Some(0 | 127) => true,
            Some(_) => false,
            // Killed while it was loaded, or ended by the runtime before `main`. Another abort
            // would have been told.
            None => told.is_empty() || told.contains("failed to allocate an alternative stack"),
        };
        assert!(fits, "{mb} MB, {words}: {:?} {told}", output.status);
    }
}

#[test]
fn nothing_to_measure_is_code_3() {
    let elsewhere = if cfg!(windows) { "linux/boottime" } else { "windows/qpc" };
    assert_eq!(code(&["clocks", elsewhere]), 3);
    assert!(complaint(&["clocks", elsewhere]).contains("only"));
    assert_eq!(code(&["deltas", elsewhere]), 3);
}

#[test]
fn every_command_helps_lists_and_explains() {
    for command in [
        "clocks", "deltas", "calls", "overhead", "waits", "runtimes", "trust", "hardware", "sweep",
        "doctor", "advise", "report", "compare", "list", "explain",
    ] {
        assert!(!run(&[command, "--help"]).stdout.is_empty(), "{command}");
    }
    // A test of the command tries every id.
    let clock = chronoscope_probes::clocks::ALL[0].id;
    let fault = chronoscope_diagnose::faults::ALL[0].id;
    for id in [clock, fault, "wait", "tick"] {
        let output = run(&["explain", id]);
        assert!(output.status.success() && output.stdout.len() > 80, "{id}");
    }
    for what in ["clocks", "columns", "faults", "formats", "purposes", "waits"] {
        let output = run(&["list", what]);
        assert!(output.status.success() && !output.stdout.is_empty(), "{what}");
    }
}

#[test]
fn other_libraries_are_measured_if_the_build_has_them_and_named_if_not() {
    let with = chronoscope_probes::clocks::WITH_PEERS;
    // A clock asked for by name is measured as well, whether or not they are available.
    let output = run(&["clocks", "rust/instant", "--peers", "--budget", "1s", "--json"]);
    let report: chronoscope_model::Report =
        serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report.clocks.len(), 1 + chronoscope_probes::clocks::PEERS.len());
    for clock in &report.clocks {
        let own = clock.id == "rust/instant";
        assert_eq!(clock.available, own || with, "{}", clock.id);
    }
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(!told.is_empty(), !with, "{told}");
    assert!(with || told.contains("--features peers"), "{told}");
    // Without the option they are included only by name.
    for args in [
        &["deltas", "quanta/instant"][..],
        &["waits", "spin_sleep", "--wait", "1ms", "--count", "3"],
    ] {
        let output = run(args);
        let expected = if with { 0 } else { 3 };
        assert_eq!(output.status.code(), Some(expected), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(with || told.contains("--features peers"), "{told}");
    }
    assert!(complaint(&["clocks", "quanta/instnt"]).contains("quanta/instant"));
}
