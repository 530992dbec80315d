//! The command `doctor`, on this machine and on bundles.

use crate::common::run;
use chronoscope_model::finding::Outcome;
use chronoscope_model::{About, Level, Report};
use std::fs;
use std::path::Path;

fn report(output: &std::process::Output) -> Report {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_bundle_of_this_machine_is_diagnosed_as_the_machine_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundle = folder.path().join("bundle");
    let path = bundle.display().to_string();
    let here = report(&run(&["doctor", "--json", "--budget", "1s", "--record", &path]));
    assert_eq!(here.checks.len(), chronoscope_diagnose::faults::ALL.len());
    let there = report(&run(&["doctor", "--facts", &path, "--json"]));
    // What facts show is the same. Programs come and go.
    for (a, b) in here.checks.iter().zip(&there.checks) {
        assert_eq!(a.id, b.id);
        let facts = a.certainty == chronoscope_model::Certainty::Evidence;
        if facts && a.id != "two-disciplines" {
            assert_eq!(a.outcome, b.outcome, "{}: {:?} {:?}", a.id, a.why, b.why);
        }
    }
    assert_eq!(here.clocks, there.clocks);
    let stored = fs::read_to_string(bundle.join("report.json")).expect("a report");
    assert!(!stored.contains(&path), "it names the folder");
    // An existing folder is not written to.
    let again = run(&["doctor", "--budget", "300ms", "--record", &path]);
    assert_eq!(again.status.code(), Some(2));
    let shown = run(&["doctor", "--facts", &path]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.starts_with("Doctor  "), "{shown}");
    let grave = here.findings.iter().filter(|it| it.level > Level::Info);
    for finding in grave.filter(|it| it.about == About::Machine) {
        println!("on this machine: {finding:?}");
    }
}

/// Writes a bundle with these facts, and returns its path.
fn bundle(folder: &Path, files: &[(&str, &str)]) -> String {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder.display().to_string()
}

#[test]
fn facts_alone_are_enough_and_levels_decide_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bundle(
        folder.path(),
        &[
            ("process", "arch=aarch64\nsysname=Linux\n"),
            ("root/dev/kmsg", "4,1,1,-;Measured 235 cycles TSC warp between CPUs\n"),
            ("root/proc/self/timens_offsets", "monotonic 5 0\n"),
        ],
    );
    let found = report(&run(&["doctor", "--facts", &path, "--json"]));
    assert_eq!(found.environment.arch, "aarch64");
    let outcome = |id: &str| {
        let check = found.checks.iter().find(|check| check.id == id);
        check.map(|check| check.outcome)
    };
    assert_eq!(outcome("tsc-warp"), Some(Outcome::Found));
    assert_eq!(outcome("time-namespace"), Some(Outcome::Found));
    assert_eq!(outcome("clock-backwards"), Some(Outcome::Unknown));
    let code = |args: &[&str]| run(&[&["doctor", "--facts", &path], args].concat()).status.code();
    assert_eq!(code(&["--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["--fail-on", "error"]), Some(0));
    assert_eq!(code(&["--fail-on", "warning", "--allow", "tsc-warp"]), Some(0));
    assert_eq!(code(&["--cpu", "0"]), Some(2));
    assert_eq!(code(&["--record", "elsewhere"]), Some(2));
}

/// The outcome of looking for a fault, and the level of the finding.
fn seen(report: &Report, id: &str) -> (Option<Outcome>, Option<Level>) {
    let check = report.checks.iter().find(|check| check.id == id);
    let found = report.findings.iter().find(|found| found.id == id);
    (check.map(|check| check.outcome), found.map(|found| found.level))
}

#[test]
fn a_glance_at_this_machine_is_a_report_like_any_other() {
    let glance = report(&run(&["doctor", "--quick", "--json"]));
    assert!(glance.run.quick && glance.run.complete);
    assert_eq!(glance.checks.len(), chronoscope_diagnose::faults::ALL.len());
    assert!(glance.clocks.iter().any(|clock| clock.read_ns().is_some_and(|ns| ns > 0.0)));
    assert!(glance.waits.is_empty() && glance.trust.is_none() && glance.advice.is_empty());
    for id in ["clock-backwards", "counter-out-of-step", "tsc-jump", "vm-paused"] {
        let check = glance.checks.iter().find(|check| check.id == id).expect("it is looked for");
        assert_ne!(check.outcome, Outcome::Clear, "{id}");
    }
    let exported = run(&["doctor", "--quick", "--export", "ndjson=-"]);
    assert!(String::from_utf8_lossy(&exported.stdout).contains("not looked at by --quick"));
    for other in [["--budget", "1s"], ["--cpu", "0"], ["--facts", "bundle"]] {
        let both = run(&[&["doctor", "--quick"], &other[..]].concat());
        assert_eq!(both.status.code(), Some(2), "{other:?}");
    }
}

/// A program inherits the slack of the one that starts it.
#[cfg(target_os = "linux")]
#[test]
fn the_slack_that_a_parent_set_is_found() {
    const SET: &str = "echo $0 > /proc/self/timerslack_ns && exec \"$@\"";
    for ns in ["5000000", "50000000"] {
        let tool = crate::common::tool(&["doctor", "--quick", "--json"]);
        let mut parent = std::process::Command::new("sh");
        parent.args(["-c", SET, ns]).arg(tool.get_program()).args(tool.get_args());
        let output = parent.output().expect("a shell");
        // Kernels before 4.6 have no such file.
        if !output.status.success() {
            return;
        }
        let found = report(&output);
        assert_eq!(found.environment.timer_slack_ns, ns.parse().ok());
        assert_eq!(seen(&found, "timer-slack"), (Some(Outcome::Found), Some(Level::Warning)));
    }
}

#[test]
fn a_quota_is_found_in_the_files_of_both_versions_of_control_groups() {
    const FIRST: &str = "35 31 0:32 / /cg rw - cgroup cgroup rw,cpu,cpuacct";
    const SECOND: &str = "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw";
    let of = |mounts: &str, files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("a folder");
        bundle(
            folder.path(),
            &[
                ("process", "arch=x86_64\nsysname=Linux\ntimer_slack_ns=50000\n"),
                ("root/proc/self/cgroup", "4:cpu,cpuacct:/pod\n0::/pod\n"),
                ("root/proc/self/mountinfo", mounts),
            ],
        );
        let path = bundle(folder.path(), files);
        seen(&report(&run(&["doctor", "--facts", &path, "--json"])), "cgroup-throttled")
    };
    let (found, warning) = (Some(Outcome::Found), Some(Level::Warning));
    let max = ("root/cg/pod/cpu.max", "50000 100000\n");
    let stat = ("root/cg/pod/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_usec 250\n");
    assert_eq!(of(SECOND, &[max, stat]), (found, warning));
    assert_eq!(of(SECOND, &[max]), (found, Some(Level::Info)));
    let quota = ("root/cg/pod/cpu.cfs_quota_us", "50000\n");
    let period = ("root/cg/pod/cpu.cfs_period_us", "100000\n");
    let stat = ("root/cg/pod/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_time 250\n");
    assert_eq!(of(FIRST, &[quota, period, stat]), (found, warning));
    assert_eq!(of(FIRST, &[quota, period]), (found, Some(Level::Info)));
    let none = ("root/cg/pod/cpu.cfs_quota_us", "-1\n");
    assert_eq!(of(FIRST, &[none, period]), (Some(Outcome::Clear), None));
    let huge = "9".repeat(100_000);
    for text in ["", "garbage\0\n", huge.as_str()] {
        let files = [("root/cg/pod/cpu.max", text), ("root/cg/pod/cpu.stat", text)];
        assert_eq!(of(SECOND, &files), (Some(Outcome::Unknown), None));
    }
}

#[test]
fn a_stored_report_is_diagnosed_by_its_own_facts_and_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json").display().to_string();
    let stored = report(&run(&["doctor", "--quick", "--json"]));
    let json = serde_json::to_string(&stored).expect("a report");
    fs::write(&path, json).expect("a file");
    let again = report(&run(&["doctor", "--facts", &path, "--json"]));
    assert_eq!((&again.checks, &again.findings), (&stored.checks, &stored.findings));
    assert_eq!((&again.clocks, &again.environment), (&stored.clocks, &stored.environment));
}

#[test]
fn what_is_no_bundle_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |path: &str| {
        let output = run(&["doctor", "--facts", path]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        text
    };
    let empty = folder.path().display().to_string();
    assert!(refused(&empty).contains("--record"));
    refused(&format!("{empty}/nowhere"));
    let deep = "[".repeat(100_000);
    for text in ["", "{", "[]", "{\"schema\":1}", deep.as_str(), "\0\0\0"] {
        let path = bundle(folder.path(), &[("report.json", text)]);
        refused(&path);
        assert!(refused(&format!("{path}/report.json")).contains("--record"));
    }
}

#[test]
fn the_page_on_doctor_lists_every_fault() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/doctor.md");
    let page = fs::read_to_string(path).expect("the page");
    for fault in chronoscope_diagnose::faults::ALL {
        assert!(page.contains(&format!("`{}`", fault.id)), "doctor.md has no {}", fault.id);
    }
}

#[test]
fn a_log_is_understood_in_each_form_in_which_people_have_it() {
    const WARP: &str = "Measured 235 cycles TSC warp between CPUs, turning off TSC clock.";
    let folder = tempfile::tempdir().expect("a folder");
    let json = serde_json::json!({ "_TRANSPORT": "kernel", "MESSAGE": WARP }).to_string();
    let user = serde_json::json!({ "_TRANSPORT": "stdout", "MESSAGE": WARP }).to_string();
    let forms = [
        (format!("[    0.149339] {WARP}"), true),
        (format!("[Mon Jan  5 10:11:12 2026] {WARP}"), true),
        (format!("<4>[    0.149339] {WARP}"), true),
        (format!("<12>[    0.149339] {WARP}\n[    0.2] usb"), false),
        (format!("kern  :warn  : [    0.149339] {WARP}"), true),
        (format!("4,7,149339,-;{WARP}"), true),
        (format!("Jan 05 10:11:12 host kernel: {WARP}"), true),
        (format!("Jan 05 10:11:12.123456 host kernel: {WARP}"), true),
        (format!("2026-01-05T10:11:12+0000 host kernel: {WARP}"), true),
        (format!("[    0.149339] host kernel: {WARP}"), true),
        (format!("Jan  5 10:11:12 host kernel: [    0.149339] {WARP}"), true),
        (format!("Jan  5 10:11:12 host evil[7]: a kernel: {WARP}\nJan  5 h kernel: x"), false),
        (WARP.to_owned(), true),
        (json, true),
        (user, false),
    ];
    for (text, wanted) in forms {
        let path = bundle(folder.path(), &[("log", &text)]) + "/log";
        let found = report(&run(&["doctor", &path, "--json"]));
        let env = &found.environment;
        assert_eq!(env.kernel_log.iter().any(|line| line == WARP), wanted, "{text}");
        assert_eq!((&*env.arch, &*env.os), ("", "Linux"), "{text}");
        assert!(env.cpu.model.is_none() && env.kernel.is_none(), "{text}");
        assert_eq!(seen(&found, "tsc-warp").0 == Some(Outcome::Found), wanted, "{text}");
        assert_eq!(seen(&found, "unsynchronised").0, Some(Outcome::Unknown), "{text}");
    }
    let lscpu = "Architecture: x86_64\nCPU(s): 2\nVendor ID: GenuineIntel\nFlags: tsc\n";
    let files = [("a", "ro quiet tsc=reliable\n"), ("b", lscpu), ("c", WARP)];
    let path = bundle(folder.path(), &files);
    let [a, b, c] = ["a", "b", "c"].map(|name| format!("{path}/{name}"));
    let found = report(&run(&["doctor", &a, &b, &c, "--json"]));
    let env = &found.environment;
    assert_eq!((&*env.arch, &*env.parameters.join(" ")), ("x86_64", "tsc=reliable"));
    assert_eq!((env.cpu.vendor.as_deref(), env.kernel_log.len()), (Some("GenuineIntel"), 1));
    for text in ["a word\n", "", "\0\0", "\u{1f}\u{8b}", "{\"a\":"] {
        let path = bundle(folder.path(), &[("no", text)]) + "/no";
        let output = run(&["doctor", &path]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    }
}

/// A limit on processes, as containers set one. Only root can become the user that has none left.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_be_started_is_refused_in_one_line_with_code_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let tool = folder.path().join("tool");
    fs::copy(env!("CARGO_BIN_EXE_chronoscope"), &tool).expect("a copy");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.path(), open).expect("a mode");
    let limited = ["--reuid", "65533", "--clear-groups", "prlimit", "--nproc=1:1"];
    for args in [&["doctor", "--quick"][..], &["trust", "--budget", "1s"]] {
        let mut run = std::process::Command::new("setpriv");
        let Ok(output) = run.args(limited).arg(&tool).args(args).output() else {
            return eprintln!("not tested: no setpriv");
        };
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if told.contains("setpriv: ") || told.contains("prlimit: ") {
            return eprintln!("not tested: {told}");
        }
        assert_eq!((output.status.code(), told.lines().count()), (Some(3), 1), "{told}");
    }
}
