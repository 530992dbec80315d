//! The batches behind an estimate, for those who ask for everything.

use super::super::Detail;
use super::super::columns::{Of, Rows, column};
use super::{batch_terms, terms};
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
        let series: Vec<Series> =
            available.filter_map(|clock| Some((clock, estimate(clock)?))).collect();
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
        column("", &terms::CLOCK, |(clock, _): &Series| Cell::code(&clock.id)).full(0).name(12),
        figure(&batch_terms::RAW, |(_, e): &Series| Cell::number(Some(e.raw_ns))),
        figure(&batch_terms::MIN, |(_, e): &Series| Cell::number(Some(e.min_ns))),
        figure(&batch_terms::MEDIAN, |(_, e): &Series| Cell::number(Some(e.median_ns))),
        figure(&batch_terms::MAD, |(_, e): &Series| Cell::number(Some(e.mad_ns))),
        figure(&batch_terms::SD, |(_, e): &Series| Cell::number(e.sd_ns)),
        figure(&batch_terms::P99, |(_, e): &Series| Cell::number(Some(e.p99_ns))),
        figure(&batch_terms::MAX, |(_, e): &Series| Cell::number(Some(e.max_ns))),
        count(&batch_terms::BATCHES, |(_, e): &Series| Cell::count(Some(e.batches))),
        count(&batch_terms::READS, |(_, e): &Series| Cell::count(Some(e.reads_per_batch))),
        count(&batch_terms::DISTURBED, |(_, e): &Series| Cell::count(Some(e.disturbed))),
        column("", &batch_terms::STOPPED, |(_, e): &Series| {
            Cell::text(match e.stopped_by {
                StoppedBy::Precision => "precise",
                StoppedBy::Budget => "time",
            })
        })
        .full(0),
        count(&batch_terms::PROCESSES, |(_, e): &Series| Cell::count(e.processes.map(u64::from))),
        figure(&batch_terms::SHARED, |(_, e): &Series| Cell::number(e.shared_ns)),
        column("", &batch_terms::SECOND, |(_, e): &Series| {
            Cell::some(e.second, |second| {
                let share = percent(second.share);
                Value::Text(format!("{} ({share})", three(second.value_ns)))
            })
        })
        .full(0)
        .right(),
    ]
}
