//! The waits: how exactly a thread can wait, one table for each load.

pub(super) mod best;
mod brief;
mod culprits;
mod distribution;
mod legend;
mod overview;
mod page;
mod remarks;
mod rows;
mod table;
mod ticks;
mod why;

pub use ticks::view as ticks;

use super::columns::Rows;
use super::{Detail, Distribution, Section};
use crate::block::Block;
use crate::number::{count, plural, short};
use crate::scale::{Scale, Unit, decades};
use chronoscope_model::Report;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Wait};
use rows::{Labelled, durations, label, several_cpus, waits_of};
use std::collections::BTreeSet;
use table::Traits;

pub const SECTION: Section = Section {
    id: "waits",
    records: &[("waits_plan", "waits-plan"), ("waits", "wait")],
    measured: true,
    terms: include_str!("terms.md"),
    view,
    table: Some(|report| {
        let rows: Vec<Labelled> = report.waits.iter().map(|wait| (wait, false)).collect();
        let all = Traits {
            everything: true,
            slice: true,
            throttled: true,
            grid: true,
            early: true,
            strip: false,
        };
        Rows::data(table::columns(all)).of_all(&rows)
    }),
    distributions: Some(distributions),
    // Three methods more than there are clocks of a kind: a sleep, a spin and both together.
    glance: Some(|report, clocks| brief::view(report, 3 + clocks)),
    page: Some(page::view),
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return brief::view(report, usize::MAX);
    }
    let mut blocks = Vec::new();
    if !report.waits.iter().any(|w| w.samples > 0) {
        blocks.push(Block::paragraph("No wait was measured."));
    }
    let chosen = report.waits_plan.as_ref().is_some_and(|plan| plan.chosen);
    if chosen && detail == Detail::Full {
        blocks.extend(overview::view(report));
        blocks.extend(why::view(report, detail));
        return blocks;
    }
    for (load, measured) in loads(report) {
        blocks.extend(under(load, &measured, axis(report), detail));
        let many = distribution::only_method(report).is_none();
        if many && (detail == Detail::Everything || distribution::is_long(&measured)) {
            blocks.extend(distribution::of_each(&measured));
        }
    }
    blocks.extend(remarks::unavailable(&report.waits, detail));
    if detail == Detail::Everything {
        blocks.extend(legend::view(report));
    }
    blocks.extend(why::view(report, detail));
    // The answer comes last: it is what a terminal still shows when the run has ended.
    blocks.extend(match distribution::only_method(report) {
        Some(rows) => distribution::view(&rows, None),
        None => best::view(report),
    });
    blocks
}

/// The tables, and the distribution of each row in bins of a microsecond, as `cyclictest -h` has
/// them.
pub fn bins(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (load, rows) in loads(report) {
        blocks.extend(under(load, &rows, axis(report), Detail::Full));
        blocks.extend(distribution::view(&rows, Some(1000)));
    }
    blocks
}

/// The axis of strips, which the tables of all loads share: the decades from the least median to
/// the worst wait.
fn axis(report: &Report) -> Scale {
    let ends = waits_of(report).flat_map(|wait| {
        let worst = wait.max_ns as f64;
        [wait.percentile(Percentile::P50).map_or(worst, |ns| ns as f64), worst]
    });
    Scale::log(Unit::Ns, decades(ends))
}

/// The rows that were measured under each load that has some.
fn loads(report: &Report) -> impl Iterator<Item = (Load, Vec<&Wait>)> {
    let of = |load| (load, waits_of(report).filter(|wait| wait.load == load).collect());
    Load::ALL.into_iter().map(of).filter(|(_, rows): &(Load, Vec<&Wait>)| !rows.is_empty())
}

fn under(load: Load, rows: &[&Wait], axis: Scale, detail: Detail) -> Vec<Block> {
    let mut blocks = heading(load, rows);
    let traits = Traits::of(rows, detail);
    let several = several_cpus(rows);
    let mut columns = table::columns(traits);
    for spec in columns.iter_mut().filter(|spec| spec.column.head == "overshoot") {
        spec.column.axis = Some(axis);
    }
    let mut table = Rows::shown(columns, detail);
    for ns in durations(rows) {
        let of_it: Vec<&Wait> =
            rows.iter().copied().filter(|wait| wait.requested_ns == Some(ns)).collect();
        let (what, waits) = group(&of_it, traits.strip);
        table.group(format!("{what} {}", short(ns as f64)), waits);
        for wait in of_it {
            table.row(&(wait, several));
        }
    }
    blocks.push(Block::Table(table.table()));
    if traits.grid {
        let title = "With missed deadlines (corrected for coordinated omission):";
        blocks.push(Block::legend(title));
        let rows = rows.iter().filter(|wait| wait.grid.is_some());
        let rows: Vec<Labelled> = rows.map(|wait| (*wait, several)).collect();
        let table = Rows::shown(table::corrected(traits), detail);
        blocks.push(Block::Table(table.of_all(&rows)));
    }
    blocks.extend(remarks::view(rows));
    for wait in rows {
        blocks.extend(wait.moment.iter().flat_map(|m| remarks::moment(wait, m)));
    }
    blocks
}

fn heading(load: Load, rows: &[&Wait]) -> Vec<Block> {
    let own = rows.first().map_or("", |wait| wait.scheduling.as_str());
    let of_load = rows.iter().find_map(|wait| Some(&*wait.load_run.as_ref()?.scheduling));
    let about = match load {
        // The load keeps the priority that the tool was started with.
        Load::Normal if own.starts_with("fifo:") || own.starts_with("class:") => {
            "computation at the tool's usual priority, not that of the waits, on every CPU"
        }
        Load::High
            if own.starts_with("fifo:") && of_load.is_some_and(|it| it.starts_with("nice")) =>
        {
            "computation at a higher priority than usual, but below that of the waits"
        }
        Load::None => "nothing else started by the tool is running",
        Load::Low => "computation at the lowest priority on every CPU",
        Load::LowNice => "computation at a lower priority on every CPU",
        Load::Normal => "computation at the same priority on every CPU",
        Load::High => "computation at a higher priority",
        Load::Io => "synchronous writes on every CPU",
        Load::Memory => "memory traffic on every CPU",
        Load::Timers => "a storm of timer interrupts on every CPU",
        Load::Print => "lines printed to terminals on every CPU",
    };
    let title = format!("Waits, load {}", load.name());
    let mut blocks = vec![Block::noted(title, about)];
    blocks.extend(remarks::load(rows));
    let Some(first) = rows.first() else {
        return blocks;
    };
    let mut facts = Vec::new();
    if first.scheduling != "other" && !first.scheduling.is_empty() {
        facts.push(format!("Scheduling {}", first.scheduling));
    }
    if first.kept_awake {
        facts.push("CPUs kept out of deep idle states (/dev/cpu_dma_latency)".to_owned());
    }
    let cpus: BTreeSet<usize> = rows.iter().filter_map(|w| w.cpu).collect();
    if !cpus.is_empty() {
        let names: Vec<String> = cpus.iter().map(ToString::to_string).collect();
        facts.push(format!("Pinned to CPU {}", names.join(", ")));
    }
    if !facts.is_empty() {
        blocks.push(Block::paragraph(format!("{}.", facts.join(". "))));
    }
    blocks
}

/// The duration that a group of rows waited for, and how often, which is short if it becomes the
/// heading of a column.
fn group(rows: &[&Wait], short: bool) -> (&'static str, String) {
    let what = if rows.iter().any(|w| w.period_ns.is_some()) { "period" } else { "wait" };
    let samples = || rows.iter().map(|w| w.samples);
    let waits = match (samples().min(), samples().max()) {
        (Some(a), Some(b)) if a == b && short => format!("{} each", count(a)),
        (Some(a), Some(b)) if a == b => format!("{} each", plural(a, "wait", "waits")),
        (Some(a), Some(b)) if short => format!("{} to {} each", count(a), count(b)),
        (Some(a), Some(b)) => format!("{} to {} waits each", count(a), count(b)),
        _ => String::new(),
    };
    let lost = |w: &&Wait| w.load_run.as_ref().is_some_and(|run| run.lost() > 0);
    if rows.iter().any(lost) { (what, format!("{waits}, load incomplete")) } else { (what, waits) }
}

fn distributions(report: &Report) -> Vec<Distribution<'_>> {
    let of = |wait| Distribution { wait, tag: tag(wait), label: label(wait) };
    waits_of(report).map(of).collect()
}

/// What distinguishes one row from another.
fn tag(wait: &Wait) -> String {
    let default = if wait.default_slack { "default" } else { "" };
    let parts = [
        wait.slack_ns.map(|slack| format!(":{default}slack{slack}")),
        wait.timer_period_ms.map(|ms| format!(":period{ms}")),
        wait.slice_ns.map(|slice| format!(":slice{slice}")),
        wait.cpu.map(|cpu| format!(":cpu{cpu}")),
    ];
    let duration = wait.requested_ns.unwrap_or(0);
    let mut tag = format!("{}:{duration}ns:{}", wait.id, wait.load.name());
    tag.extend(parts.into_iter().flatten());
    tag.retain(|c| !c.is_control() && !c.is_whitespace() && c != ',');
    tag
}
