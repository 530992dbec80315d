//! Compares waits with cyclictest (Debian's rt-tests): the same call on the same CPU with the same
//! period, slack and priority. The two programs alternate.

use crate::paired::{alternate, last_cpu, middle, report};
use crate::results;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::{sh, tool};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use xshell::{Shell, cmd};

/// Number of runs of each program for each case, alternating with the other program. Many short
/// runs are better than a few long ones: how soon a thread wakes depends on how deeply the
/// processor slept, and that depends on what else runs.
const ROUNDS: usize = 21;
/// Number of waits in each run, 1 ms each.
const WAITS: &str = "500";
/// The two programs agree if their medians differ by at most this share, or this many microseconds.
const SHARE: f64 = 0.10;
const US: f64 = 2.0;

/// One configuration in which both programs run.
struct Case {
    name: &'static str,
    slack: Option<u64>,
    priority: Option<u32>,
}

const CASES: [Case; 3] = [
    Case { name: "default slack", slack: None, priority: None },
    Case { name: "slack 1 ns", slack: Some(1), priority: None },
    Case { name: "SCHED_FIFO 40", slack: None, priority: Some(40) },
];

/// Runs both programs and updates docs/RESULTS.md.
pub fn run(sh: &Shell) -> Result<()> {
    let version = version(sh)?;
    let tool = tool::release(sh)?.tool;
    let cpu = last_cpu()?;
    let mut table = String::from(
        "| case | chronoscope p50 | cyclictest p50 | difference | chronoscope max \
         | cyclictest max |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut apart = Vec::new();
    for case in &CASES {
        let runs =
            alternate(ROUNDS, || chronoscope(sh, &tool, case, cpu), || cyclictest(sh, case, cpu))?;
        let (a, b) = (middle(&runs, |(own, _)| own.p50)?, middle(&runs, |(_, theirs)| theirs.p50)?);
        // Differences of consecutive runs, so that a slow period of the machine affects both.
        let apart_by = middle(&runs, |(own, theirs)| own.p50 - theirs.p50)?;
        let worst = |of: fn(&(Figures, Figures)) -> f64| runs.iter().map(of).fold(0.0, f64::max);
        writeln!(
            table,
            "| {} | {a:.1} us | {b:.1} us | {apart_by:+.1} us, {:+.1} % | {:.0} us | {:.0} us |",
            case.name,
            apart_by / b * 100.0,
            worst(|(own, _)| own.max),
            worst(|(_, theirs)| theirs.max)
        )?;
        if apart_by.abs() > US.max(b * SHARE) {
            apart.push(case.name);
        }
    }
    let part = format!(
        "## Waits, compared with cyclictest\n\n\
         `cargo research crosscheck-waits`, {version} with `--default-system`, so that it \
         leaves idle states alone. clock_nanosleep until a deadline every 1 ms on CPU {cpu}, in \
         {ROUNDS} alternating runs of {WAITS} waits: medians of the runs' medians, the median \
         difference of consecutive runs, and the maximum of all. Of cyclictest's whole \
         microseconds, the middle is used.\n\n{table}"
    );
    results::publish(sh, "waits", &part, false)?;
    let names = apart.join(", ");
    ensure!(apart.is_empty(), "the medians differ by more than {US} us and 10 %: {names}");
    Ok(())
}

/// The version of cyclictest, from its help.
fn version(sh: &Shell) -> Result<String> {
    let help = cmd!(sh, "cyclictest --help").quiet().ignore_status().output();
    let help = help.context("cyclictest is missing: install Debian's rt-tests")?;
    let help = [help.stderr, help.stdout].concat();
    let help = String::from_utf8_lossy(&help);
    let version = help.lines().find(|line| line.starts_with("cyclictest V"));
    Ok(version.unwrap_or("cyclictest").trim().to_owned())
}

/// Median and maximum of the overshoot, in microseconds.
struct Figures {
    p50: f64,
    max: f64,
}

fn chronoscope(sh: &Shell, tool: &Path, case: &Case, cpu: usize) -> Result<Figures> {
    let slack = case.slack.map_or("default".into(), |ns| format!("{ns}ns"));
    let cpu = cpu.to_string();
    let priority = case.priority.map(|priority| format!("--priority={priority}"));
    let report = report(cmd!(
        sh,
        "{tool} waits linux/clock_nanosleep-abs --period 1ms --count {WAITS} --json -q
         --slack {slack} --cpu {cpu} {priority...}"
    ))?;
    let row = report.pointer("/waits/0").context("no row in the report")?;
    let us = |key: &str| row.pointer(key).and_then(Value::as_f64).map(|ns| ns / 1000.0);
    Ok(Figures {
        p50: us("/overshoot/p50_ns").context("no median in the report")?,
        max: us("/max_ns").context("no maximum in the report")?,
    })
}

fn cyclictest(sh: &Shell, case: &Case, cpu: usize) -> Result<Figures> {
    let priority = case.priority.map_or("-p0 --policy=other".into(), |p| format!("-p{p}"));
    let slack = case.slack.map_or(String::new(), |ns| {
        // cyclictest does not set the slack. It does try real-time scheduling, after which the
        // kernel resets a thread to its default slack. That is the slack of the thread that forked
        // it (prctl(2), PR_SET_TIMERSLACK), so the shell must fork here and must not exec
        // cyclictest.
        format!("echo {ns} > /proc/$$/timerslack_ns && ")
    });
    let line = format!(
        "{slack}cyclictest --default-system -q -t1 -a{cpu} -i1000 -l{WAITS} -h5000 {priority}; \
         exit $?"
    );
    figures(&sh::read(cmd!(sh, "sh -c {line}"))?)
}

/// Reads median and maximum from cyclictest's histogram.
fn figures(text: &str) -> Result<Figures> {
    let mut counts: Vec<(f64, u64)> = Vec::new();
    let mut max = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# Max Latencies:") {
            max = rest.trim().parse().ok();
        }
        let mut words = line.split_whitespace();
        if let (Some(Ok(us)), Some(Ok(n))) =
            (words.next().map(str::parse), words.next().map(str::parse))
        {
            counts.push((us, n));
        }
    }
    let total: u64 = counts.iter().map(|c| c.1).sum();
    let mut seen = 0;
    let middle = counts.iter().find(|c| {
        seen += c.1;
        seen * 2 >= total
    });
    Ok(Figures {
        p50: middle.context("cyclictest printed no histogram")?.0 + 0.5,
        max: max.context("cyclictest printed no maximum")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_histogram_is_found() {
        let text = "# Histogram\n000050 000001\n000052 000003\n# Max Latencies: 00060\n";
        let found = figures(text).unwrap();
        assert_eq!((found.p50, found.max), (52.5, 60.0));
        assert!(figures("").is_err());
    }
}
