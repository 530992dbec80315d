//! Runs the test suites on a target.

use super::build::{Built, Test};
use crate::runner::Runner;
use crate::sh;
use crate::tally::{Done, counted};
use anyhow::{Result, bail};
use std::time::{Duration, Instant};
use xshell::Shell;

/// A test executable that takes this long, even under emulation, hangs.
const LIMIT: Duration = Duration::from_secs(1800);

/// Unit tests of pure computation, by the beginning of their names. They simulate so much that they
/// take minutes under emulation. They run natively.
const COMPUTATION: &str = "stats::";

pub fn run(sh: &Shell, runner: &Runner, built: &Built) -> Result<Done> {
    let Built { target, tests, .. } = built;
    let suites = &target.suites;
    let mut done = Done::default();
    if tests.is_empty() {
        return Ok(done);
    }
    println!("excluded: {COMPUTATION} {}: {}", suites.left_out, suites.why);
    let runs = tests.iter().map(|test| (test, "auto", vec![]));
    let again = tests.iter().filter_map(|test| {
        let only = test.modules(suites.by_counter);
        (!only.is_empty()).then_some((test, "counter", only))
    });
    for (test, source, only) in runs.chain(again) {
        let Test { name, program, folder } = test;
        let package = folder.file_name().unwrap_or_default().display();
        println!("{package}: {name}, CHRONOSCOPE_SOURCE={source}");
        let start = Instant::now();
        let _there = sh.push_dir(folder);
        let program = runner
            .start_within(sh, LIMIT, program)
            .args(&only)
            .args(["--quiet", "--skip", COMPUTATION])
            .args(test.modules(suites.left_out).iter().flat_map(|name| ["--skip", name]))
            .env("CHRONOSCOPE_SOURCE", source)
            // Generated cases take ten times as long here. The native tests run the full number.
            .env("PROPTEST_CASES", "16")
            // A program for another system cannot run cargo to find the workspace, and must not
            // update snapshots.
            .env("INSTA_WORKSPACE_ROOT", sh::root())
            .env("INSTA_UPDATE", "no");
        // If one suite fails, the others are still run.
        match counted(program) {
            Ok(counts) => done += counts,
            Err(error) => done.check(name, Err(error)),
        }
        println!("  {:.1} s", start.elapsed().as_secs_f64());
    }
    if done.passed == 0 {
        bail!("no test ran");
    }
    Ok(done)
}
