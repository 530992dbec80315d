//! Scenarios in processes on this machine.

use super::judge::Outcome;
use super::programs::{Programs, folder};
use super::scenario::{Process, Scenario};
use anyhow::{Context, Result};
use chronoscope_ci::sh;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A tool that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the tool with the fault, and returns what the tool wrote.
pub fn run(scenario: &Scenario, process: &Process, programs: &mut Programs<'_>) -> Result<Outcome> {
    let own = folder().join(scenario.name);
    fs::create_dir_all(&own)?;
    let [inner, proof, report, errors] =
        ["inner", "proof", "report", "errors"].map(|name| own.join(name));
    fs::write(
        &inner,
        format!(
            "{{\n{}\n}} > \"$proof\" 2>&1\nexec {} \"$tool\" {}\n",
            scenario.proof, process.around, scenario.run
        ),
    )?;
    // The inner shell is linked statically: whatever is denied to a process, it starts.
    let script = format!("exec {} /bin/busybox sh \"$inner\"", process.before);
    // If this program ends, `timeout` gets the signal and passes it on to all that it started.
    let status = Command::new("nice")
        .args(["setpriv", "--pdeathsig", "TERM"])
        .args(sh::within(LIMIT))
        .args(["sh", "-c", &script])
        .env("tool", programs.native(process.tool)?)
        .env("inner", &inner)
        .env("proof", &proof)
        .env("plant", programs.plant("gcc")?)
        .env("backwards", programs.backwards()?)
        .current_dir(&own)
        .stdin(Stdio::null())
        .stdout(File::create(&report)?)
        .stderr(File::create(&errors)?)
        .status()
        .context("cannot run a process of the lab")?;
    let text = |file| {
        let bytes = fs::read(file).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let code = status.code();
    Ok(Outcome {
        proof: text(&proof),
        report: text(&report),
        errors: text(&errors),
        code: code.map_or_else(|| status.to_string(), |code| code.to_string()),
    })
}
