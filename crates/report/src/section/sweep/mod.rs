//! The same clocks under every clock source of the kernel.

mod page;

use super::columns::{Rows, Spec, columns};
use super::{Detail, SECTION as PLAIN, Section, runtimes};
use crate::block::{Block, Cell, Tone};
use crate::number::{percent, short};
use chronoscope_model::clock::{Clock, Limit};
use chronoscope_model::deltas::Deltas;
use chronoscope_model::sweep::Source;
use chronoscope_model::{Report, clock};

pub const SECTION: Section = Section {
    id: "sweep",
    records: &[("sweep", "sweep")],
    measured: true,
    terms: include_str!("terms.md"),
    view,
    page: Some(page::page),
    table: Some(|report| {
        let rows: Vec<Row> = report.sweep.iter().flat_map(rows).collect();
        Rows::data(columns()).of_all(&rows)
    }),
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
        return match detail {
            Detail::Brief => Vec::new(),
            _ => vec![Block::paragraph("No clock source was tried.")],
        };
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
        "cost_ns" "cost" [brief full unit("ns") decimal] Cell::estimate(clock.read());
        "tick_ns" "tick" [full right] {
            let resolution = clock.resolution.as_ref();
            Cell::ns(resolution.and_then(clock::Resolution::step_ns))
        };
        "resolution_ns" "resolution" [brief full right] {
            let by_cost = clock.resolution.as_ref().is_some_and(|r| r.verdict == Limit::Latency);
            let found = clock.measured_ns();
            let about = found.filter(|_| by_cost).map(|ns| format!("~{}", short(ns)));
            Cell::ns(found).said(about)
        };
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
