//! What is told of waits besides their tables.

use crate::text::number::{count, plural, short};
use crate::text::screen::Screen;
use crate::text::style::{Style, clean};
use chronoscope_model::waits::{Load, LoadRun, Moment, Wait};
use std::collections::BTreeSet;

/// Interrupts and samples that are shown of a moment.
const SHOWN: usize = 6;
const SAMPLES: usize = 12;

/// What happened to rows besides their waits.
pub(super) fn remarks(screen: &mut Screen, rows: &[&Wait]) {
    // That the load was not whole stands above the table.
    let run = rows.iter().find_map(|w| w.load_run.as_ref());
    let loss = run.and_then(LoadRun::loss);
    let mut said: BTreeSet<&String> = loss.iter().collect();
    for wait in rows {
        for gap in &wait.gaps {
            let missed = match gap.missed {
                0 => String::new(),
                n => format!(", {}", plural(n, "deadline", "deadlines")),
            };
            screen.paragraph(&format!(
                "Gap: the process was {} and could not wait; it was back {:.1} s into the run, {} late{missed}. No sample \
                 of {}.",
                clean(&gap.cause),
                gap.at_s,
                short(gap.late_ns as f64),
                clean(&wait.id)
            ));
        }
        if wait.gaps_left_out > 0 {
            screen.paragraph(&format!(
                "{} more.",
                plural(wait.gaps_left_out, "gap", "gaps")
            ));
        }
        if let Some(why) = &wait.unavailable_reason {
            screen.paragraph(&format!("{} ended early: {}.", clean(&wait.id), clean(why)));
        }
        for note in &wait.notes {
            if said.insert(note) {
                screen.paragraph(&format!("{}.", clean(note)));
            }
        }
    }
}

/// The overshoot that ended the run.
pub(super) fn moment(screen: &mut Screen, wait: &Wait, moment: &Moment) {
    screen.gap();
    screen.paragraph(&format!(
        "Stopped: {} overshot by {}, above the limit of {}, {:.3} s into the run.",
        clean(&wait.id),
        short(moment.overshoot_ns as f64),
        short(moment.limit_ns as f64),
        moment.at_s
    ));
    let unknown = || "not told by this system".to_owned();
    let interrupts: Vec<String> = moment
        .interrupts
        .iter()
        .take(SHOWN)
        .map(|i| format!("{} x {} ({})", count(i.count), clean(&i.id), clean(&i.name)))
        .collect();
    let last: Vec<String> = moment
        .last_ns
        .iter()
        .rev()
        .take(SAMPLES)
        .rev()
        .map(|ns| short(*ns as f64))
        .collect();
    let switches = moment.voluntary_switches.zip(moment.involuntary_switches);
    screen.facts(&[
        (
            "in the last".into(),
            format!("{} before it was noticed:", short(moment.span_s * 1e9)),
        ),
        (
            "CPU".into(),
            moment.cpu.map_or_else(unknown, |cpu| cpu.to_string()),
        ),
        (
            "frequency".into(),
            moment
                .khz
                .map_or_else(unknown, |khz| format!("{:.3} GHz", khz as f64 / 1e6)),
        ),
        (
            "steal".into(),
            moment
                .steal_ms
                .map_or_else(unknown, |ms| format!("{ms} ms of all CPUs")),
        ),
        (
            "switches".into(),
            switches.map_or_else(unknown, |(own, forced)| {
                format!("{own} own, {forced} forced")
            }),
        ),
        (
            "interrupts".into(),
            if interrupts.is_empty() {
                unknown()
            } else {
                interrupts.join("; ")
            },
        ),
        (
            "last waits".into(),
            format!(
                "{} (the last {} are in the JSON)",
                last.join(", "),
                moment.last_ns.len()
            ),
        ),
    ]);
}

/// What was not measured, and why.
pub(super) fn unavailable(screen: &mut Screen, waits: &[Wait], style: &Style) {
    let absent: Vec<&Wait> = waits
        .iter()
        .filter(|w| w.samples == 0 && !w.available)
        .collect();
    if absent.is_empty() {
        return;
    }
    // One reason that holds for many is said once.
    let mut reasons: Vec<(&str, Load, Vec<&str>)> = Vec::new();
    for wait in &absent {
        let reason = wait
            .unavailable_reason
            .as_deref()
            .unwrap_or("no reason is told");
        match reasons
            .iter_mut()
            .find(|r| r.0 == reason && r.1 == wait.load)
        {
            Some(known) => known.2.push(&wait.id),
            None => reasons.push((reason, wait.load, vec![&wait.id])),
        }
    }
    let elsewhere = |reason: &str| reason.starts_with("exists on ");
    let hidden = reasons.iter().filter(|r| elsewhere(r.0) && !style.verbose);
    let hidden: usize = hidden.map(|r| r.2.len()).sum();
    screen.gap();
    for (reason, load, ids) in reasons.iter().filter(|r| style.verbose || !elsewhere(r.0)) {
        let whole_load = *load != Load::None && reason.starts_with("load ");
        let who = if whole_load {
            "Not measured".to_owned()
        } else {
            ids.iter()
                .map(|id| clean(id))
                .collect::<Vec<_>>()
                .join(", ")
        };
        screen.paragraph(&format!("{who}: {}.", clean(reason)));
    }
    if hidden > 0 {
        screen.paragraph(&format!(
            "{} of other systems; -v names them.",
            plural(hidden as u64, "method", "methods")
        ));
    }
}
