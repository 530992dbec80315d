//! The batches behind an estimate, for those who ask for everything.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::terms;
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::number::three;
use chronoscope_model::estimate::StoppedBy;
use chronoscope_model::units::percent;
use chronoscope_model::{Clock, Estimate, Report};

/// A clock and one of its estimates.
type Series<'a> = (&'a Clock, &'a Estimate);

/// The batches behind throughput and latency.
pub(super) fn view(report: &Report) -> Vec<Block> {
    type Part = fn(&Clock) -> Option<&Estimate>;
    let parts: [(&str, Part); 2] = [
        ("Batches, back to back", |c| c.cost.throughput.as_ref()),
        ("Batches, ordered", |c| c.cost.latency.as_ref()),
    ];
    let mut blocks = Vec::new();
    for (title, estimate) in parts {
        let available = report.clocks.iter().filter(|clock| clock.available);
        let series: Vec<Series> = available
            .filter_map(|clock| Some((clock, estimate(clock)?)))
            .collect();
        if !series.is_empty() {
            let remark = Text::toned(Tone::Dim, "per read, with the empty loop still in it");
            blocks.push(Block::remarked(title, remark));
            let rows = Rows::shown(columns(), Detail::Everything, &[]);
            blocks.push(Block::Table(rows.of_all(&series)));
        }
    }
    blocks
}

fn columns<'a>() -> Vec<Of<Series<'a>>> {
    let figure = |term, cell| column("", term, cell).full(0).unit("ns").decimal();
    let count = |term, cell| column("", term, cell).full(0).right();
    vec![
        column("", &terms::CLOCK, |(clock, _): &Series| Cell::code(&clock.id))
            .full(0)
            .name(12),
        figure(&terms::RAW, |(_, e): &Series| Cell::number(Some(e.raw_ns))),
        figure(&terms::MIN, |(_, e): &Series| Cell::number(Some(e.min_ns))),
        figure(&terms::MEDIAN, |(_, e): &Series| Cell::number(Some(e.median_ns))),
        figure(&terms::MAD, |(_, e): &Series| Cell::number(Some(e.mad_ns))),
        figure(&terms::SD, |(_, e): &Series| Cell::number(e.sd_ns)),
        figure(&terms::P99, |(_, e): &Series| Cell::number(Some(e.p99_ns))),
        figure(&terms::MAX, |(_, e): &Series| Cell::number(Some(e.max_ns))),
        count(&terms::BATCHES, |(_, e): &Series| Cell::count(Some(e.batches))),
        count(&terms::READS, |(_, e): &Series| Cell::count(Some(e.reads_per_batch))),
        count(&terms::DISTURBED, |(_, e): &Series| Cell::count(Some(e.disturbed))),
        column("", &terms::STOPPED, |(_, e): &Series| {
            Cell::text(match e.stopped_by {
                StoppedBy::Precision => "precise",
                StoppedBy::Budget => "time",
            })
        })
        .full(0),
        count(&terms::PROCESSES, |(_, e): &Series| {
            Cell::count(e.processes.map(u64::from))
        }),
        figure(&terms::SHARED, |(_, e): &Series| Cell::number(e.shared_ns)),
        column("", &terms::SECOND, |(_, e): &Series| {
            Cell::some(e.second, |second| {
                let share = percent(second.share);
                Value::Text(format!("{} ({share})", three(second.value_ns)))
            })
        })
        .full(0)
        .right(),
    ]
}
