//! The chronoscope tool itself.

use super::run::{IDS, Interval, Run};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xshell::Shell;
use xtask::{sh, tool};

/// The results of one run.
pub struct Ours {
    pub run: Run<Cost>,
    pub environment: Value,
    pub ruler: Value,
}

/// The part of the model's `Estimate` that is compared.
#[derive(Deserialize, Clone, Copy)]
pub struct Cost {
    /// Without the cost of the empty loop.
    pub value_ns: f64,
    low_ns: f64,
    high_ns: f64,
    /// Including the empty loop, for comparison with tools that do not subtract it.
    pub raw_ns: f64,
    /// `raw_ns` scaled to the highest frequency that the core reached.
    #[serde(skip)]
    pub fastest_ns: f64,
}

impl Cost {
    pub fn interval(&self) -> Interval {
        Interval { value: self.value_ns, low: self.low_ns, high: self.high_ns }
    }
}

pub fn build(sh: &Shell) -> Result<PathBuf> {
    Ok(tool::release(sh)?.tool)
}

pub fn measure(sh: &Shell, tool: &Path, cpu: usize) -> Result<Ours> {
    let start = Instant::now();
    let pinned = sh::words(sh, sh::pinned(cpu)).arg(tool);
    let clocks = pinned.args(["clocks", "--json", "--quiet", "--cpu", &cpu.to_string()]);
    let text = sh::read(clocks.args(IDS))?;
    let time = start.elapsed();
    let mut report: Value =
        serde_json::from_str(&text).context("cannot read chronoscope's report")?;
    let core = &report["ruler"]["noise"]["core"];
    let fastest = match (core["hz"].as_f64(), core["high_hz"].as_f64()) {
        (Some(usual), Some(highest)) => usual / highest,
        _ => 1.0,
    };
    let mut of = BTreeMap::new();
    for clock in report["clocks"].as_array().into_iter().flatten() {
        let id = clock["id"].as_str().unwrap_or_default();
        if clock["available"] != Value::Bool(true) {
            bail!("{id} is unavailable: {}", clock["unavailable_reason"]);
        }
        let mut cost = Cost::deserialize(&clock["cost"]["throughput"])
            .with_context(|| format!("no throughput of {id} in the report"))?;
        cost.fastest_ns = cost.raw_ns * fastest;
        of.insert(id.to_owned(), cost);
    }
    Ok(Ours {
        run: Run { of, time },
        environment: report["environment"].take(),
        ruler: report["ruler"].take(),
    })
}
