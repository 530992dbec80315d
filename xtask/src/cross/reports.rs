//! A small report of each target, kept in `docs/reports`: what the tool finds there, and something
//! for `chronoscope compare` to read.

use crate::sh;
use crate::suite::follows_schema;
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// Long enough for every clock and a few waits, and short enough that the file stays small.
const ARGS: [&str; 3] = ["--json", "--budget", "10s"];
const LIMIT: Duration = Duration::from_secs(120);

/// The report of this machine, by the tool as users build it.
pub fn native() -> Result<()> {
    sh::run(sh::cargo().args(["build", "--release", "--quiet", "-p", "chronoscope-cli"]))?;
    let tool = sh::target().join("release/chronoscope");
    write("x86_64-unknown-linux-gnu", sh::program(tool))
}

/// Writes the report that the tool makes.
pub fn write(triple: &str, mut tool: Command) -> Result<()> {
    let text = sh::capture(&mut sh::within(LIMIT, tool.args(ARGS)))?;
    let mut report: Value = serde_json::from_str(&text).context("what it printed is no JSON")?;
    // Where the tool lay is this machine's affair.
    report["run"]["argv"][0] = "chronoscope".into();
    shorten(&mut report["clocks"]);
    shorten(&mut report["waits"]);
    follows_schema(&report)?;
    let path = sh::root().join(format!("docs/reports/{triple}.json"));
    sh::write(&path, format!("{report}\n"))?;
    println!("docs/reports/{triple}.json");
    Ok(())
}

/// Rounds what has more digits than any interval supports: the file is for reading and comparing.
fn shorten(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        Value::Number(number) if number.is_f64() => {
            let rounded = number
                .as_f64()
                .and_then(|x| format!("{x:.5e}").parse().ok());
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

    #[test]
    fn figures_are_rounded_and_counts_are_not() {
        let mut value =
            serde_json::json!({"a": [1.23456789, 1e19, -0.0], "n": 123456789, "b": null});
        shorten(&mut value);
        let short = serde_json::json!({"a": [1.23457, 1e19, -0.0], "n": 123456789, "b": null});
        assert_eq!(value, short);
    }
}
