//! Reports that are checked in: a small one of each target in `docs/reports`, which shows what the
//! tool finds there, and smaller ones of each command, which tests read and compare.

use super::build::Extent;
use crate::sh::Runner;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use xshell::{Shell, cmd};

/// The budget is enough for every clock and a few waits, and keeps the file small.
const MAIN: &str = "--all --budget 10s";
/// The wait routines of Windows, as the text that compares them shows them.
const WAITS: &str = "waits --preset windows-waits --wait 100ms --load none";
const LIMIT: Duration = Duration::from_secs(120);

/// Where the samples are.
const SAMPLES: &str = "crates/cli/tests/data/reports";
/// A sample: its name, and the words of its command.
type Sample = (&'static str, &'static str);
/// The samples of every target.
const EVERYWHERE: [Sample; 5] = [
    ("clocks", "clocks posix rust cxx windows --budget 1s"),
    ("waits", "waits rust --wait 100us,1ms --count 50 --load none"),
    ("trust", "trust --duration 1s"),
    ("doctor", "doctor --quick"),
    ("hardware", "hardware"),
];
/// The samples of this machine only.
const NATIVE: [Sample; 10] = [
    ("clocks-again", "clocks posix rust cxx windows --budget 1s"),
    ("clocks-loaded", "clocks posix rust --budget 1s --load normal"),
    ("deltas", "deltas posix/monotonic --reads 10000"),
    ("calls", "calls posix/monotonic --budget 200ms"),
    ("overhead", "overhead rust/instant 99 99 99"),
    ("waits-loaded", "waits rust --wait 100us,1ms --count 50 --load low,normal"),
    ("runtimes", "runtimes python perl --budget 2s"),
    ("sweep", "sweep posix --budget 2s"),
    ("advise", "advise --for interval --budget 1s"),
    ("main", "--budget 2s"),
];

/// Writes reports of a target: [`write`] or [`samples`].
type Write = fn(&Shell, &str, &Runner, &Path) -> Result<Done>;

/// The target that this machine is.
const HERE: &str = "x86_64-unknown-linux-gnu";

/// Writes the reports of this machine.
pub fn native(sh: &Shell, extent: Extent, write: Write) -> Result<Done> {
    let tool = if extent.release {
        tool::release(sh)?.tool
    } else {
        sh::run(cmd!(sh, "cargo build --quiet --bin chronoscope"))?;
        sh::target().join("debug/chronoscope")
    };
    write(sh, HERE, &Runner::default(), &tool)
}

/// Writes the report of a target, and of Windows also one of its wait routines.
pub fn write(sh: &Shell, triple: &str, runner: &Runner, tool: &Path) -> Result<Done> {
    let write =
        |words, name: &str| report(sh, runner, tool, words, &format!("docs/reports/{name}"));
    write(MAIN, &format!("{triple}.json"))?;
    if triple.contains("windows") {
        write(WAITS, &format!("waits.{triple}.json"))?;
    }
    Ok(Done::one())
}

/// Writes a report of each command. Each is tried, even if another fails.
pub fn samples(sh: &Shell, triple: &str, runner: &Runner, tool: &Path) -> Result<Done> {
    let mut done = Done::default();
    let native = if triple == HERE { &NATIVE[..] } else { &[] };
    for (name, words) in EVERYWHERE.iter().chain(native) {
        let path = format!("{SAMPLES}/{name}.{triple}.json");
        done.check(&format!("chronoscope {words}"), report(sh, runner, tool, words, &path));
    }
    Ok(done)
}

/// Runs the tool with these words and writes its report.
fn report(sh: &Shell, runner: &Runner, tool: &Path, words: &str, path: &str) -> Result<()> {
    let report = measured(sh, runner, tool, words, LIMIT)?;
    sh.write_file(path, format!("{report}\n"))?;
    println!("{path}");
    Ok(())
}

/// Runs the tool with these words and returns its report as it is checked in: short, and without
/// the places of programs.
pub fn measured(
    sh: &Shell,
    runner: &Runner,
    tool: &Path,
    words: &str,
    limit: Duration,
) -> Result<Value> {
    let run = runner.start_within(sh, limit, tool).args(words.split(' '));
    let mut report = tool::read_report(sh::read(run.args(["--json", "--quiet"]))?.as_bytes())?;
    // The path of the tool does not matter to others.
    report["run"]["argv"][0] = "chronoscope".into();
    let sections = report.as_object_mut().into_iter().flat_map(|map| map.values_mut());
    for section in sections.filter(|section| section.is_array()) {
        tool::each(section, "", &mut shorten);
    }
    tool::each(&mut report, "", &mut hide_place);
    tool::follows_schema(&report)?;
    Ok(report)
}

/// The folders of programs that are the same on many machines.
const USUAL: [&str; 3] = ["/usr/", "/bin/", "/opt/"];

/// Replaces the path of a program that shows how this machine is set up by the usual one.
fn hide_place(key: &str, value: &mut Value) {
    let Value::String(path) = value else { return };
    let usual = USUAL.iter().any(|folder| path.starts_with(folder));
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    let hidden = key == "program" && path.starts_with('/') && !usual;
    if let Some(name) = name.filter(|_| hidden) {
        *path = format!("/usr/bin/{name}");
    }
}

/// Rounds figures to the digits that their intervals can support, because the file is for reading
/// and comparing.
fn shorten(_: &str, value: &mut Value) {
    let figure = value.as_f64().filter(|_| value.is_f64());
    let rounded = figure.and_then(|x| format!("{x:.5e}").parse().ok());
    if let Some(short) = rounded.and_then(serde_json::Number::from_f64) {
        *value = short.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_rounded_but_counts_are_not() {
        let mut value = json!({"a": [1.23456789, 1e19, -0.0], "n": 123456789, "b": null});
        tool::each(&mut value, "", &mut shorten);
        let short = json!({"a": [1.23457, 1e19, -0.0], "n": 123456789, "b": null});
        assert_eq!(value, short);
    }

    #[test]
    fn programs_in_unusual_places_are_shown_in_the_usual_one() {
        let row = |program: &str| json!({"runtimes": [{"program": program, "id": "/elsewhere/x"}]});
        let cases = [
            ("/elsewhere/shims/python3", "/usr/bin/python3"),
            ("/usr/local/bin/node", "/usr/local/bin/node"),
            ("/opt/jdk-21/bin/java", "/opt/jdk-21/bin/java"),
            ("dotnet", "dotnet"),
            ("/", "/"),
        ];
        for (found, shown) in cases {
            let mut report = row(found);
            tool::each(&mut report, "", &mut hide_place);
            assert_eq!(report, row(shown));
        }
    }
}
