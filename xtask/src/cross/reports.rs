//! Writes a small report of each target to `docs/reports`: what the tool finds there, for
//! comparison with other reports.

use super::build::Built;
use crate::runner::Runner;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use xshell::Shell;

/// The budget is enough for every clock and a few waits, and keeps the file small.
const ARGS: [&str; 4] = ["--all", "--json", "--budget", "10s"];
const LIMIT: Duration = Duration::from_secs(120);

/// Writes the report of this machine, made by the tool as users build it.
pub fn native(sh: &Shell) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    report(sh, "x86_64-unknown-linux-gnu", &Runner::default(), &tool)
}

/// Writes the report of a target.
pub fn write(sh: &Shell, runner: &Runner, built: &Built) -> Result<Done> {
    report(sh, built.target.triple, runner, &built.tool()).map(|()| Done::one())
}

/// Runs the tool and writes its report.
fn report(sh: &Shell, triple: &str, runner: &Runner, tool: &Path) -> Result<()> {
    let text = sh::read(runner.start_within(sh, LIMIT, tool).args(ARGS))?;
    let mut report = tool::read_report(text.as_bytes())?;
    // The path of the tool does not matter to others.
    report["run"]["argv"][0] = "chronoscope".into();
    shorten(&mut report["clocks"]);
    shorten(&mut report["waits"]);
    tool::follows_schema(&report)?;
    let path = format!("docs/reports/{triple}.json");
    sh.write_file(&path, format!("{report}\n"))?;
    println!("{path}");
    Ok(())
}

/// Rounds figures to the digits that their intervals can support, because the file is for reading
/// and comparing.
fn shorten(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|x| format!("{x:.5e}").parse().ok());
            if let Some(short) = rounded.and_then(serde_json::Number::from_f64) {
                *number = short;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_rounded_but_counts_are_not() {
        let mut value = json!({"a": [1.23456789, 1e19, -0.0], "n": 123456789, "b": null});
        shorten(&mut value);
        let short = json!({"a": [1.23457, 1e19, -0.0], "n": 123456789, "b": null});
        assert_eq!(value, short);
    }
}
