//! Compares the verdicts of `chronoscope trust` with those of programs that others trust: the
//! kernel's own selftests of timers and of the vDSO (from Debian's linux-source), and
//! `fio --cpuclock-test`. Each runs on this machine, one after the other, next to a run of ours.

use crate::paired::{Tool, report};
use crate::results;
use anyhow::{Context, Result, bail, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::sh;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

/// Debian's package of the kernel's source, and the folder in it.
const SOURCE: &str = "/usr/src/linux-source-6.1.tar.xz";
const FOLDER: &str = "linux-source-6.1";
/// What is unpacked: nothing that sets the time or changes the clock source is built.
const PARTS: [&str; 4] = [
    "tools/testing/selftests/timers",
    "tools/testing/selftests/vDSO",
    "tools/testing/selftests/kselftest.h",
    "tools/include",
];
/// The longest time that one of the programs may take.
const LIMIT: Duration = Duration::from_secs(300);
/// How long chronoscope watches before each of the other programs runs.
const WATCHED: &str = "10s";

/// A program, and the part of our report that answers the same question.
struct Check {
    name: &'static str,
    asks: &'static str,
    /// The source below `tools/testing/selftests`; empty for a program that is installed.
    source: &'static str,
    args: &'static [&'static str],
    ours: fn(&Value) -> Option<bool>,
}

const CHECKS: &[Check] = &[
    Check {
        name: "inconsistency-check",
        asks: "does a clock go back on one thread?",
        source: "timers/inconsistency-check.c",
        args: &["-t", "5"],
        ours: |trust| none(trust, "/one_thread/violations"),
    },
    Check {
        name: "threadtest",
        asks: "does a clock go back between threads?",
        source: "timers/threadtest.c",
        args: &["-t", "20"],
        ours: |trust| none(trust, "/handed/backwards"),
    },
    Check {
        name: "raw_skew",
        asks: "is the clock slewed as adjtimex(2) says?",
        source: "timers/raw_skew.c",
        args: &[],
        ours: slewed_as_stated,
    },
    Check {
        name: "vdso_test_gettimeofday",
        asks: "does the vDSO give the time?",
        source: "vDSO/vdso_test_gettimeofday.c",
        args: &[],
        ours: vdso_agrees,
    },
    Check {
        name: "vdso_test_correctness",
        asks: "does the vDSO agree with the system call?",
        source: "vDSO/vdso_test_correctness.c",
        args: &[],
        ours: vdso_agrees,
    },
    Check {
        name: "fio --cpuclock-test",
        asks: "does the TSC agree between CPUs?",
        source: "",
        args: &["--cpuclock-test"],
        ours: in_step,
    },
];

/// Runs all checks and updates docs/RESULTS.md.
pub fn run(sh: &Shell, tool: &Tool) -> Result<()> {
    packages::require(sh, &[Need::Build, Need::CrosscheckTrust])?;
    let tool = tool.get(sh)?;
    let folder = unpacked(sh)?;
    let mut table = String::from(
        "| program | question | its verdict | chronoscope | agree |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    let (mut apart, mut machine) = (Vec::new(), String::new());
    for check in CHECKS {
        let report = report(cmd!(sh, "{tool} trust --duration {WATCHED} --json -q"))?;
        machine = results::machine(&report);
        let trust = report.get("trust").context("no trust in the report")?;
        let ours = (check.ours)(trust);
        let theirs = verdict(sh, check, &folder)?;
        let agree = theirs.zip(ours).map(|(theirs, ours)| theirs == ours);
        if agree == Some(false) {
            apart.push(check.name);
        }
        writeln!(
            table,
            "| `{}` | {} | {} | {} | {} |",
            check.name,
            check.asks,
            word(theirs, ["passes", "fails", "skipped"]),
            word(ours, ["passes", "fails", "unknown"]),
            word(agree, ["yes", "**no**", "-"]),
        )?;
    }
    let part = format!(
        "## Trust, compared with the kernel's selftests and fio\n\n\
         `cargo research crosscheck-trust`, on {machine}. The selftests are those of Debian's \
         linux-source-6.1, built from their source; before each, chronoscope watched the clocks \
         for {WATCHED}. A verdict is that of the exit code.\n\n{table}"
    );
    results::publish(sh, "trust", &part, false)?;
    ensure!(apart.is_empty(), "the verdicts differ: {}", apart.join(", "));
    Ok(())
}

fn word(holds: Option<bool>, [yes, no, unknown]: [&str; 3]) -> &str {
    holds.map_or(unknown, |holds| if holds { yes } else { no })
}

/// The folder with the selftests, unpacked once.
fn unpacked(sh: &Shell) -> Result<PathBuf> {
    let target = sh::target().join("selftests");
    let folder = target.join(FOLDER).join("tools/testing/selftests");
    if !folder.join("vDSO").exists() {
        fs::create_dir_all(&target)?;
        let parts = PARTS.map(|part| format!("{FOLDER}/{part}"));
        sh::run(cmd!(sh, "tar -xf {SOURCE} -C {target} {parts...}"))?;
    }
    Ok(folder)
}

/// Whether the program passes; `None` if it skips its own test.
fn verdict(sh: &Shell, check: &Check, folder: &Path) -> Result<Option<bool>> {
    let program = match check.source {
        "" => PathBuf::from(check.name.split(' ').next().unwrap_or_default()),
        source => built(sh, check.name, &folder.join(source))?,
    };
    let limit = sh::within(LIMIT);
    let mut words: Vec<String> = limit.into();
    words.push(program.to_string_lossy().into_owned());
    words.extend(check.args.iter().map(ToString::to_string));
    println!("$ {}", words.join(" "));
    let out = sh::words(sh, &words).quiet().ignore_status().output()?;
    // Exit codes of kselftest.h: 0 passed, 4 skipped.
    match out.status.code() {
        Some(0) => Ok(Some(true)),
        Some(4) => Ok(None),
        Some(124 | 137) => bail!("{} did not end within {LIMIT:?}", check.name),
        _ => {
            let text = String::from_utf8_lossy(&out.stdout);
            let last: Vec<&str> = text.lines().rev().take(5).collect();
            println!("  {}: {}", out.status, last.join(" / "));
            Ok(Some(false))
        }
    }
}

/// Compiles one of the selftests, as its Makefile does.
fn built(sh: &Shell, name: &str, source: &Path) -> Result<PathBuf> {
    let folder = source.parent().context("a source lies in a folder")?;
    let out = folder.join(name);
    let mut sources = vec![source.to_owned()];
    let text = fs::read_to_string(source).with_context(|| source.display().to_string())?;
    if text.contains("parse_vdso.h") {
        sources.push(folder.join("parse_vdso.c"));
    }
    let tools = folder.join("../../../include");
    let flags = ["-O2", "-std=gnu99", "-w"];
    sh::run(cmd!(sh, "gcc {flags...} -I {tools} -o {out} {sources...} -lrt -lpthread -lm -ldl"))?;
    Ok(out)
}

/// Whether a count is 0 for every clock of the system; `None` if none has it. A bare read of the
/// counter may be out of order between threads, and none of the other programs reads it.
fn none(trust: &Value, pointer: &str) -> Option<bool> {
    let clocks = trust.get("clocks")?.as_array()?;
    let of_system = |clock: &&Value| {
        let built_on = clock.pointer("/facts/built_on").and_then(Value::as_str);
        built_on == Some("clock-source")
    };
    let counts = clocks.iter().filter(of_system);
    let counts: Vec<u64> = counts.filter_map(|clock| clock.pointer(pointer)?.as_u64()).collect();
    (!counts.is_empty()).then(|| counts.iter().all(|count| *count == 0))
}

/// Whether the rate of the monotonic clock against the raw one is what the kernel says it set, to
/// within what raw_skew accepts: 1 ppm (timers/raw_skew.c, 1000 ppb).
fn slewed_as_stated(trust: &Value) -> Option<bool> {
    let found = trust.pointer("/wall/slew/ppm")?.as_f64()?;
    let line = trust.pointer("/wall/adjtimex/1")?.as_str()?;
    let field = |name: &str| -> Option<f64> {
        let mut fields = line.split(", ");
        let value = fields.find_map(|field| field.strip_prefix(name))?;
        value.split_whitespace().next()?.parse().ok()
    };
    // `freq` has a fraction of 16 bits; `tick` is 10,000 us of 100 ticks per second (adjtimex(2)).
    let stated = field("freq ")? / 65_536.0 + (field("tick ")? / 10_000.0 - 1.0) * 1e6;
    Some((found - stated).abs() <= 1.0)
}

fn vdso_agrees(trust: &Value) -> Option<bool> {
    let all = trust.get("sandwiches")?.as_array()?;
    let bad = |one: &Value| one["below"].as_u64() != Some(0) || one["above"].as_u64() != Some(0);
    (!all.is_empty()).then(|| !all.iter().any(bad))
}

fn in_step(trust: &Value) -> Option<bool> {
    let pairs = trust.pointer("/matrix/pairs")?.as_array()?;
    let sound = |pair: &Value| {
        let offsets = pair["offsets"].as_array().cloned().unwrap_or_default();
        let fits = |offset: &Value| {
            let (by, open) = (offset["offset_ns"].as_f64(), offset["uncertainty_ns"].as_f64());
            by.zip(open).is_some_and(|(by, open)| by.abs() <= open)
        };
        pair.pointer("/handed/backwards").and_then(Value::as_u64) == Some(0)
            && offsets.iter().all(fits)
    };
    (!pairs.is_empty()).then(|| pairs.iter().all(sound))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn our_verdicts_follow_from_the_figures() {
        let trust = |back: u64, offset: f64, slew: f64| {
            json!({
                "clocks": [
                    {
                        "facts": { "built_on": "clock-source" },
                        "one_thread": { "violations": back },
                    },
                    {
                        "facts": { "built_on": "counter" },
                        "one_thread": { "violations": 9 },
                    },
                ],
                "matrix": { "pairs": [{
                    "handed": { "backwards": 0 },
                    "offsets": [{ "offset_ns": offset, "uncertainty_ns": 50.0 }],
                }] },
                "sandwiches": [{ "below": 0, "above": back }],
                "wall": {
                    "slew": { "ppm": slew },
                    "adjtimex": ["", "returned 5, status 0x0040, freq 655360, tick 10000 us"],
                },
            })
        };
        let good = trust(0, -20.0, 10.2);
        assert_eq!(none(&good, "/one_thread/violations"), Some(true));
        assert_eq!(in_step(&good), Some(true));
        assert_eq!(vdso_agrees(&good), Some(true));
        assert_eq!(slewed_as_stated(&good), Some(true));
        let bad = trust(1, 70.0, 0.0);
        assert_eq!(none(&bad, "/one_thread/violations"), Some(false));
        assert_eq!(in_step(&bad), Some(false));
        assert_eq!(vdso_agrees(&bad), Some(false));
        assert_eq!(slewed_as_stated(&bad), Some(false));
        assert_eq!(none(&json!({}), "/one_thread/violations"), None);
        assert_eq!(in_step(&json!({ "matrix": { "pairs": [] } })), None);
    }
}
