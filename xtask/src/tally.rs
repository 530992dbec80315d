//! Counts tests and checks.

use crate::sh;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::ops::AddAssign;
use xshell::Cmd;

/// The numbers of passed, failed and skipped tests and checks.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Done {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    /// What was skipped or failed, and why.
    pub reasons: Vec<String>,
}

impl Done {
    /// The result of one check that passed.
    pub fn one() -> Self {
        Self { passed: 1, ..Self::default() }
    }

    /// The result of one step that failed as a whole.
    pub fn failed(why: String) -> Self {
        Self { failed: 1, reasons: vec![why], ..Self::default() }
    }

    /// The result of one skipped check, with the reason.
    pub fn skipped(why: String) -> Self {
        Self { skipped: 1, reasons: vec![why], ..Self::default() }
    }

    /// The result in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self { failed: 1.., .. } => "FAILED",
            Self { passed: 0, .. } => "skipped",
            _ => "passed",
        }
    }

    /// Adds one named check and prints its result.
    pub fn check(&mut self, name: &str, ended: Result<()>) {
        match ended {
            Ok(()) => {
                println!("{name}: ok");
                self.passed += 1;
            }
            Err(error) => {
                let why = format!("{name}: FAILED: {error:#}");
                println!("{why}");
                *self += Self::failed(why);
            }
        }
    }

    /// Runs a program that prints a line of JSON for each of its checks, with `name` and, if it
    /// failed, `why`, and adds them. `name` is that of the program.
    pub fn checks(&mut self, name: &str, program: Cmd<'_>) {
        let ran = sh::lines(program, |line| {
            let checked = serde_json::from_str::<Value>(line).unwrap_or_default();
            match (checked["name"].as_str(), checked["why"].as_str()) {
                (Some(name), None) => self.check(name, Ok(())),
                (Some(name), Some(why)) => self.check(name, Err(anyhow::anyhow!("{why}"))),
                (None, _) => println!("{line}"),
            }
        });
        self.check(&format!("{name} end"), ran);
    }

    /// Adds the counts from the summary line of the test harness; ignores every other line.
    ///
    /// The line is `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out;
    /// finished in 0.01s`. Tests that were filtered out were not requested, so they do not count.
    fn add_line(&mut self, line: &str) {
        let counts = line.trim().strip_prefix("test result: ").unwrap_or_default();
        for part in counts.split(['.', ';']) {
            let Some((count, what)) = part.trim().split_once(' ') else { continue };
            let count = count.parse::<u64>().unwrap_or(0);
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }
}

/// How a line begins that passes counts on to the program that started this one.
const PASSED_ON: &str = "counts: ";

impl Done {
    /// Prints the counts for [`passed_on`].
    pub fn pass_on(&self) {
        let Self { passed, failed, skipped, reasons } = self;
        println!("{PASSED_ON}{}", json!([passed, failed, skipped, reasons]));
    }

    fn read(line: &str) -> Option<Self> {
        let counts: Value = serde_json::from_str(line.strip_prefix(PASSED_ON)?).ok()?;
        let count = |at: usize| counts[at].as_u64();
        let reasons = counts[3].as_array()?.iter();
        Some(Self {
            passed: count(0)?,
            failed: count(1)?,
            skipped: count(2)?,
            reasons: reasons.filter_map(|why| why.as_str().map(str::to_owned)).collect(),
        })
    }
}

/// Runs a program that ends with [`Done::pass_on`], and prints its output but for this line.
pub fn passed_on(program: Cmd<'_>) -> Result<Done> {
    let mut done = None;
    sh::lines(program, |line| match Done::read(line) {
        Some(counts) => done = Some(counts),
        None => println!("{line}"),
    })?;
    done.context("the step reported no counts")
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.reasons.extend(other.reasons);
    }
}

/// Runs tests, prints their output and counts them.
pub fn counted(tests: Cmd<'_>) -> Result<Done> {
    let mut done = Done::default();
    let ended = sh::lines(tests, |line| {
        println!("{line}");
        done.add_line(line);
        done.reasons.extend(failed_test(line));
    });
    match ended {
        // A failure that was counted has already been printed.
        Err(error) if done.failed == 0 => Err(error),
        _ => Ok(done),
    }
}

/// The test or check that this line reports as failed: the test harness heads the output of each,
/// and [`Done::check`] says why.
fn failed_test(line: &str) -> Option<String> {
    if line.contains(": FAILED: ") {
        return Some(line.to_owned());
    }
    let name = line.strip_prefix("---- ")?.strip_suffix(" stdout ----")?;
    Some(format!("{name}: FAILED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_named_in_the_summary() {
        let line = "---- waits::tests::early stdout ----";
        assert_eq!(failed_test(line).as_deref(), Some("waits::tests::early: FAILED"));
        assert_eq!(failed_test("test waits::tests::early ... ok"), None);
        let check = "hpet: FAILED: it was not found";
        assert_eq!(failed_test(check).as_deref(), Some(check));
        let mut done = Done::default();
        done.check("Ctrl-C", Err(anyhow::anyhow!("it went on")));
        done.check("--help", Ok(()));
        assert_eq!(done.reasons, ["Ctrl-C: FAILED: it went on"]);
    }

    #[test]
    fn counts_come_back_as_they_were_passed_on() {
        let done = Done { passed: 3, failed: 1, skipped: 2, reasons: vec!["\"a\": b".into()] };
        let Done { passed, failed, skipped, reasons } = &done;
        let line = format!("{PASSED_ON}{}", json!([passed, failed, skipped, reasons]));
        assert_eq!(Done::read(&line), Some(done));
        assert_eq!(Done::read("counts: none"), None);
        assert_eq!(Done::read("test result: ok"), None);
    }

    #[test]
    fn summary_lines_of_the_test_harness_are_counted() {
        let mut done = Done::default();
        for line in [
            "running 4 tests",
            "test a ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; finished in 1.20s",
            "test result: nonsense",
        ] {
            done.add_line(line);
        }
        assert_eq!((done.passed, done.failed, done.skipped), (13, 2, 1));
        assert_eq!(done.word(), "FAILED");
    }
}
