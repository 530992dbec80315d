//! The tool itself, run as a user would, wherever it was built for.

use super::Done;
use crate::sh;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::{Command, Stdio};

/// What a run must show.
enum Shows {
    /// Something on stdout.
    Text,
    /// A report that holds, under this key, something not empty.
    Report(&'static str),
    /// One line on stderr and no panic: the wish was wrong.
    Refusal,
}

struct Run {
    args: &'static [&'static str],
    exit: i32,
    shows: Shows,
}

const fn run(args: &'static [&'static str], exit: i32, shows: Shows) -> Run {
    Run { args, exit, shows }
}

/// A clock that no machine has on which this is run.
const ELSEWHERE: &str = "mach/absolute_time";

const RUNS: &[Run] = &[
    run(&["--version"], 0, Shows::Text),
    run(&["--help"], 0, Shows::Text),
    run(&["list", "clocks"], 0, Shows::Text),
    run(&["list", "waits"], 0, Shows::Text),
    run(&["explain", "posix/monotonic"], 0, Shows::Text),
    run(&["hardware"], 0, Shows::Text),
    run(&["hardware", "--json"], 0, Shows::Report("environment")),
    run(&["--budget", "3s"], 0, Shows::Text),
    run(
        &["clocks", "--json", "--budget", "2s"],
        0,
        Shows::Report("clocks"),
    ),
    run(
        &["deltas", "rust/instant", "--json"],
        0,
        Shows::Report("deltas"),
    ),
    run(
        &["calls", "rust/instant", "--json"],
        0,
        Shows::Report("calls"),
    ),
    run(
        &["overhead", "rust/instant", "99", "99", "99", "--json"],
        0,
        Shows::Report("overhead"),
    ),
    run(
        &["advise", "--json", "--budget", "1s"],
        0,
        Shows::Report("advice"),
    ),
    run(
        &["waits", "--wait", "1ms", "--count", "2", "--json"],
        0,
        Shows::Report("waits"),
    ),
    run(
        &["waits", "--wait", "1ms", "--count", "2", "--style", "seed"],
        0,
        Shows::Text,
    ),
    run(&["clocks", "no/such-clock"], 2, Shows::Refusal),
    run(&["clocks", "--budget", "-1s"], 2, Shows::Refusal),
    run(&["waits", "--wait", "0ms"], 2, Shows::Refusal),
    run(&["clocks", ELSEWHERE], 3, Shows::Refusal),
];

/// Runs the tool in all these ways.
pub fn smoke(tool: impl Fn() -> Command) -> Result<Done> {
    let mut done = Done::default();
    for run in RUNS {
        let words = run.args.join(" ");
        match shows(&mut tool(), run) {
            Ok(()) => {
                println!("chronoscope {words}: ok");
                done.tally.passed += 1;
            }
            Err(error) => {
                eprintln!("chronoscope {words}: FAILED: {error:#}");
                done.tally.failed += 1;
            }
        }
    }
    Ok(done)
}

fn shows(tool: &mut Command, run: &Run) -> Result<()> {
    tool.args(run.args).stdin(Stdio::null());
    let limited = &mut sh::within(std::time::Duration::from_secs(120), tool);
    let out = limited.output().context("it cannot be run")?;
    let errors = String::from_utf8_lossy(&out.stderr);
    if out.status.code() != Some(run.exit) {
        bail!("{} instead of {}: {}", out.status, run.exit, errors.trim());
    }
    if errors.contains("panicked") {
        bail!("{}", errors.trim());
    }
    match run.shows {
        Shows::Text if out.stdout.is_empty() => bail!("nothing on stdout"),
        Shows::Refusal if errors.trim().is_empty() => bail!("refused without a word"),
        Shows::Text | Shows::Refusal => Ok(()),
        Shows::Report(key) => follows_schema(&holds(&out.stdout, key)?),
    }
}

/// The report, if it is one with something under that key.
fn holds(text: &[u8], key: &str) -> Result<Value> {
    let report: Value = serde_json::from_slice(text).context("what it printed is no JSON")?;
    let schema = report["schema"].as_str().unwrap_or_default();
    if !schema.starts_with("chronoscope.report/") {
        bail!("its schema is `{schema}`");
    }
    if report["run"]["complete"] != Value::Bool(true) {
        bail!("it calls itself incomplete");
    }
    let empty = match &report[key] {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        other => other.is_null(),
    };
    if empty {
        bail!("nothing under `{key}`");
    }
    Ok(report)
}

/// Whether a report follows the schema that is checked in.
pub fn follows_schema(report: &Value) -> Result<()> {
    let path = sh::root().join("docs/schema/chronoscope.report-1.json");
    let schema = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema)?)?;
    if let Some(error) = schema.iter_errors(report).next() {
        bail!("it breaks the schema: {error}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_must_hold_what_was_asked_for() {
        let report = br#"{"schema":"chronoscope.report/1","run":{"complete":true},"clocks":[1],"deltas":[]}"#;
        holds(report, "clocks").unwrap();
        holds(report, "deltas").unwrap_err();
        holds(report, "waits").unwrap_err();
        holds(b"{}", "clocks").unwrap_err();
        holds(b"", "clocks").unwrap_err();
    }
}
