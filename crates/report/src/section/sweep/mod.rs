//! The same clocks under every clock source of the kernel.

use super::clocks::smallest;
use super::{
    Detail, Line, Rows, SECTION as PLAIN, Section, Spec, absent, columns, cost_mark, each,
    lines_blocks, runtimes, together, whose,
};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column, Tone};
use crate::number::{percent, three};
use crate::page::Input;
use chronoscope_model::Report;
use chronoscope_model::clock::{self, Clock};
use chronoscope_model::deltas::Deltas;
use chronoscope_model::packed::packed;
use chronoscope_model::sweep::Source;

pub const SECTION: Section = Section {
    id: "sweep",
    records: &[("sweep", "sweep")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    page: Some(page),
    table: Some(|report| Rows::data(columns()).of_all(report.sweep.iter().flat_map(rows))),
    ..PLAIN
};

/// A clock under a source, with the differences between its reads.
type Row<'a> = (&'a Source, &'a Clock, Option<&'a Deltas>);

fn rows(source: &Source) -> impl Iterator<Item = Row<'_>> {
    source.clocks.iter().filter(|clock| clock.available).map(move |clock| {
        let mut all = source.deltas.iter();
        (source, clock, all.find(|deltas| deltas.id == clock.id))
    })
}

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if report.sweep.is_empty() {
        return absent(detail, "No clock source was tried.");
    }
    let mut table = Rows::shown(columns(), detail);
    for source in &report.sweep {
        let remark = if source.original { "in use before and after" } else { "" };
        table.group(&source.name, remark);
        for row in rows(source) {
            table.row(&row);
        }
    }
    let mut blocks = vec![Block::heading("Clock sources"), Block::Table(table.table())];
    for source in &report.sweep {
        if let Some(why) = &source.left_out {
            let text = format!("Under {}: {}.", source.name, why.trim_end_matches('.'));
            blocks.push(Block::toned(Tone::Warn, text));
        }
    }
    blocks.extend(runtimes::under_sources(report, detail));
    blocks
}

fn columns<'a>() -> Vec<Spec<Row<'a>>> {
    columns! { (source, clock, deltas) in Row;
        "source" "source" [] Cell::code(&source.name);
        "id" "swept clock" [brief full name(12)] Cell::code(&clock.id);
        "cost_ns" "cost" [brief full unit("ns") decimal] Cell::cost(clock.read());
        "tick_ns" "tick" [full right] {
            let resolution = clock.resolution.as_ref();
            Cell::ns(resolution.and_then(clock::Resolution::step_ns))
        };
        "resolution_ns" "resolution" [brief full right] smallest(clock);
        "zero_share" "equal\nreads" [full right] {
            let share = deltas.map(|deltas| deltas.zero_share);
            Cell::number(share).said(share.map(percent))
        };
        "negative" "steps\nback" [full right] {
            let negative = deltas.map(|deltas| deltas.negative);
            Cell::count(negative).toned_if(negative > Some(0), Tone::Bad)
        };
        "max_ns" "largest\ndelta" [full right]
            Cell::ns(deltas.map(|deltas| deltas.max_ticks as f64 * deltas.ns_per_tick));
    }
}

// The clock sources on a page: each clock's cost under all of them.

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            let rows = input.report.sweep.iter().flat_map(rows);
            rows.map(move |(source, clock, _)| (of, page_line(inputs, of, source, clock)))
        });
        let sentence = inputs.iter().find_map(|input| page_sentence(&input.report.sweep));
        let names = vec![Column::new("source").name(8).full()];
        let columns = [Column::new("a read"), Column::new("cost")];
        let title = "What a clock source costs";
        let mut blocks = lines_blocks(inputs, title, sentence, lines, names, columns, Vec::new());
        blocks.extend(each(inputs, |input| (SECTION.view)(input.report, Detail::Everything)));
        blocks
    })
}

/// The lines of a clock are a group, because a reader compares sources, not clocks.
fn page_line(inputs: &[Input<'_>], of: usize, source: &Source, clock: &Clock) -> Line {
    let name = whose(inputs, of, &format!("{} under {}", clock.id, source.name));
    let used = if source.original { " (in use)" } else { "" };
    Line {
        group: (clock.id.clone(), clock.call.clone()),
        key: source.name.clone(),
        names: vec![Cell::code(&source.name).shown(format!("{}{used}", source.name))],
        marks: cost_mark(What::Read, clock.read(), of, &name).into_iter().collect(),
        figures: vec![clock.read().cloned()],
        ..Line::default()
    }
}

/// The clock and the source that make the largest difference to the source in use.
fn page_sentence(sources: &[Source]) -> Option<String> {
    let original = sources.iter().find(|source| source.original)?;
    let cost = |clock: &Clock| clock.read()?.known_ns().filter(|ns| *ns > 0.0);
    let others = sources.iter().filter(|source| !source.original);
    let ratios = others.flat_map(|source| {
        rows(source).filter_map(move |(_, clock, _)| {
            let usual = original.clocks.iter().find(|it| it.id == clock.id && it.available)?;
            Some((cost(clock)? / cost(usual)?, usual, source, clock))
        })
    });
    let (ratio, usual, source, clock) = ratios
        .filter(|it| it.0.is_finite())
        .max_by(|a, b| a.0.ln().abs().total_cmp(&b.0.ln().abs()))?;
    Some(format!(
        "Under {}, a read of {} takes {}: {} times the {} under {}, the source in use.",
        source.name,
        clock.id,
        clock.read()?.human()?,
        three(ratio),
        usual.read()?.human()?,
        original.name
    ))
}
