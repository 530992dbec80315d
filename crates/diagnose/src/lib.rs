//! What a report means: a verdict on each clock, the faults of the machine with their evidence,
//! and advice on which clock to use. Nothing here measures; everything is concluded from what the
//! report holds, and what the report does not hold is not concluded.

#![forbid(unsafe_code)]

pub mod advise;
pub mod faults;
mod pick;
mod reading;
mod system;
pub mod verdict;
pub mod wait;

pub use advise::advise;
pub use verdict::verdict;

use chronoscope_model::Report;

/// Completes a measured report: verdicts, then findings, then advice, each of which builds on the
/// one before.
pub fn judge(report: &mut Report) {
    let environment = &report.environment;
    for clock in &mut report.clocks {
        clock.verdict = verdict(clock, environment);
    }
    report.findings = faults::findings(report);
    report.advice = advise(report);
}
