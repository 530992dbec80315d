//! Short real runs on this machine: they end as they should, and their reports are whole.

use crate::common::{check, run, tool};
use crate::waiting::path_text;
use std::net::UdpSocket;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const COMMANDS: [&[&str]; 9] = [
    &["--budget", "1s"],
    &["clocks", "rust", "c/clock", "c/time", "--budget", "1s", "--calls", "1000"],
    &["deltas", "rust/instant", "--reads", "1000", "--budget", "300ms"],
    &["deltas", "rust/instant", "--reads", "2", "--budget", "300ms"],
    &["calls", "rust/instant", "--budget", "200ms"],
    &["overhead", "rust/instant", "20", "20", "20"],
    &["hardware"],
    &["advise", "--budget", "1s", "--for", "interval", "--language", "c"],
    &["waits", "rust", "--wait", "1ms", "--count", "3"],
];

#[test]
fn reports_are_complete() {
    for args in COMMANDS {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = run(&args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let report = chronoscope_report::json::read(&output.stdout);
        assert!(report.is_ok_and(|report| report.run.complete), "{args:?}");
    }
}

#[test]
fn screens_fit_the_width() {
    for args in COMMANDS {
        for columns in ["80", "120"] {
            let output = tool(args).env("COLUMNS", columns).output().unwrap();
            check(args, &output);
            let text = String::from_utf8(output.stdout).expect("a screen is text");
            let width = columns.parse().unwrap();
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{args:?} at {columns}: {line}");
                assert!(!line.contains('\u{1b}'), "{args:?}: colour without a terminal");
            }
        }
    }
    let coloured = run(&["hardware", "--color", "always"]);
    assert!(coloured.stdout.contains(&0x1b));
}

/// As `clocks` has it.
#[test]
fn the_heading_of_a_clock_has_its_call() {
    for args in &COMMANDS[2..6] {
        let text = String::from_utf8(run(args).stdout).expect("a screen is text");
        let is_heading = |line: &str| line == "rust/instant  Instant::now()";
        assert!(text.lines().any(is_heading), "{args:?}: {text}");
    }
}

#[test]
fn an_export_is_whole_and_one_may_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a report ü.json");
    let export = format!("json={}", path.display());
    assert!(run(&["hardware", "--export", &export, "--export", "markdown=-"]).status.success());
    chronoscope_report::json::read(&std::fs::read(&path).unwrap()).expect("it can be read back");
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing else is left in the folder"
    );
    for format in ["json", "ndjson", "csv", "markdown"] {
        let export = format!("--export={format}=-");
        let output = run(&["deltas", "rust/instant", "--reads=100", "--budget=100ms", &export]);
        assert!(output.status.success() && !output.stdout.is_empty(), "{format}");
    }
}

/// `head` closes the pipe long before the end.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = tool(&["list", "clocks", "-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::common::{check, tool};
    use std::fs::OpenOptions;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn a_full_disk_is_reported_in_one_line() {
        for args in [&["hardware"][..], &["list", "--json"], &["--help"]] {
            let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = tool(args)
                .stdout(full)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
                .wait_with_output()
                .unwrap();
            check(args, &output);
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
        }
        let output = tool(&["hardware", "--export", "json=/dev/full"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/full"));
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in ["/dev/zero", fifo.to_str().unwrap()] {
            for args in [["advise", "--from", path], ["waits", "--resume", path]] {
                let output = tool(&args).output().unwrap();
                check(&args, &output);
                assert_eq!(output.status.code(), Some(2));
                let told = String::from_utf8_lossy(&output.stderr);
                assert!(told.contains("not a regular file"), "{told}");
            }
        }
    }

    #[test]
    fn an_export_obeys_the_mask_and_follows_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("behind.json", folder.path().join("link")).unwrap();
        for (mask, mode) in [("077", 0o600), ("027", 0o640), ("000", 0o666)] {
            let status = Command::new("sh")
                .args(["-c", "umask $0 && exec \"$@\"", mask])
                .arg(env!("CARGO_BIN_EXE_chronoscope"))
                .args(["list", "formats", "--export", "json=link"])
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success());
            assert!(folder.path().join("link").is_symlink());
            let behind = folder.path().join("behind.json");
            let found = std::fs::metadata(&behind).unwrap().permissions().mode();
            assert_eq!(found & 0o777, mode, "{mask}");
            std::fs::remove_file(&behind).unwrap();
        }
    }

    #[test]
    fn an_interrupt_keeps_the_passes_of_calls() {
        // After a quiet second, its passes take about a quarter of a second each.
        let args = ["calls", "linux/monotonic-syscall", "--json"];
        let child = tool(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        check(&args, &output);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let code = output.status.code();
        // The run may already have ended, or not have begun.
        assert!(code == Some(0) || code == Some(130), "{code:?}");
        assert_eq!(report["run"]["complete"], code == Some(0));
        let passes = report["calls"][0]["passes"].as_array().map_or(0, Vec::len);
        assert!(passes == 3 || code == Some(130), "{passes} of 3 passes");
    }

    /// What was measured until Ctrl-C is written, and marked as incomplete.
    #[test]
    fn an_interrupted_run_keeps_what_it_has() {
        let child = tool(&["clocks", "--budget", "60s", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        // Twice, as timeout(1) does it: to the program, and to the group that it is in.
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        check(&["clocks"], &output);
        assert_eq!(output.status.code(), Some(130));
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("it is JSON nevertheless");
        assert_eq!(report["run"]["complete"], false);
        assert!(report["clocks"].as_array().is_some_and(|clocks| !clocks.is_empty()));
    }

    #[test]
    fn a_process_that_may_open_no_files_says_so_in_one_line() {
        // Whoever started this test may have left files open: the first that is free counts as 3.
        const LIMITED: &str = "first=3; while [ -e /proc/$$/fd/$first ]; do first=$((first + 1)); \
                               done; ulimit -n $((first - 3 + $0)) && exec \"$@\"";
        let limited = |files: &str| {
            let output = Command::new("sh")
                .args(["-c", LIMITED, files])
                .args([env!("CARGO_BIN_EXE_chronoscope"), "hardware"])
                .output()
                .unwrap();
            check(&["hardware"], &output);
            output
        };
        let output = limited("4");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("ulimit -n") && told.lines().count() == 1, "{told}");
        assert!(limited("16").status.success());
    }

    #[test]
    fn a_locale_without_utf_8_gets_screens_in_ascii() {
        for locale in ["C", "POSIX", "de_DE.ISO-8859-1"] {
            for args in [&["hardware"][..], &["explain", "verdict"], &["list", "clocks"]] {
                for columns in ["60", "80", "132"] {
                    let mut command = tool(args);
                    command.env_remove("LC_ALL").env_remove("LC_CTYPE");
                    let output = command.env("LANG", locale).env("COLUMNS", columns).output();
                    let output = output.unwrap();
                    check(args, &output);
                    assert!(output.stdout.is_ascii(), "{args:?} in {locale}");
                }
            }
        }
    }

    #[test]
    fn one_cpu_is_enough() {
        for args in [
            &["clocks", "rust", "--budget", "1s", "--json"][..],
            &["doctor", "--budget", "1s", "--json"],
            &["trust", "rust", "--duration", "1s", "--json"],
        ] {
            let output = Command::new("taskset")
                .args(["-c", "0", env!("CARGO_BIN_EXE_chronoscope")])
                .args(args)
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{args:?}: {errors}");
            // What needs two is left out, and a note says so.
            let text = String::from_utf8_lossy(&output.stdout);
            let told = text.contains("one CPU only") || text.contains("a single CPU");
            assert!(args[0] == "clocks" || told, "{args:?}: {text}");
        }
    }

    /// A command with empty `/sys` and `/proc`; `None` if this user may not hide them.
    fn without_sys_and_proc() -> Option<Command> {
        const HIDE: &str = "mount -t tmpfs none /sys && mount -t tmpfs none /proc";
        let may = |user: &[&str]| {
            let tried =
                Command::new("unshare").args(user).args(["--mount", "sh", "-c", HIDE]).output();
            tried.is_ok_and(|output| output.status.success())
        };
        let ways: [&[&str]; 2] = [&[], &["--user", "--map-root-user"]];
        let user = ways.into_iter().find(|user| may(user))?;
        let mut command = Command::new("unshare");
        command.args(user).args(["--mount", "sh", "-c"]);
        command.arg(format!("{HIDE} && exec \"$@\"")).arg("sh");
        Some(command)
    }

    #[test]
    fn a_machine_that_reveals_nothing_about_itself_is_measured_nevertheless() {
        let runs: [&[&str]; 3] = [
            &["hardware", "--json"],
            &["clocks", "posix", "--budget", "1s", "--json"],
            &["waits", "rust", "--wait", "1ms", "--count", "3", "--json"],
        ];
        for args in runs {
            let Some(mut command) = without_sys_and_proc() else {
                eprintln!("not tried: this user may not hide /sys and /proc");
                return;
            };
            let output =
                command.arg(env!("CARGO_BIN_EXE_chronoscope")).args(args).output().unwrap();
            check(args, &output);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{args:?}: {errors}");
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["run"]["complete"], true);
            let unknown = report["environment"]["unknown"].to_string();
            assert!(unknown.contains("current_clocksource"), "{unknown}");
        }
    }
}

/// On a busy machine there may be too few samples in the time.
#[test]
fn noise_is_one_sentence_with_its_causes() {
    let out = run(&["noise", "--json", "-q"]);
    if out.status.code() == Some(3) {
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        return assert!(error.contains("noise needs 500 pieces"), "{error}");
    }
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let noise = &report["noise"];
    let number = |key: &str| noise[key].as_f64().unwrap_or_else(|| panic!("{key} in {noise}"));
    assert!(number("pieces") >= 500.0 && number("undisturbed") <= number("pieces"));
    assert!(number("good_to") >= 0.0 && (0.0..1.0).contains(&number("lost")));
    let causes = noise["causes"].as_array().unwrap();
    let share = |key: &str| causes.iter().filter_map(|cause| cause[key].as_f64()).sum::<f64>();
    assert!((share("pieces") - 1.0).abs() < 1e-9, "{noise}");
    assert!((share("lost") - number("lost")).abs() < 1e-9, "{noise}");
}

/// A server of time that is 64 ms ahead and takes longer to answer than to be asked.
#[test]
fn the_truth_is_within_the_bounds_of_a_server() {
    const AHEAD: Duration = Duration::from_millis(64);
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let name = format!("ntp:{}", server.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut bytes = [0; 512];
        loop {
            // Windows reports here that the client of the answer before has gone.
            let Ok((48, from)) = server.recv_from(&mut bytes) else { continue };
            let since = (SystemTime::now() + AHEAD).duration_since(UNIX_EPOCH).unwrap();
            let fraction = (u64::from(since.subsec_nanos()) << 32) / 1_000_000_000;
            let now = (since.as_secs() + 2_208_988_800) << 32 | fraction;
            let mut answer = [0; 48];
            answer[..4].copy_from_slice(&[4 << 3 | 4, 1, 0, -20_i8 as u8]);
            answer[24..32].copy_from_slice(&bytes[40..48]);
            answer[32..40].copy_from_slice(&now.to_be_bytes());
            answer[40..].copy_from_slice(&now.to_be_bytes());
            std::thread::sleep(Duration::from_millis(3));
            let _ = server.send_to(&answer, from);
        }
    });
    let args = ["trust", "--against", &name, "--duration", "1s", "-q"];
    let json = run(&[&args[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let against = &report["against"];
    let wall = |key: &str| against["wall_ns"][key].as_f64().unwrap_or_else(|| panic!("{against}"));
    let truth = -(AHEAD.as_nanos() as f64);
    assert!(wall("low") <= truth && truth <= wall("high"), "{against}");
    assert!(wall("high") < 0.0, "{against}");
    let screen = String::from_utf8(run(&args).stdout).unwrap();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("behind {name}")), "{screen}");
    // The run goes on, after a while in which its folder was gone.
    let folder = tempfile::tempdir().expect("a folder");
    let [here, away] = ["here", "away"].map(|name| folder.path().join(name));
    std::fs::create_dir(&here).expect("a folder");
    let file = here.join("run.json");
    let path = path_text(&file);
    let first = ["trust", "--against", &name, "--duration", "8s", "--checkpoint", path];
    let begun = tool(&[&first[..], &["--json", "-q"]].concat()).stdout(Stdio::piped()).spawn();
    let begun = begun.expect("the tool");
    let patience = Instant::now();
    while !file.exists() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::rename(&here, &away).expect("it moves");
    std::thread::sleep(Duration::from_millis(1500));
    std::fs::rename(&away, &here).expect("it moves back");
    let out = begun.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["notes"][0]["id"], "checkpoint-failed", "{}", report["notes"]);
    let asked = |report: &serde_json::Value| report["against"]["sources"][0]["requests"].as_u64();
    let before = asked(&report).expect("requests");
    let again = ["trust", "--resume", path, "--duration", "1s", "--json", "-q"];
    let again = run(&again);
    // No boot of Windows is told from another, so nothing says whether its clocks went on.
    if cfg!(windows) {
        let line = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(line.contains("does not say where it ended"), "{line}");
        return;
    }
    let report: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    let against = &report["against"];
    assert!(against["wall_ns"]["low"].as_f64().unwrap() <= truth, "{against}");
    assert!(against["wall_ns"]["high"].as_f64().unwrap() >= truth, "{against}");
    assert!(asked(&report).expect("requests") > before, "{against}");
    assert!(against["seconds"].as_f64().unwrap() >= 6.0, "{against}");
    let events = against["events"].as_array().expect("events");
    assert!(events.iter().any(|event| event["what"] == "resumed"), "{against}");
    assert_eq!(report["notes"][0]["id"], "checkpoint-failed", "{}", report["notes"]);
    let mut other = report.clone();
    other["against"]["anchor"]["boot"] = "another".into();
    std::fs::write(&file, other.to_string()).expect("room");
    let out = run(&["trust", "--resume", path]);
    assert!(out.status.code() == Some(2) && out.stdout.is_empty(), "{out:?}");
    for (wrong, code) in [("gps:1", 2), ("ntp:", 2), ("rtc:/dev/none", 3), ("pps:/dev/none", 3)] {
        let out = run(&["trust", "--against", wrong, "--duration", "1s"]);
        assert_eq!((out.status.code(), out.stdout.len()), (Some(code), 0), "{wrong}");
    }
}
