//! Why waits end late: splits the lateness of each wait, and adds up the parts for the row.

mod reasons;
mod split;

pub(super) use reasons::Reasons;
pub(super) use split::{Evidence, Floors, split};

use chronoscope_model::waits::Wait;
use chronoscope_model::why::{Cause, Why};
use chronoscope_probes::blame::Missing;

/// A part of at least this share of the lateness of a row matters.
const SEEN: f64 = 0.05;

/// The missing sources that matter for these rows.
pub(super) fn that_matter<'a>(missing: &'a [Missing], rows: &[Wait]) -> Vec<&'a Missing> {
    let all = || rows.iter().filter_map(|row| row.why.as_ref()).filter_map(Why::all);
    let seen = |cause| all().any(|all| all.share(cause) >= SEEN);
    let dominates = |cause| all().any(|all| all.share(cause) >= 0.5);
    let matters = |one: &&Missing| match one.id {
        "smi" => seen(Cause::BelowKernel),
        "null-selector" => seen(Cause::OnCpu),
        "timerlat" => dominates(Cause::IdleExit),
        "cpu-stat" => seen(Cause::RunQueue) || seen(Cause::Preempted),
        _ => all().next().is_some(),
    };
    missing.iter().filter(matters).collect()
}
