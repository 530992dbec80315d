//! The clock sources on a page: each clock's cost under all of them.

use super::super::page::{Line, finding, joined, mark, table, together, whose};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column};
use crate::number::{short, three};
use crate::page::Input;
use crate::section::{Detail, page};
use chronoscope_model::clock::Clock;
use chronoscope_model::sweep::Source;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            let rows = input.report.sweep.iter().flat_map(super::rows);
            rows.map(move |(source, clock, _)| (of, line(inputs, of, source, clock)))
        });
        let lines = joined(inputs.len(), lines.collect::<Vec<_>>());
        let sentence = inputs.iter().find_map(|input| sentence(&input.report.sweep));
        let names = vec![Column::new("source").name(8).full()];
        let columns = [Column::new("a read"), Column::new("cost")];
        let title = "What a clock source costs";
        let mut blocks = vec![Block::remarked(title, finding(sentence.unwrap_or_default()))];
        blocks.push(Block::Table(table(inputs, lines, names, columns, Vec::new())));
        blocks.extend(page::each(inputs, |input| {
            (super::SECTION.view)(input.report, Detail::Everything)
        }));
        blocks
    })
}

/// The lines of a clock are a group, because a reader compares sources, not clocks.
fn line(inputs: &[Input<'_>], of: usize, source: &Source, clock: &Clock) -> Line {
    let name = whose(inputs, of, &format!("{} under {}", clock.id, source.name));
    let used = if source.original { " (in use)" } else { "" };
    Line {
        best: false,
        group: (clock.id.clone(), clock.call.clone()),
        key: source.name.clone(),
        names: vec![Cell::code(&source.name).shown(format!("{}{used}", source.name))],
        marks: mark(What::Read, clock.read(), of, &name).into_iter().collect(),
        figures: vec![clock.read().cloned()],
        rest: Vec::new(),
    }
}

/// The clock and the source that make the largest difference to the source in use.
fn sentence(sources: &[Source]) -> Option<String> {
    let original = sources.iter().find(|source| source.original)?;
    let cost = |clock: &Clock| clock.read()?.known_ns().filter(|ns| *ns > 0.0);
    let others = sources.iter().filter(|source| !source.original);
    let ratios = others.flat_map(|source| {
        super::rows(source).filter_map(move |(_, clock, _)| {
            let usual = original.clocks.iter().find(|it| it.id == clock.id && it.available)?;
            let (ns, usual) = (cost(clock)?, cost(usual)?);
            Some((ns / usual, ns, usual, source, clock))
        })
    });
    let (ratio, ns, usual, source, clock) = ratios
        .filter(|it| it.0.is_finite())
        .max_by(|a, b| a.0.ln().abs().total_cmp(&b.0.ln().abs()))?;
    Some(format!(
        "Under {}, a read of {} takes {}: {} times the {} under {}, the source in use.",
        source.name,
        clock.id,
        short(ns),
        three(ratio),
        short(usual),
        original.name
    ))
}
