//! What a report means: a verdict on each clock, the best of each kind, findings with their
//! evidence, and advice on which clock or wait to use. Nothing here measures. Every conclusion
//! follows from what the report holds; nothing is concluded from what it does not hold.

#![forbid(unsafe_code)]

pub mod advise;
pub mod causes;
pub mod clocks;
pub mod compare;
pub mod faults;
mod reading;
pub mod run;
pub mod stability;

pub use advise::advise;
pub use clocks::verdict;
pub use compare::compare;

use chronoscope_model::Report;

/// Completes a measured report: what the rate was compared with, whether the run was disturbed, and
/// what the tests of order mean, then verdicts, then findings, then advice, then the best clock of
/// each kind, each of which builds on the ones before.
pub fn judge(report: &mut Report) {
    run::compare_rate(report);
    run::mark_disturbed(report);
    let environment = &report.environment;
    for clock in &mut report.clocks {
        clocks::describe_order(clock, environment);
        clock.verdict = verdict(clock, environment);
    }
    clocks::judge_speed(&mut report.clocks);
    clocks::judge_watched(report);
    report.findings = faults::findings(report);
    // A glance at a few clocks is no reason to choose between all of them.
    report.advice = if report.run.quick { Vec::new() } else { advise(report) };
    clocks::mark_best(report);
}

/// Completes a measured report as [`judge`] does, and reports every finding and the result of
/// looking for each fault.
pub fn examine(report: &mut Report) {
    if !faults::of_browser(report) {
        judge(report);
    }
    (report.findings, report.checks) = faults::examined(report);
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
