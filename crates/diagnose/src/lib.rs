//! What a report means: a verdict on each clock, the best of each kind, findings with their
//! evidence, and advice on which clock or wait to use. Nothing here measures. Every conclusion
//! follows from what the report holds; nothing is concluded from what it does not hold.

#![forbid(unsafe_code)]

pub mod advise;
mod best;
mod bulk;
pub mod causes;
pub mod compare;
mod compared;
pub mod disturbed;
pub mod faults;
mod late;
mod ordering;
mod pick;
mod reading;
mod system;
mod trust;
pub mod verdict;

pub use advise::advise;
pub use compare::compare;
pub use verdict::verdict;

use chronoscope_model::Report;

/// Completes a measured report: what the rate was compared with, whether the run was disturbed, and
/// what the tests of order mean, then verdicts, then findings, then advice, then the best clock of
/// each kind, each of which builds on the ones before.
pub fn judge(report: &mut Report) {
    compared::mark(report);
    disturbed::mark(report);
    let environment = &report.environment;
    for clock in &mut report.clocks {
        ordering::describe(clock, environment);
        clock.verdict = verdict(clock, environment);
    }
    bulk::judge(&mut report.clocks);
    trust::judge(report);
    report.findings = faults::findings(report);
    // A glance at a few clocks is no reason to choose between all of them.
    report.advice = if report.run.quick { Vec::new() } else { advise(report) };
    best::mark(report);
}

/// Completes a measured report as [`judge`] does, and reports every finding and the result of
/// looking for each fault.
pub fn examine(report: &mut Report) {
    judge(report);
    (report.findings, report.checks) = faults::examined(report);
}

/// The sample in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
