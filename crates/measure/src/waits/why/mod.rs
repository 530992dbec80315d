//! Why waits end late: splits the lateness of each wait, and adds up the parts for the row.

mod culprits;
mod reasons;
mod split;

pub(super) use reasons::Reasons;
pub(super) use split::{Evidence, Floors, split};

use crate::engine::notes;
use chronoscope_model::Note;
use chronoscope_model::waits::Wait;
use chronoscope_model::why::{Cause, Why};
use chronoscope_probes::blame::{Missing, hidden};

/// Notes on who ran instead of the threads of these rows, as far as that is not known:
/// `unrecorded` is why it was not recorded, and `left_out` processes were not searched. `named`:
/// whether names are wanted.
pub(super) fn about_culprits(
    unrecorded: Option<&str>,
    left_out: u64,
    named: bool,
    rows: &[Wait],
) -> Vec<Note> {
    let mut all = rows.iter().filter_map(|row| row.why.as_ref());
    let ready = |why: &Why| {
        why.later.first().is_some_and(|all| {
            all.parts.iter().any(|it| matches!(it.cause, Cause::RunQueue | Cause::Preempted))
        })
    };
    if !all.any(|why| why.examined > 0 && ready(why)) {
        return Vec::new();
    }
    let unrecorded = unrecorded.map(notes::likely);
    let hidden = hidden().filter(|_| named).map(notes::names_hidden);
    let left_out = (left_out > 0).then(|| notes::tasks_left_out(left_out));
    [unrecorded, hidden, left_out].into_iter().flatten().collect()
}

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
