//! Comparisons of two programs that take turns.

use crate::results::median;
use anyhow::{Context, Result};
use chronoscope_ci::{sh, tool};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use xshell::{Cmd, Shell};

/// The build of the tool that is compared.
#[derive(clap::Args)]
pub struct Tool {
    /// A build of the tool to use; a release build by default
    #[arg(long, value_name = "FILE")]
    pub tool: Option<PathBuf>,
}

impl Tool {
    pub fn get(&self, sh: &Shell) -> Result<PathBuf> {
        match &self.tool {
            Some(tool) => Ok(sh.current_dir().join(tool)),
            None => Ok(tool::release(sh)?.tool),
        }
    }

    /// Which build that is.
    pub fn words(&self) -> String {
        let named = self.tool.as_ref().map(|tool| format!("`{}`", tool.display()));
        named.unwrap_or_else(|| "the release build".into())
    }
}

/// The report that this command prints.
pub fn report(cmd: Cmd<'_>) -> Result<Value> {
    serde_json::from_str(&sh::read(cmd)?).context("cannot read the tool's report")
}

/// Runs two programs in turn, so that a slow period of the machine affects both, and each of them
/// first in every other round.
pub fn alternate<A, B>(
    rounds: usize,
    mut ours: impl FnMut() -> Result<A>,
    mut theirs: impl FnMut() -> Result<B>,
) -> Result<Vec<(A, B)>> {
    let round = |round| {
        println!("round {} of {rounds}", round + 1);
        if round % 2 == 0 {
            let first = ours()?;
            Ok((first, theirs()?))
        } else {
            let first = theirs()?;
            Ok((ours()?, first))
        }
    };
    (0..rounds).map(round).collect()
}

/// The median of a figure over all rounds.
pub fn middle<T>(rounds: &[T], of: impl Fn(&T) -> f64) -> Result<f64> {
    median(rounds.iter().map(of))
}

/// Nanoseconds per read with the loop: the typical cost, and that of the shortest batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub typical: f64,
    pub least: f64,
}

impl Cost {
    /// The throughput of a clock in the tool's report. It contains the empty loop, which other
    /// programs do not subtract.
    pub fn from_throughput(throughput: &Value) -> Result<Self> {
        let number = |key: &str| throughput[key].as_f64().with_context(|| format!("no {key}"));
        Ok(Self { typical: number("raw_ns")?, least: number("min_ns")? })
    }
}

/// The last CPU that this process may use, on which waits are measured.
pub fn last_cpu() -> Result<usize> {
    let status = fs::read_to_string("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = list.and_then(|list| list.trim().rsplit([',', '-']).next());
    last.and_then(|cpu| cpu.parse().ok()).context("/proc/self/status lists no CPUs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_goes_first_in_every_other_round() {
        let order = std::cell::RefCell::new(String::new());
        let run = |name| {
            order.borrow_mut().push_str(name);
            Ok(name)
        };
        let pairs = alternate(3, || run("a"), || run("b")).unwrap();
        assert_eq!((pairs, order.into_inner().as_str()), (vec![("a", "b"); 3], "abbaab"));
    }

    #[test]
    fn a_cost_needs_both_figures() {
        let cost = Cost::from_throughput(&json!({"raw_ns": 75.0, "min_ns": 74.0})).unwrap();
        assert_eq!((cost.typical, cost.least), (75.0, 74.0));
        assert!(Cost::from_throughput(&json!({"raw_ns": 75.0})).is_err());
    }
}
