//! A row of waits on the page: its name, its colour, and its overshoots one by one.

use super::super::rows::{method, several_cpus, waits_of};
use crate::block::chart::Hue;
use crate::number::short;
use crate::page::Input;
use chronoscope_model::advice::{Goal, WaitChoice};
use chronoscope_model::waits::{Kind, Load, Wait};
use std::collections::BTreeSet;

pub(super) struct Row<'a> {
    pub(super) wait: &'a Wait,
    /// The number of the report.
    pub(super) of: usize,
    /// The method with what was set for it, which distinguishes it from other rows of its duration
    /// and load.
    pub(super) name: String,
    /// Whether the method's CPU is part of its name.
    pub(super) several_cpus: bool,
    pub(super) hue: Hue,
    /// Whether it is the most accurate method for its duration.
    pub(super) advised: bool,
    /// Overshoots in nanoseconds, ascending, with how often each came; those of missed deadlines
    /// included. Empty if the histogram cannot be read.
    pub(super) overshoots: Vec<(f64, u64)>,
}

impl Row<'_> {
    /// How many overshoots there are.
    pub(super) fn count(&self) -> u64 {
        self.overshoots.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// The name next to a curve or a point, with that of its report if there are several.
    pub(super) fn label(&self, inputs: &[Input<'_>]) -> String {
        match inputs.get(self.of).filter(|_| inputs.len() > 1) {
            Some(input) => format!("{}, {}", self.name, input.name),
            None => self.name.clone(),
        }
    }
}

/// The rows of all reports that were measured, in their order.
pub(super) fn all<'a>(inputs: &[Input<'a>]) -> Vec<Row<'a>> {
    let mut names: Vec<(Kind, String)> = Vec::new();
    let mut rows = Vec::new();
    for (of, input) in inputs.iter().enumerate() {
        let waits: Vec<&Wait> = waits_of(input.report).collect();
        let several_cpus = several_cpus(&waits);
        for wait in waits {
            let name = name(wait, several_cpus);
            let key = (wait.kind, name.clone());
            if !names.contains(&key) {
                names.push(key);
            }
            let mut same = names.iter().filter(|it| it.0 == wait.kind);
            let nth = same.position(|it| it.1 == name).unwrap_or(0);
            let advised = wait.requested_ns.and_then(|ns| choice(input, ns));
            let advised = advised.is_some_and(|(id, choice)| {
                // The choice is one for all loads.
                let choice = WaitChoice { load: wait.load, ..choice.clone() };
                wait.id == id && choice.is(wait)
            });
            let hue = match wait.kind {
                _ if advised => Hue::Accent,
                Kind::Sleep => Hue::Sleep(nth),
                Kind::Hybrid => Hue::Hybrid(nth),
                Kind::Busy => Hue::Spin(nth),
            };
            let overshoots = overshoots(wait);
            rows.push(Row { wait, of, name, several_cpus, hue, advised, overshoots });
        }
    }
    rows
}

fn name(wait: &Wait, several_cpus: bool) -> String {
    let set = |what: &str, ns: Option<u64>| ns.map(|ns| format!(", {what} {}", short(ns as f64)));
    let parts = [
        set("slack", wait.slack_ns.filter(|_| !wait.default_slack)),
        set("slice", wait.slice_ns),
        wait.cpu.filter(|_| several_cpus).map(|cpu| format!(", CPU {cpu}")),
    ];
    parts.into_iter().flatten().fold(method(wait), |name, part| name + &part)
}

/// The method that was chosen for accuracy among those of this duration, in any language.
pub(super) fn choice<'a>(input: &Input<'a>, ns: u64) -> Option<(&'a str, &'a WaitChoice)> {
    input.report.advice.iter().find_map(|advice| {
        let wait = advice.wait.as_ref()?;
        let wanted = wait.goal == Goal::Accuracy && wait.requested_ns == ns;
        Some((advice.clock.as_deref()?, wait)).filter(|_| wanted && wait.languages.is_empty())
    })
}

fn overshoots(wait: &Wait) -> Vec<(f64, u64)> {
    let histogram = wait.grid.as_ref().map_or(&wait.overshoot, |grid| &grid.corrected);
    let Ok(hdr) = histogram.decode() else {
        return Vec::new();
    };
    // The top of the last bucket may lie above the largest value, which is known exactly.
    let largest = match wait.grid {
        Some(_) => histogram.max_ns,
        None => u64::try_from(wait.max_ns).unwrap_or(0),
    };
    let of = |ns: u64| ns.min(largest) as f64;
    hdr.iter_recorded().map(|it| (of(it.value_iterated_to()), it.count_at_value())).collect()
}

/// The smallest overshoot that is not 0: where a logarithmic axis shows those that are.
pub(super) fn floor(rows: &[&Row<'_>]) -> f64 {
    let all = rows.iter().flat_map(|row| &row.overshoots).map(|(ns, _)| *ns);
    let least = all.filter(|ns| *ns > 0.0).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The loads that have rows.
pub(super) fn loads(rows: &[&Row<'_>]) -> Vec<Load> {
    let some = |load: &Load| rows.iter().any(|row| row.wait.load == *load);
    Load::ALL.into_iter().filter(some).collect()
}

/// With at most this many rows, those of several reports are in one panel.
const FEW: usize = 8;

/// The panels of a kind of chart: the load, the report if each has its own panel, and the rows with
/// samples.
pub(super) fn panels<'a, 'b>(
    inputs: &[Input<'_>],
    rows: &[&'b Row<'a>],
) -> Vec<(Load, Option<usize>, Vec<&'b Row<'a>>)> {
    let mut panels = Vec::new();
    for load in loads(rows) {
        let of_load = rows.iter().copied().filter(|row| row.wait.load == load);
        let of_load: Vec<&Row> = of_load.filter(|row| !row.overshoots.is_empty()).collect();
        let reports: BTreeSet<usize> = of_load.iter().map(|row| row.of).collect();
        if inputs.len() < 2 || (reports.len() > 1 && of_load.len() <= FEW) {
            panels.push((load, None, of_load));
            continue;
        }
        panels.extend(reports.into_iter().map(|of| {
            (load, Some(of), of_load.iter().copied().filter(|row| row.of == of).collect())
        }));
    }
    panels.retain(|(_, _, rows)| !rows.is_empty());
    panels
}

/// The title of a panel: what it shows, next to which load, and of which report.
pub(super) fn title(
    what: &str,
    inputs: &[Input<'_>],
    (load, of): (Load, Option<usize>),
    rows: &[&Row<'_>],
) -> String {
    let missed = rows.iter().any(|row| row.wait.grid.is_some());
    let missed = if missed { ", missed deadlines included" } else { "" };
    let report = of.and_then(|of| inputs.get(of)).map(|input| format!(", {}", input.name));
    format!("{what}, {}{}{missed}", super::next_to(load), report.unwrap_or_default())
}

/// The colour of a row in a panel: its method's, or its report's if the panel has several.
pub(super) fn hue(row: &Row<'_>, inputs: &[Input<'_>], panel: Option<usize>) -> Hue {
    if inputs.len() > 1 && panel.is_none() { Hue::Report(row.of) } else { row.hue }
}
