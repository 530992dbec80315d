//! A command that is watched.

use crate::common::{run, tool};
use serde_json::Value;

/// What `noise -- sh -c SCRIPT` gives: its exit code, standard output and error, and the report.
fn watched(script: &str, more: &[&str]) -> (Option<i32>, String, String, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json").display().to_string();
    let words = ["noise", "-o", &path];
    // Its exit code may be any.
    let words = [&words, more, &["--", "sh", "-c", script]].concat();
    let output = tool(&words).output().expect("the tool starts");
    let json = std::fs::read_to_string(&path).unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let report = serde_json::from_str(&json).unwrap_or_default();
    (output.status.code(), text(&output.stdout), text(&output.stderr), report)
}

#[test]
fn streams_and_the_exit_code_are_those_of_the_command() {
    let (code, out, errors, report) = watched("echo out; echo err >&2; exit 7", &[]);
    assert_eq!((code, &*out), (Some(7), "out\n"), "{errors}");
    assert!(errors.starts_with("err\n") && errors.contains("took"), "{errors}");
    let watched = &report["watched"];
    assert_eq!((&watched["exit_code"], &watched["command"][0]), (&7.into(), &"sh".into()));
    assert!(watched["wall_ns"].as_u64().is_some_and(|ns| ns > 0), "{report}");
    let (code, ..) = self::watched("kill -TERM $$", &[]);
    assert_eq!(code, Some(128 + 15));
}

#[test]
fn a_command_that_cannot_be_started_gets_one_line() {
    let output = run(&["noise", "--", "/no/such/program"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(errors.contains("`/no/such/program`: cannot start it"), "{errors}");
}

/// A process that ends with the test, however that ends.
#[cfg(target_os = "linux")]
struct Ends(std::process::Child);

#[cfg(target_os = "linux")]
impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two loops on one CPU: each waits for half of the time, and the other one is named.
#[cfg(target_os = "linux")]
#[test]
fn what_a_hog_takes_is_seen_and_named() {
    let allowed = std::fs::read_to_string("/proc/self/status").expect("a file");
    let list = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let cpu = list.and_then(|it| it.trim().split([',', '-']).next()).expect("a CPU").to_owned();
    let name = "planted-hog";
    let folder = tempfile::tempdir().expect("a folder");
    let hog = folder.path().join(name);
    std::fs::copy("/bin/sh", &hog).expect("a copy");
    let other = std::process::Command::new("taskset")
        .args(["-c", &cpu, &hog.display().to_string(), "-c", "while :; do :; done"])
        .spawn()
        .expect("taskset");
    let other = Ends(other);
    let script = format!(
        "taskset -cp {cpu} $$ > /dev/null; end=$(($(date +%s) + 3)); \
         while [ $(date +%s) -lt $end ]; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done"
    );
    let (code, _, errors, report) = watched(&script, &[]);
    let failed = watched("exit 0", &["--fail-on", "noisy-machine"]).0;
    // Its tasks end before they can be looked at, all but the shell.
    let short = "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done";
    let short = watched(&format!("taskset -cp {cpu} $$ > /dev/null; {short}"), &[]).3;
    drop(other);
    assert_eq!(code, Some(0), "{errors}");
    assert!(matches!(failed, Some(0 | 1)), "{failed:?}");
    let watched = &report["watched"];
    if watched["taken"].is_null() {
        // A kernel without schedstat.
        assert!(watched["unseen"].as_array().is_some_and(|it| !it.is_empty()), "{report}");
        return;
    }
    assert!(watched["taken"].as_f64().is_some_and(|share| share > 0.25), "{watched}");
    let [taken, wall, ran] = ["taken", "wall_ns", "cpu_ns"]
        .map(|key| short["watched"][key].as_f64().unwrap_or_else(|| panic!("{key}: {short}")));
    // What no task ran was taken. The shell and its task may both be ready all the time, and then
    // one waits even while the other runs. The kernel may count in ticks.
    let rest = 1.0 - ran / wall;
    let waits = (1.0 + rest) / 2.0;
    assert!(taken > rest / 2.0 && taken < waits + 0.1, "{taken} of {wall}, {ran}");
    let queue = watched["causes"].as_array().expect("causes").iter();
    assert!(queue.clone().any(|it| it["cause"] == "run-queue"), "{watched}");
    let by = watched["by"].as_array().expect("names");
    assert!(by.iter().any(|it| it["name"] == name), "{watched}");
    let moments = watched["moments"].as_array().expect("moments");
    let wall = watched["wall_ns"].as_u64().expect("a time");
    assert!(!moments.is_empty(), "{watched}");
    for moment in moments {
        let [from, to] = ["from_ns", "to_ns"].map(|key| moment[key].as_u64().unwrap_or(0));
        assert!(from < to && to <= wall + 1_000_000_000, "{moment}");
    }
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|it| it["id"] == "noisy-machine"), "{report}");
}
