//! The tool's commands that must work on every target.

use super::report;
use crate::runner::Runner;
use crate::tally::Done;
use anyhow::{Result, bail};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use xshell::{Cmd, Shell};

/// What a command must print.
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
    ("clocks --json --budget 2s", 0, Report("clocks")),
    ("deltas rust/instant --json", 0, Report("deltas")),
    ("calls rust/instant --json", 0, Report("calls")),
    ("overhead rust/instant 99 99 99 --json", 0, Report("overhead")),
    ("advise --json --budget 1s", 0, Report("advice")),
    ("waits --wait 1ms --count 2 --json", 0, Report("waits")),
    ("waits --wait 1ms --count 2 --style seed", 0, Text),
    ("clocks no/such-clock", 2, Refusal),
    ("clocks --budget -1s", 2, Refusal),
    ("waits --wait 0ms", 2, Refusal),
    (ELSEWHERE, 3, Refusal),
];

/// A command that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs all of these commands.
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
    if out.status.code() != Some(exit) {
        bail!("{}, expected exit code {exit}: {errors}", out.status);
    }
    if errors.contains("panicked") {
        bail!("{errors}");
    }
    match shows {
        Text if out.stdout.is_empty() => bail!("nothing on stdout"),
        Refusal if errors.is_empty() => bail!("no message on stderr"),
        Text | Refusal => Ok(()),
        Report(key) => holds(&report::read(&out.stdout)?, key),
    }
}

/// Checks that a report is complete and that this key is not empty.
fn holds(report: &Value, key: &str) -> Result<()> {
    if report["run"]["complete"] != Value::Bool(true) {
        bail!("the report is not complete");
    }
    let empty = match &report[key] {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        other => other.is_null(),
    };
    if empty {
        bail!("`{key}` is empty in the report");
    }
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
        report::read(b"{}").unwrap_err();
        report::read(b"").unwrap_err();
    }
}
