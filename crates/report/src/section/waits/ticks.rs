//! The waits as shown by the program that this measurement grew out of: smallest, mean and largest
//! wait, and the largest overshoot, in ticks of the reference.

use super::rows::{method, several_cpus};
use crate::block::Block;
use crate::clean::clean;
use crate::number::short;
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};
use std::fmt::Write;

/// Width of the longest name on Linux; with four figures of eleven, eighty columns.
const NAME: usize = 36;

/// The tables as one block of lines. The reference is the ruler, whatever method is measured.
pub fn view(report: &Report) -> Vec<Block> {
    let ruler = report.ruler.as_ref();
    let hz = ruler.map_or(1e9, |ruler| ruler.hz);
    let name = ruler.map_or("ns".into(), |ruler| clean(&ruler.id));
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{name} is {hz:.0} Hz, {:.3} ns tick", 1e9 / hz);
    let rows: Vec<&Wait> = report.waits.iter().filter(|w| w.samples > 0).collect();
    let several = several_cpus(&rows);
    let widest = rows.iter().map(|row| label(row, several).chars().count());
    let widest = widest.max().unwrap_or(0).max(NAME);
    let mut groups: Vec<((Load, u64), Vec<&Wait>)> = Vec::new();
    for wait in rows {
        let key = (wait.load, wait.requested_ns.unwrap_or(0));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, rows)) => rows.push(wait),
            None => groups.push((key, vec![wait])),
        }
    }
    for ((load, ns), rows) in groups {
        let samples = || rows.iter().map(|row| row.samples);
        let (least, most) = (samples().min().unwrap_or(0), samples().max().unwrap_or(0));
        let runs = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let _ = writeln!(
            out,
            "### TEST OF {runs} x {} wait routine runs, load {}",
            short(ns as f64),
            load.name()
        );
        let mut line = |name: &str, figures: [String; 4]| {
            let [min, avg, max, over] = figures;
            let _ = writeln!(out, "{name:widest$}{min:>11}{avg:>11}{max:>11}{over:>11}");
        };
        line("ticks", ["MIN", "AVG", "MAX", "MAX OVER"].map(String::from));
        for wait in rows {
            let ticks = |ns: f64| format!("{:.0}", ns * hz / 1e9);
            let waited = |over: f64| ticks(ns as f64 + over);
            let figures = [
                waited(wait.min_ns as f64),
                waited(wait.mean_ns),
                waited(wait.max_ns as f64),
                ticks(wait.max_ns as f64),
            ];
            line(&label(wait, several), figures);
        }
    }
    for load in Load::ALL {
        if let Some(why) = refused(report, load) {
            let _ = writeln!(out, "### NOT TESTED at load {}: {}", load.name(), clean(why));
        }
    }
    vec![Block::Lines(out)]
}

/// Why nothing was measured under a load that was asked for.
fn refused(report: &Report, load: Load) -> Option<&str> {
    let mut rows = report.waits.iter().filter(|wait| wait.load == load);
    let any = report.waits.iter().any(|wait| wait.load == load && wait.samples > 0);
    let reason = rows.find_map(|wait| wait.unavailable_reason.as_deref())?;
    let why = reason.strip_prefix(&format!("load {}: ", load.name()));
    why.filter(|_| !any)
}

/// The name of a row: its method, what was set for it, and its CPU if rows differ in that.
fn label(wait: &Wait, several: bool) -> String {
    let slack = match (wait.slack_ns, wait.default_slack, wait.timer_period_ms) {
        (Some(slack), false, None) => format!(" slack {}", short(slack as f64)),
        _ => String::new(),
    };
    let slice = wait.slice_ns.map(|ns| format!(" slice {}", short(ns as f64)));
    let cpu = wait.cpu.filter(|_| several);
    let cpu = cpu.map_or(String::new(), |cpu| format!(" CPU {cpu}"));
    format!("{}{slack}{}{cpu}", clean(&method(wait)), slice.unwrap_or_default())
}
