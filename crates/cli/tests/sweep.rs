//! `chronoscope sweep` from outside. What really changes the clock source runs only if it is asked
//! for: it affects the whole machine.

use crate::common::{run, tool};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const AVAILABLE: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

fn may_switch() -> bool {
    fs::OpenOptions::new().write(true).open(CURRENT).is_ok()
}

#[test]
fn without_permission_it_refuses_and_names_the_command() {
    if may_switch() {
        return;
    }
    let out = run(&["sweep"]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("sudo chronoscope sweep") || errors.contains("only Linux"), "{errors}");
}

/// Both checks are in one test, because they must not run at the same time.
#[test]
fn the_source_is_restored_at_the_end_and_after_a_kill() {
    let sources = fs::read_to_string(AVAILABLE).unwrap_or_default();
    let asked = std::env::var_os("CHRONOSCOPE_TEST_SWITCH").is_some();
    if !asked || !may_switch() || sources.split_whitespace().count() < 2 {
        return;
    }
    let before = fs::read_to_string(CURRENT).expect("a source");
    let args = ["sweep", "posix/monotonic", "--budget", "2s", "--json", "-q"];
    let out = run(&args);
    assert_eq!(fs::read_to_string(CURRENT).expect("a source"), before);
    assert!(out.status.success(), "{out:?}");
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let found = report["sweep"].as_array().expect("sources");
    assert_eq!(found.len(), sources.split_whitespace().count());
    assert!(found.iter().all(|one| one["clocks"][0]["cost"]["throughput"].is_object()));

    let mut child = tool(&["sweep", "posix/monotonic", "--budget", "10s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tool");
    let changed = (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        fs::read_to_string(CURRENT).is_ok_and(|now| now != before)
    });
    child.kill().expect("it runs");
    child.wait().expect("it was started here");
    let restored = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        fs::read_to_string(CURRENT).is_ok_and(|now| now == before)
    });
    // Never leave it changed, whatever this test finds.
    if !restored {
        fs::write(CURRENT, before.trim()).expect("the original source");
    }
    assert!(changed && restored);
}
