//! The waits as shown by the program that this measurement grew out of: smallest, mean and largest
//! wait, and the largest overshoot, in ticks of 100 ns. Those are QueryPerformanceCounter's since
//! Windows 10 1809, so the figures can be held against that program's.

use super::rows::{Labelled, method, several_cpus};
use super::{distribution, remarks};
use crate::block::{Block, Cell, Rank};
use crate::number::short;
use crate::section::columns::{Rows, Spec, columns};
use crate::section::{Detail, machine};
use chronoscope_model::Report;
use chronoscope_model::waits::{Load, Wait};
use std::cmp::Reverse;

/// A tick of QPC, in nanoseconds.
const TICK_NS: f64 = 100.0;

/// The tables, the longest wait of each load first. The reference is the ruler, whatever method is
/// measured.
pub fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let ruler = report.ruler.as_ref();
    let hz = ruler.map_or(1e9, |ruler| ruler.hz);
    let name = ruler.map_or("ns", |ruler| &ruler.id);
    let everything = detail == Detail::Everything;
    let heading = format!("{name} is {hz:.0} Hz, {:.3} ns tick", 1e9 / hz);
    let remark = "in QPC ticks of 100 ns";
    let mut blocks = vec![Block::noted(heading, remark)];
    if everything {
        blocks.extend((machine::SECTION.view)(report, Detail::Brief));
    }
    let rows: Vec<&Wait> = report.waits.iter().filter(|w| w.samples > 0).collect();
    let several = several_cpus(&rows);
    for load in Load::ALL {
        let of_load: Vec<&Wait> = rows.iter().copied().filter(|row| row.load == load).collect();
        let mut durations: Vec<u64> = of_load.iter().filter_map(|row| row.requested_ns).collect();
        durations.sort_unstable_by_key(|ns| Reverse(*ns));
        durations.dedup();
        let mut about_load = remarks::load(&of_load);
        for ns in durations {
            let rows = of_load.iter().copied().filter(|row| row.requested_ns == Some(ns));
            let rows: Vec<&Wait> = rows.collect();
            blocks.push(Block::heading(title(&rows, load, ns)));
            blocks.push(Block::legend(remarks::conditions(report, &rows).join(", ")));
            blocks.append(&mut about_load);
            let rows: Vec<Labelled> = rows.into_iter().map(|wait| (wait, several)).collect();
            let table = Rows::shown(figures(everything), detail);
            blocks.push(Block::Table(table.of_all(&rows)));
        }
        if everything || distribution::is_long(&of_load) {
            blocks.extend(distribution::of_each(&of_load));
        }
        blocks.extend(remarks::whole_ticks(&of_load));
    }
    for load in Load::ALL {
        if let Some(why) = refused(report, load) {
            blocks.push(Block::noted(format!("### NOT TESTED at load {}", load.name()), why));
        }
    }
    blocks
}

/// What a table shows.
fn title(rows: &[&Wait], load: Load, ns: u64) -> String {
    let samples = || rows.iter().map(|row| row.samples);
    let (least, most) = (samples().min().unwrap_or(0), samples().max().unwrap_or(0));
    let runs = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let (wait, load) = (short(ns as f64), load.name());
    format!("### TEST OF {runs} x {wait} wait routine runs, load {load}, QPC ticks")
}

fn figures<'a>(everything: bool) -> Vec<Spec<Labelled<'a>>> {
    // The whole wait, of which the overshoot is a part.
    fn whole(wait: &Wait, over: f64) -> Cell {
        span(Some(wait.requested_ns.unwrap_or(0) as f64 + over))
    }
    fn span(ns: Option<f64>) -> Cell {
        ns.map_or(Cell::default(), |ns| Cell::text(format!("{:.1}", ns / TICK_NS)))
    }
    let rank = if everything { Rank::More } else { Rank::Optional };
    columns! { (wait, several) in Labelled;
        "" "method" [full whole_name] Cell::code(&wait.id).shown(label(wait, *several));
        "" "MIN" [full right close] whole(wait, wait.min_ns as f64);
        "" "AVG" [full right close] whole(wait, wait.mean_ns);
        "" "MAX" [full right close] whole(wait, wait.max_ns as f64);
        "" "MAX OVER" [full right close] span(Some(wait.max_ns as f64));
        "" "STD DEV" [full right close] span(wait.std_dev_ns);
        "" "MAX VAR" [full right close] span(wait.range_ns().map(|ns| ns as f64));
        "" "AVG\nby clock" [full right rank(rank)] {
            let clock = wait.by_clock.as_ref();
            clock.map_or(Cell::default(), |clock| whole(wait, clock.mean_ns))
        };
        "" "clock\n- ruler" [full right rank(rank)] span(wait.clock_difference_ns());
    }
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
    format!("{}{slack}{}{cpu}", method(wait), slice.unwrap_or_default())
}
