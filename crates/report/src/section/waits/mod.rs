//! The waits: how exactly a thread can wait, one table for each load.

mod brief;
mod remarks;
mod table;
mod terms;
mod ticks;

pub use ticks::view as ticks;

use super::columns::Rows;
use super::{Detail, Distribution, Section};
use crate::block::{Block, Text, Tone};
use crate::number::{count, percent, plural, short};
use chronoscope_model::waits::{Load, StoppedBy, Wait};
use chronoscope_model::{Report, units};
use std::collections::BTreeSet;
use table::{Labelled, several_cpus};

/// The section.
pub const SECTION: Section = Section {
    id: "waits",
    records: &[("waits_plan", "waits-plan"), ("waits", "wait")],
    measured: true,
    terms: terms::ALL,
    view,
    table: Some(|report| {
        let rows: Vec<Labelled> = report.waits.iter().map(|wait| (wait, false)).collect();
        Rows::data(table::columns(true)).of_all(&rows)
    }),
    distributions: Some(distributions),
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return brief::view(report);
    }
    let mut blocks = Vec::new();
    if !report.waits.iter().any(|w| w.samples > 0) {
        blocks.push(Block::paragraph("No wait was measured."));
    }
    for load in Load::ALL {
        let of_it = |wait: &&Wait| wait.load == load && wait.samples > 0;
        let measured: Vec<&Wait> = report.waits.iter().filter(of_it).collect();
        if !measured.is_empty() {
            blocks.extend(under(load, &measured, detail));
        }
    }
    blocks.extend(remarks::unavailable(&report.waits, detail));
    blocks.extend(legend(report));
    blocks
}

/// Everything about the waits under one load.
fn under(load: Load, rows: &[&Wait], detail: Detail) -> Vec<Block> {
    let mut blocks = heading(load, rows);
    let grid = rows.iter().any(|wait| wait.grid.is_some());
    let several = several_cpus(rows);
    let mut table = Rows::shown(table::columns(grid), detail, &[]);
    for ns in durations(rows) {
        let of_it: Vec<&Wait> = rows
            .iter()
            .copied()
            .filter(|wait| wait.requested_ns == Some(ns))
            .collect();
        let (what, waits) = group(&of_it);
        table.group(format!("{what} {}", short(ns as f64)), waits);
        for wait in of_it {
            table.row(&(wait, several));
        }
    }
    blocks.push(Block::Table(table.table()));
    if grid {
        let title = "With missed deadlines (corrected for coordinated omission):";
        blocks.push(Block::Legend(title.into()));
        let rows = rows.iter().filter(|wait| wait.grid.is_some());
        let rows: Vec<Labelled> = rows.map(|wait| (*wait, several)).collect();
        let table = Rows::shown(table::corrected(), detail, &[]);
        blocks.push(Block::Table(table.of_all(&rows)));
    }
    blocks.extend(remarks::view(rows));
    for wait in rows {
        blocks.extend(wait.moment.iter().flat_map(|m| remarks::moment(wait, m)));
    }
    blocks
}

fn heading(load: Load, rows: &[&Wait]) -> Vec<Block> {
    let about = match load {
        Load::None => "nothing else started by the tool is running",
        Load::Low => "computation at a lower priority on every CPU",
        Load::Normal => "computation at the same priority on every CPU",
        Load::High => "computation at a higher priority",
        Load::Io => "synchronous writes on every CPU",
        Load::Memory => "memory traffic on every CPU",
        Load::Timers => "a storm of timer interrupts on every CPU",
    };
    let title = format!("Waits, load {}", load.name());
    let mut blocks = vec![Block::remarked(title, Text::toned(Tone::Dim, about))];
    if let Some(run) = rows.iter().find_map(|w| w.load_run.as_ref()) {
        let each: Vec<String> = run
            .processes
            .iter()
            .map(|p| format!("CPU {} {}", p.cpu, percent(p.cpu_s / run.seconds.max(1e-9))))
            .collect();
        blocks.push(Block::paragraph(format!(
            "The load, {} ({}), used {:.2} CPUs for {}: {}.",
            plural(run.processes.len() as u64, "process", "processes"),
            run.scheduling,
            run.cpus(),
            short(run.seconds * 1e9),
            each.join(", ")
        )));
        let loss = run.loss().map(|loss| Text::toned(Tone::Bad, format!("{loss}.")));
        blocks.extend(loss.map(Block::Paragraph));
        let notes = run.notes.iter();
        blocks.extend(notes.map(|note| Block::paragraph(format!("{note}."))));
    }
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

/// What the rows of one duration waited for, and how often.
fn group(rows: &[&Wait]) -> (&'static str, String) {
    let what = match rows.iter().any(|w| w.period_ns.is_some()) {
        true => "period",
        false => "wait",
    };
    let samples = || rows.iter().map(|w| w.samples);
    let waits = match (samples().min(), samples().max()) {
        (Some(a), Some(b)) if a == b => format!("{} each", plural(a, "wait", "waits")),
        (Some(a), Some(b)) => format!("{} to {} waits each", count(a), count(b)),
        _ => String::new(),
    };
    let lost = |w: &&Wait| w.load_run.as_ref().is_some_and(|run| run.lost() > 0);
    match rows.iter().any(lost) {
        true => (what, format!("{waits}, load incomplete")),
        false => (what, waits),
    }
}

fn durations(rows: &[&Wait]) -> BTreeSet<u64> {
    rows.iter().filter_map(|wait| wait.requested_ns).collect()
}

fn legend(report: &Report) -> Vec<Block> {
    let Some(first) = report.waits.iter().find(|w| w.samples > 0) else {
        return Vec::new();
    };
    let ruler = report.ruler.as_ref().map_or(String::new(), |ruler| {
        let compared = ruler.compared.as_ref();
        let compared = compared.map_or(String::new(), |it| format!(", {}", it.standing.name()));
        format!(
            ", measured with {} at {} (error at most {:.2} ppm of {}{compared})",
            ruler.id,
            units::human_hz(ruler.hz),
            ruler.hz_error_ppm,
            ruler.reference
        )
    });
    let clock = first.by_clock.as_ref().map_or(String::new(), |by| {
        format!(" The JSON also has the same waits measured with {}.", by.clock)
    });
    let single = match report.waits.iter().any(|w| w.period_ns.is_some()) {
        true => "Deadlines form a fixed grid.",
        false => "Single waits: each begins after the one before has ended.",
    };
    let mut blocks = vec![Block::Legend(
        format!(
            "Overshoot: the time at which the thread ran again minus the deadline{ruler}. early: \
             waits that ended before their deadline. CPU: CPU time of the waiting thread. \
             {single}{clock}"
        )
        .into(),
    )];
    if report.waits.iter().any(|w| w.timer_period_ms.is_some()) {
        blocks.push(Block::paragraph(
            "+period(1): after timeBeginPeriod(1). slack: the resulting period of the clock \
             interrupt, which other programs influence too.",
        ));
    }
    let interrupted = |wait: &Wait| wait.stopped_by == StoppedBy::Interrupt;
    if report.waits.iter().any(interrupted) {
        blocks.push(Block::paragraph(
            "The run was interrupted: these are the waits measured until then.",
        ));
    }
    blocks
}

fn distributions(report: &Report) -> Vec<Distribution<'_>> {
    let measured = report.waits.iter().filter(|wait| wait.samples > 0);
    measured.map(distribution).collect()
}

fn distribution(wait: &Wait) -> Distribution<'_> {
    let last = wait.moment.as_ref().and_then(|m| m.last_ns.last().copied());
    let median = || i64::try_from(wait.percentile(wait.overshoot.p50_ns)).unwrap_or(i64::MAX);
    let priority = wait.scheduling.strip_prefix("fifo:");
    Distribution {
        id: &wait.id,
        tag: tag(wait),
        load: wait.load.name(),
        cpu: wait.cpu,
        priority: priority.and_then(|n| n.parse().ok()).unwrap_or(0),
        interval_ns: wait.requested_ns.unwrap_or(0),
        seconds: wait.seconds,
        count: wait.samples,
        min_ns: wait.min_ns,
        mean_ns: wait.mean_ns,
        max_ns: wait.max_ns,
        last_ns: last.unwrap_or_else(median),
        missed: wait.grid.as_ref().map_or(0, |grid| grid.missed),
        histogram: &wait.overshoot,
        corrected: wait.grid.as_ref().map(|grid| &grid.corrected),
    }
}

/// What distinguishes one row from another.
fn tag(wait: &Wait) -> String {
    let duration = wait.requested_ns.unwrap_or(0);
    let mut tag = format!("{}:{duration}ns:{}", wait.id, wait.load.name());
    if let Some(slack) = wait.slack_ns {
        tag += &format!(":slack{slack}");
    }
    if let Some(ms) = wait.timer_period_ms {
        tag += &format!(":period{ms}");
    }
    if let Some(cpu) = wait.cpu {
        tag += &format!(":cpu{cpu}");
    }
    tag.retain(|c| !c.is_control() && !c.is_whitespace() && c != ',');
    tag
}
