//! Waits in the form of the program that this measurement began with: smallest, mean and largest
//! wait, and the largest overshoot, in ticks of the reference.

use super::number::short;
use super::style::{Style, clean};
use super::waits::method;
use chronoscope_model::Report;
use chronoscope_model::waits::Wait;
use std::fmt::Write;

/// The table. The reference is the ruler, whatever method is measured.
pub fn render(report: &Report, _: &Style) -> String {
    let hz = report.ruler.as_ref().map_or(1e9, |ruler| ruler.hz);
    let name = report
        .ruler
        .as_ref()
        .map_or("ns".into(), |ruler| clean(&ruler.id));
    let mut out = String::new();
    let _ = writeln!(out, "{name} is {hz:.0} Hz, {:.3} ns tick", 1e9 / hz);
    let measured = report.waits.iter().filter(|w| w.samples > 0);
    let mut groups: Vec<(Key, Vec<&Wait>)> = Vec::new();
    for wait in measured {
        let key = (wait.load, wait.requested_ns.unwrap_or(0), wait.samples);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(wait),
            None => groups.push((key, vec![wait])),
        }
    }
    for ((load, ns, samples), rows) in groups {
        let _ = writeln!(
            out,
            "### TEST OF {samples} x {} wait routine runs, load {}",
            short(ns as f64),
            load.name()
        );
        let _ = writeln!(
            out,
            "{:32}{:>12}{:>12}{:>12}{:>12}",
            "ticks", "MIN", "AVG", "MAX", "MAX OVER"
        );
        for wait in rows {
            let slack = match (wait.slack_ns, wait.default_slack, wait.timer_period_ms) {
                (Some(slack), false, None) => format!(" slack {}", short(slack as f64)),
                _ => String::new(),
            };
            let name = format!("{}{slack}", method(wait));
            let ticks = |ns: f64| format!("{:.0}", ns * hz / 1e9);
            let waited = |over: f64| ticks(ns as f64 + over);
            let _ = writeln!(
                out,
                "{name:32}{:>12}{:>12}{:>12}{:>12}",
                waited(wait.min_ns as f64),
                waited(wait.mean_ns),
                waited(wait.max_ns as f64),
                ticks(wait.max_ns as f64)
            );
        }
    }
    out
}

type Key = (chronoscope_model::waits::Load, u64, u64);
