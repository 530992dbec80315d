//! The command-line tool: its build, its report, and the commands that must work on every target.

use crate::sh::{self, Runner};
use crate::tally::Done;
use anyhow::{Context, Result, bail, ensure};
use chronoscope_model::schema;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Cmd, Shell, cmd};

/// The programs of a release build.
pub struct Built {
    pub tool: PathBuf,
    /// The example that `cargo xtask disasm` inspects.
    pub fast_paths: PathBuf,
}

/// Builds the tool as users build it, and the example for `cargo xtask disasm`. Cargo unifies the
/// features of what one command builds, so the tool has one of its own, which builds what the
/// README's `cargo install` has built.
pub fn release(sh: &Shell) -> Result<Built> {
    let build = || cmd!(sh, "cargo build --quiet --release");
    sh::run(build().args(["-p", "chronoscope-cli"]))?;
    sh::run(build().args(["-p", "chronoscope", "--example", "fast_paths"]))?;
    let folder = sh::target().join("release");
    Ok(Built { tool: folder.join("chronoscope"), fast_paths: folder.join("examples/fast_paths") })
}

/// Parses a report and checks it against the schema.
pub fn read_report(text: &[u8]) -> Result<Value> {
    let report = serde_json::from_slice(text).context("the output is not valid JSON")?;
    follows_schema(&report)?;
    Ok(report)
}

/// Checks a report against the checked-in schema.
pub fn follows_schema(report: &Value) -> Result<()> {
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema::REPORT)?)?;
    if let Some(error) = schema.iter_errors(report).next() {
        bail!("the report violates the schema: {error}");
    }
    Ok(())
}

/// Calls `with` for each value that holds no others, with the key that it, or its list, has.
pub fn each(value: &mut Value, key: &str, with: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| each(value, key, with)),
        Value::Object(all) => all.iter_mut().for_each(|(key, value)| each(value, key, with)),
        alone => with(key, alone),
    }
}

enum Shows {
    /// Any text on stdout.
    Text,
    /// A report in which this key is not empty.
    Report(&'static str),
    /// A message on stderr and no panic, because the input is invalid.
    Refusal,
}

use Shows::{Refusal, Report, Text};

/// A clock that exists on no machine that runs these tests.
const ELSEWHERE: &str = "clocks mach/absolute_time";

/// Arguments, exit code and expected output.
const RUNS: &[(&str, i32, Shows)] = &[
    ("--version", 0, Text),
    ("--help", 0, Text),
    ("list clocks", 0, Text),
    ("list waits", 0, Text),
    ("explain posix/monotonic", 0, Text),
    ("hardware", 0, Text),
    ("hardware --json", 0, Report("environment")),
    ("--budget 3s", 0, Text),
    ("--budget 1s --json", 0, Report("clocks")),
    ("clocks rust c/clock c/time --calls 1000 --json --budget 1s", 0, Report("clocks")),
    ("clocks --json --budget 2s", 0, Report("clocks")),
    ("deltas rust/instant --json", 0, Report("deltas")),
    ("deltas rust/instant --reads 2 --json", 0, Report("deltas")),
    ("calls rust/instant --json", 0, Report("calls")),
    ("overhead rust/instant 99 99 99 --json", 0, Report("overhead")),
    ("advise --json --budget 1s --for interval --language c", 0, Report("advice")),
    ("waits --wait 1ms --count 2 --json", 0, Report("waits")),
    ("waits --wait 1ms --count 2 --style seed", 0, Text),
    ("doctor --quick --json", 0, Report("checks")),
    ("doctor --budget 2s --json", 0, Report("checks")),
    ("clocks no/such-clock", 2, Refusal),
    ("clocks --budget -1s", 2, Refusal),
    ("waits --wait 0ms", 2, Refusal),
    (ELSEWHERE, 3, Refusal),
];

/// A command that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs every command of `RUNS`.
pub fn smoke(sh: &Shell, runner: &Runner, tool: &Path) -> Done {
    let mut done = Done::default();
    for (args, exit, shows) in RUNS {
        let cmd = runner.start_within(sh, LIMIT, tool);
        let ended = check(cmd.args(args.split(' ')), *exit, shows);
        done.check(&format!("chronoscope {args}"), ended);
    }
    done
}

fn check(cmd: Cmd<'_>, exit: i32, shows: &Shows) -> Result<()> {
    let out = cmd.quiet().ignore_status().output()?;
    let errors = String::from_utf8_lossy(&out.stderr);
    let errors = errors.trim();
    ensure!(out.status.code() == Some(exit), "{}, expected exit code {exit}: {errors}", out.status);
    ensure!(!errors.contains("panicked"), "{errors}");
    match shows {
        Text if out.stdout.is_empty() => bail!("nothing on stdout"),
        Refusal if errors.is_empty() => bail!("no message on stderr"),
        Text | Refusal => Ok(()),
        Report(key) => holds(&read_report(&out.stdout)?, key),
    }
}

/// Checks that a report is complete and that `key` is not empty.
pub fn holds(report: &Value, key: &str) -> Result<()> {
    ensure!(report["run"]["complete"] == Value::Bool(true), "the report is not complete");
    let empty = match &report[key] {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        other => other.is_null(),
    };
    ensure!(!empty, "`{key}` is empty in the report");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_must_contain_the_requested_section() {
        let report = json!({"run": {"complete": true}, "clocks": [1], "deltas": []});
        holds(&report, "clocks").unwrap();
        holds(&report, "deltas").unwrap_err();
        holds(&report, "waits").unwrap_err();
        holds(&json!({}), "clocks").unwrap_err();
        read_report(b"{}").unwrap_err();
        read_report(b"").unwrap_err();
    }
}
