//! Rows of waits: which rows there are, and their names.

use crate::block::Cell;
use crate::number::short;
use chronoscope_model::Report;
use chronoscope_model::waits::Wait;
use std::collections::BTreeSet;

/// A wait, and whether its CPU is part of its name.
pub(super) type Labelled<'a> = (&'a Wait, bool);

pub(super) fn waits_of(report: &Report) -> impl Iterator<Item = &Wait> {
    report.waits.iter().filter(|wait| wait.samples > 0)
}

pub(super) fn durations(rows: &[&Wait]) -> BTreeSet<u64> {
    rows.iter().filter_map(|wait| wait.requested_ns).collect()
}

/// Whether rows differ in the CPU that they were measured on.
pub(super) fn several_cpus(rows: &[&Wait]) -> bool {
    rows.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

/// The method's name, with the timer period that Windows was asked for.
pub(super) fn method(wait: &Wait) -> String {
    match wait.timer_period_ms {
        Some(ms) => format!("{}+period({ms})", wait.id),
        None => wait.id.clone(),
    }
}

/// The method, and the CPU if that is part of the name.
pub(super) fn name((wait, several): &Labelled) -> Cell {
    let name = match (several, wait.cpu) {
        (true, Some(cpu)) => format!("{} CPU {cpu}", method(wait)),
        _ => method(wait),
    };
    Cell::code(&wait.id).shown(name)
}

/// What distinguishes one row from another, in words.
pub(super) fn label(wait: &Wait) -> String {
    let what = if wait.period_ns.is_some() { "period" } else { "wait" };
    let default = if wait.default_slack { " (default)" } else { "" };
    let ns = |ns: Option<u64>, what: &str| ns.map(|ns| format!(" {what} {}", short(ns as f64)));
    let parts = [
        ns(wait.requested_ns, what),
        ns(wait.slack_ns, "slack").map(|slack| slack + default),
        wait.timer_period_ms.map(|ms| format!(" timer period {ms} ms")),
        ns(wait.slice_ns, "slice"),
        wait.cpu.map(|cpu| format!(" CPU {cpu}")),
    ];
    let parts: String = parts.into_iter().flatten().collect();
    format!("{} load {}{parts}", wait.id, wait.load.name())
}

/// A cell that is empty, and not a dash, for rows to which the column does not apply.
pub(super) fn setting(ns: Option<u64>) -> Cell {
    Cell::whole_ns(ns).or("")
}
