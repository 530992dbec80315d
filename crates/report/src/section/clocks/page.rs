//! The clocks on a page: what a read costs, as strips, then everything else that was measured.

use super::super::page::{Line, finding, joined, mark, table as lines_of, together, whose};
use super::table::{smallest, verdict};
use super::{KINDS, PARTS, batches, bulk, by_cost, columns, legend, loaded, matrix, order};
use super::{of_kind, unavailable};
use crate::block::chart::{Mark, What};
use crate::block::{Block, Cell, Column, Rank, Table};
use crate::number::short;
use crate::page::Input;
use crate::section::columns::Rows;
use crate::section::{Detail, page};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind, Reads};

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            KINDS.into_iter().flat_map(move |(kind, name, remark)| {
                let mut clocks = of_kind(input.report, kind);
                by_cost(&mut clocks);
                clocks.into_iter().map(move |it| (of, line(inputs, of, it, (name, remark))))
            })
        });
        let lines = joined(inputs.len(), lines.collect::<Vec<_>>());
        let names = vec![Column::new("clock").also_name().full()];
        let columns = [Column::new("cost"), Column::new("read")];
        let rest = vec![
            Column::new("ordered").unit("ns").decimal().full(),
            Column::new("resolution").right().full(),
            Column::new("verdict").full(),
        ];
        let sentence = inputs.iter().find_map(|input| sentence(input.report));
        let title = "What a read costs";
        let mut blocks = vec![Block::remarked(title, finding(sentence.unwrap_or_default()))];
        blocks.push(Block::Table(lines_of(inputs, lines, names, columns, rest)));
        blocks.extend(page::each(inputs, |input| others(input.report)));
        blocks
    })
}

fn line(inputs: &[Input<'_>], of: usize, clock: &Clock, group: (&str, &str)) -> Line {
    let cost = &clock.cost;
    let all = [
        (What::Read, "read", &cost.throughput),
        (What::Ordered, "ordered", &cost.latency),
        (What::Cold, "cold", &cost.cold),
    ];
    let marks = all.into_iter().filter_map(|(what, name, estimate)| {
        let whose = whose(inputs, of, &format!("{}, {name}", clock.id));
        mark(what, estimate.as_ref(), of, &whose)
    });
    let marks: Vec<Mark> = marks.collect();
    Line {
        group: (group.0.into(), group.1.into()),
        key: clock.id.clone(),
        names: vec![Cell::code(&clock.id)],
        best: clock.best,
        marks,
        figures: vec![clock.read().cloned()],
        rest: vec![Cell::estimate(clock.ordered()), smallest(clock), verdict(clock)],
    }
}

/// What the clock to use for durations costs, and the same clock through a system call.
fn sentence(report: &Report) -> Option<String> {
    let monotonic = of_kind(report, Kind::Monotonic);
    let best = monotonic.iter().find(|clock| clock.best)?;
    let cost = best.read()?.known_ns()?;
    let text = format!("A read of {} takes {}", best.id, short(cost));
    let is_call = |clock: &&&Clock| {
        let reads = clock.facts.as_ref().map(|facts| facts.reads);
        clock.alternative_to.as_ref() == Some(&best.id) && reads == Some(Reads::SystemCall)
    };
    let calls = monotonic.iter().filter(is_call);
    let call = calls.filter_map(|clock| clock.read()?.known_ns()).min_by(f64::total_cmp);
    Some(match call {
        Some(ns) => format!("{text}; the same clock through a system call, {}.", short(ns)),
        None => format!("{text}."),
    })
}

/// What the clocks show besides, and how they were measured.
fn others(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    let table = besides(report);
    if !table.is_empty() {
        blocks.push(Block::Table(table));
        blocks.push(Block::legend(legend(report, Detail::Full)));
    }
    blocks.extend(matrix::view(report));
    blocks.extend(batches::view(report));
    blocks.extend(loaded::view(report));
    blocks.extend(order::view(report));
    blocks.extend(bulk::view(report));
    blocks.extend(unavailable(report));
    blocks
}

/// The table of the screen without its pictures and the costs that the strips show.
fn besides(report: &Report) -> Table {
    let shown = |column: &Column| {
        column.rank == Rank::Name || !["", "throughput", "latency"].contains(&column.key)
    };
    let specs = columns(report).into_iter().filter(|spec| shown(&spec.column)).collect();
    let mut rows = Rows::shown(specs, Detail::Full).parts(PARTS);
    for (kind, name, remark) in KINDS {
        let clocks = of_kind(report, kind);
        if !clocks.is_empty() {
            rows.group(name, remark);
        }
        clocks.into_iter().for_each(|clock| rows.add(clock, clock.best));
    }
    rows.table()
}
