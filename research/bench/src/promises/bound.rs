//! The stated bound checked against the system's clock: on every CPU, across threads and
//! migrations, idle and under load.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chronoscope::Clock;
use serde::Serialize;

use super::Bracket;
use crate::load::{Load, Spinning};
use crate::os;

/// The result.
#[derive(Debug, Serialize)]
pub struct Bound {
    pub promise: &'static str,
    pub load: Load,
    pub threads: usize,
    pub checks: u64,
    pub violations: u64,
    /// The worst violation, in nanoseconds beyond the bound.
    pub worst_ns: u64,
    /// The longest interval that was checked.
    pub longest_s: f64,
    pub passed: bool,
}

#[derive(Default)]
struct Tally {
    checks: u64,
    violations: u64,
    worst_ns: u64,
    longest_ns: u64,
}

/// Moments that each thread keeps to check a new one against. Each is renewed half as often as the
/// one before, so that they reach from a microsecond ago back to the start of the thread.
const KEPT: usize = 40;

/// Checks in a row on one CPU.
const STAY: u64 = 20_000;

/// Makes `checks` checks, on one thread more than there are CPUs, so that some migrate.
pub fn run(load: Load, checks: u64) -> anyhow::Result<Bound> {
    let _spinning = Spinning::start(load)?;
    let cpus = os::cpus();
    anyhow::ensure!(!cpus.is_empty(), "the CPUs of this thread are not known");
    let threads = cpus.len() + 1;
    let each = checks.div_ceil(threads as u64);
    let done = AtomicBool::new(false);
    let first = Bracket::narrowest(8);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let syncing = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                Clock::global().sync();
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..300)));
            }
        });
        let checking: Vec<_> = (0..threads)
            .map(|number| {
                let cpus = &cpus;
                scope.spawn(move || check(each, number, cpus, first))
            })
            .collect();
        let tallies = checking.into_iter().filter_map(|thread| thread.join().ok());
        let tallies = tallies.collect();
        done.store(true, Ordering::Relaxed);
        drop(syncing);
        tallies
    });
    anyhow::ensure!(tallies.len() == threads, "a checking thread ended early");
    let violations = tallies.iter().map(|t| t.violations).sum();
    Ok(Bound {
        promise: "bound",
        load,
        threads,
        checks: tallies.iter().map(|t| t.checks).sum(),
        violations,
        worst_ns: tallies.iter().map(|t| t.worst_ns).max().unwrap_or(0),
        longest_s: tallies.iter().map(|t| t.longest_ns).max().unwrap_or(0) as f64 / 1e9,
        passed: violations == 0,
    })
}

fn check(checks: u64, number: usize, cpus: &[usize], first: Bracket) -> Tally {
    let clock = Clock::global();
    let mut kept = [first; KEPT];
    let mut tally = Tally::default();
    while tally.checks < checks {
        os::pin(cpus[(number + (tally.checks / STAY) as usize) % cpus.len()]);
        for _ in 0..STAY {
            let now = Bracket::now();
            let then = kept[fastrand::usize(..KEPT)];
            let by_os = now.os.saturating_sub(then.os);
            // The true ticks lie between those of the inner and of the outer reads.
            let least = clock.between_bounded(then.after, now.before);
            let most = clock.between_bounded(then.before, now.after);
            // The system's clock is truncated to nanoseconds at either end.
            let above = (least.ns).saturating_sub(least.bound_ns + by_os + 1);
            let below = (by_os).saturating_sub(most.ns + most.bound_ns + 1);
            let beyond = above.max(below);
            if beyond > 0 {
                tally.violations += 1;
                tally.worst_ns = tally.worst_ns.max(beyond);
            }
            tally.longest_ns = tally.longest_ns.max(by_os);
            tally.checks += 1;
            // The first slot every time, the second every other time, and so on; the last never.
            let slot = tally.checks.trailing_zeros() as usize;
            if slot < KEPT - 1 {
                kept[slot] = now;
            }
        }
    }
    tally
}
