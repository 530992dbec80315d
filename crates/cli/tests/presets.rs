//! Presets and demonstrations: each one runs, and lists, help and JSON name the same.

use crate::common::run;
use serde_json::Value;
use std::process::Output;

const PRESETS: [&str; 5] =
    ["time-functions", "timetest", "instant-overhead", "windows-waits", "stopwatch"];

fn json(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
}

/// The ids of a list.
fn listed(args: &[&str]) -> Vec<String> {
    let list = json(&run(args));
    let entries = list["entries"].as_array().expect("a list").iter();
    entries.map(|entry| entry["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn every_preset_runs_and_says_what_it_stands_for() {
    for (args, key) in [
        (&["--preset", "time-functions", "--calls", "9", "--budget", "1s"][..], "clocks"),
        (&["clocks", "--preset=time-functions", "c/clock", "--budget", "100ms"], "clocks"),
        (&["--preset", "timetest", "--budget", "50ms"], "calls"),
        (&["--preset", "instant-overhead", "--budget", "50ms"], "overhead"),
        (&["--preset", "windows-waits", "--wait=1ms", "--count=2", "--load=none"], "waits"),
        (&["--preset", "seed003", "--wait=1ms", "--count=2", "--load=none"], "waits"),
        (
            &["waits", "--preset", "windows-waits", "--wait=1ms", "--count=2", "--load=none"],
            "waits",
        ),
    ] {
        let output = run(&[args, &["--json"]].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {told}");
        assert!(json(&output)["spec"][key].is_object(), "{args:?}");
        assert_eq!(told.contains("chronoscope: preset "), args[0] != "waits", "{told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(last.starts_with("chronoscope: next: chronoscope "), "{told}");
    }
    // Whether a runtime of .NET is installed is another question.
    let output = run(&["--preset", "stopwatch", "--budget", "4s", "--json"]);
    assert!([Some(0), Some(3)].contains(&output.status.code()));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("preset stopwatch: chronoscope runtimes"), "{told}");
    let done = output.status.success();
    assert_eq!(told.contains("next: chronoscope hardware -v; "), done, "{told}");
    let quiet = run(&["--preset", "timetest", "--budget", "50ms", "--quiet"]);
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_preset_that_fails_does_not_say_what_comes_next() {
    for (args, code) in [
        (&["--preset", "timetest", "--budget", "50ms", "-o", "/nonexistent/run.json"][..], 1),
        (&["--preset", "timetest", "c/tiem"], 2),
        (&["--preset", "timetest", "--calls", "9"], 2),
    ] {
        let output = run(args);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        assert!(!told.contains("next:"), "{args:?}: {told}");
    }
}

#[test]
fn help_and_the_list_name_every_preset() {
    assert_eq!(listed(&["list", "presets", "--json"]), PRESETS);
    let help = String::from_utf8(run(&["--help"]).stdout).expect("text");
    for preset in PRESETS {
        assert!(help.contains(&format!("- {preset}:")), "{preset}");
        assert_eq!(run(&["explain", preset]).status.code(), Some(0), "{preset}");
    }
    assert_eq!(run(&["--preset", "seed004"]).status.code(), Some(2));
    assert_eq!(run(&["deltas", "--preset", "timetest"]).status.code(), Some(2));
}

#[test]
fn every_demonstration_runs_and_tells_what_happened() {
    let demos = listed(&["demo", "list", "--json"]);
    assert!(demos.len() >= 5, "{demos:?}");
    for demo in demos {
        assert_eq!(run(&["explain", &demo]).status.code(), Some(0), "{demo}");
        let output = run(&["demo", &demo, "--budget", "200ms", "--json"]);
        if output.status.code() == Some(3) {
            // There is only one CPU, or no counter.
            assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{demo}");
            continue;
        }
        let shown = json(&output);
        assert_eq!(shown["schema"], "chronoscope.demo/1");
        assert_eq!(shown["demo"], *demo);
        let what = shown["what"].as_str().expect("a sentence");
        // Counts have commas, as on all screens.
        let plain = what.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 4);
        assert!(what.ends_with('.') && !plain, "{shown}");
        let figures = shown["figures"].as_object().expect("figures");
        assert!(figures.len() >= 3 && figures.values().all(Value::is_number), "{shown}");
        if demo == "two-reads" && shown["happened"] == true {
            assert!(shown["figures"]["value_ms"].as_f64() < Some(0.0), "{shown}");
            assert_eq!(shown["figures"]["negative_with_one_read"], 0.0);
        }
        if demo == "clock-back" {
            assert!(
                shown["figures"]["set_back_ns"].as_f64()
                    < shown["figures"]["wall_clock_ns"].as_f64()
            );
        }
    }
    assert_eq!(run(&["demo", "two-read"]).status.code(), Some(2));
    assert_eq!(run(&["demo", "two-reads", "--budget", "-1s"]).status.code(), Some(2));
}
