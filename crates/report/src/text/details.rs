//! Where an estimate comes from: the figures behind it, for those who ask.

use super::number::{count, three};
use super::screen::Screen;
use super::style::{Style, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::estimate::StoppedBy;
use chronoscope_model::{Clock, Estimate, Report};

type Of = fn(&Clock) -> Option<&Estimate>;

/// The batches behind throughput and latency.
pub(super) fn render(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    let parts: [(&str, Of); 2] = [
        ("Batches, back to back", |c| c.cost.throughput.as_ref()),
        ("Batches, ordered", |c| c.cost.latency.as_ref()),
    ];
    for (title, of) in parts {
        let whole = table(report, of, true, true);
        if whole.is_empty() {
            continue;
        }
        screen.heading(title, "in ns per read, before the empty batch is taken off");
        screen.gap();
        if whole.fits(style) {
            screen.table(&whole);
        } else {
            screen.table(&table(report, of, true, false));
            screen.gap();
            screen.table(&table(report, of, false, true));
        }
    }
}

fn table(report: &Report, of: Of, figures: bool, batches: bool) -> Table {
    let mut columns = vec![Column::new("clock", Align::Left).giving_way(12)];
    if figures {
        let heads = ["raw", "min", "median", "MAD", "p99", "max"];
        columns.extend(heads.map(|head| Column::new(head, Align::Right)));
    }
    if batches {
        let heads = ["batches", "reads", "left out"];
        columns.extend(heads.map(|head| Column::new(head, Align::Right)));
        columns.push(Column::new("stopped", Align::Left));
    }
    let mut table = Table::new(columns);
    for clock in report.clocks.iter().filter(|c| c.available) {
        let Some(e) = of(clock) else { continue };
        let mut row: Vec<Cell> = vec![clean(&clock.id).into()];
        if figures {
            let values = [
                e.raw_ns,
                e.min_ns,
                e.median_ns,
                e.mad_ns,
                e.p99_ns,
                e.max_ns,
            ];
            row.extend(values.map(|ns| three(ns).into()));
        }
        if batches {
            let counts = [e.batches, e.reads_per_batch, e.disturbed];
            row.extend(counts.map(|n| count(n).into()));
            row.push(
                match e.stopped_by {
                    StoppedBy::Precision => "precise",
                    StoppedBy::Budget => "time",
                }
                .into(),
            );
        }
        table.row(row);
    }
    table
}
