//! The pages that are opened, and the reports that they are made of.

use crate::sh;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// A page, and the reports that it was made of.
pub struct Sample {
    pub name: &'static str,
    pub file: PathBuf,
    pub reports: Vec<PathBuf>,
    pub most_bytes: u64,
}

/// What a page of a usual report may have, and one with a hundred histograms or with figures of
/// three hundred digits.
const USUAL: u64 = 500_000;
const LARGE: u64 = 3_000_000;

/// Pages of checked-in reports: name, command, samples, most bytes. The first one is that of the
/// main command.
const PAGES: [(&str, &str, &[&str], u64); 11] = [
    ("main", "report", &["main"], USUAL),
    ("clocks", "report", &["clocks"], USUAL),
    ("deltas", "report", &["deltas"], USUAL),
    ("waits", "report", &["waits"], USUAL),
    ("trust", "report", &["trust"], USUAL),
    ("runtimes", "report", &["runtimes"], USUAL),
    ("sweep", "report", &["sweep"], USUAL),
    ("doctor", "report", &["doctor"], USUAL),
    ("sections", "report", &["clocks", "deltas", "waits", "trust"], USUAL),
    ("several", "report", &["clocks", "clocks-again", "clocks-loaded"], USUAL),
    ("compare", "compare", &["clocks", "clocks-again"], USUAL),
];

/// What runs or requests something if a page does not escape it.
const HOSTILE: &str = "</script><script>window.__evil=1</script>\"'><img src=http://127.0.0.1:1/x \
                       onerror=window.__evil=2>\u{1}\u{202e}=cmd()";

/// How a sample is changed.
type Change = fn(&mut Value);

/// Makes all pages.
pub fn pages(sh: &Shell, tool: &Path, to: &Path) -> Result<Vec<Sample>> {
    let samples = sh::root().join("crates/cli/tests/data/reports");
    let report = |name: &str| samples.join(format!("{name}.x86_64-unknown-linux-gnu.json"));
    sh.create_dir(to)?;
    let mut made = Vec::new();
    for (name, command, of, most_bytes) in PAGES {
        let reports: Vec<PathBuf> = of.iter().map(|name| report(name)).collect();
        made.push(page(sh, tool, to, (name, command), reports, most_bytes)?);
    }
    let changed: [(&'static str, &str, Change, u64); 5] = [
        ("hostile", "main", |report| strings(report, false), USUAL),
        ("hostile-waits", "waits", |report| strings(report, false), USUAL),
        ("extreme", "main", |report| numbers(report, 1e308), LARGE),
        ("empty", "main", empty, USUAL),
        ("hundred", "waits", hundred, LARGE),
    ];
    for (name, of, change, most_bytes) in changed {
        let mut changed: Value = serde_json::from_str(&sh.read_file(report(of))?)?;
        change(&mut changed);
        let file = to.join(format!("{name}.json"));
        sh.write_file(&file, serde_json::to_string(&changed)?)?;
        made.push(page(sh, tool, to, (name, "report"), vec![file], most_bytes)?);
    }
    Ok(made)
}

fn page(
    sh: &Shell,
    tool: &Path,
    to: &Path,
    (name, command): (&'static str, &str),
    reports: Vec<PathBuf>,
    most_bytes: u64,
) -> Result<Sample> {
    let file = to.join(format!("{name}.html"));
    sh.remove_path(&file)?;
    let sources = &reports;
    sh::read(cmd!(sh, "{tool} {command} {sources...} -o {file}"))
        .with_context(|| format!("cannot make the page `{name}`"))?;
    Ok(Sample { name, file, reports, most_bytes })
}

/// Makes every name and text hostile that a program may write freely.
fn strings(value: &mut Value, free: bool) {
    const FREE: [&str; 10] =
        ["id", "title", "model", "call", "text", "evidence", "fix", "name", "os", "short"];
    match value {
        Value::String(text) if free => text.push_str(HOSTILE),
        Value::Array(all) => all.iter_mut().for_each(|value| strings(value, free)),
        Value::Object(all) => {
            for (key, it) in all.iter_mut() {
                strings(it, FREE.contains(&key.as_str()));
            }
        }
        _ => {}
    }
}

/// Replaces every number with a fraction, all of which are figures.
fn numbers(value: &mut Value, by: f64) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(by),
        Value::Array(all) => all.iter_mut().for_each(|value| numbers(value, by)),
        Value::Object(all) => all.values_mut().for_each(|value| numbers(value, by)),
        _ => {}
    }
}

/// Leaves nothing that was measured.
fn empty(report: &mut Value) {
    for (_, list) in report.as_object_mut().into_iter().flatten() {
        if let Value::Array(list) = list {
            list.clear();
        }
    }
}

/// A hundred waits, each of its own duration, so that each has its own curve.
fn hundred(report: &mut Value) {
    let waits = report["waits"].as_array().cloned().unwrap_or_default();
    let measured: Vec<Value> =
        waits.into_iter().filter(|wait| wait["samples"].as_u64().is_some_and(|n| n > 0)).collect();
    let all = measured.iter().cycle().take(100).enumerate().map(|(nth, wait)| {
        let mut wait = wait.clone();
        let round = nth / measured.len().max(1);
        wait["requested_ns"] = json!((round + 1) * 100_000);
        wait
    });
    report["waits"] = all.collect();
}
