//! The batches behind an estimate, for those who ask for everything.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell};
use crate::number::three;
use chronoscope_model::estimate::SampledTo;
use chronoscope_model::units::percent;
use chronoscope_model::{Clock, Estimate, Report};

type Series<'a> = (&'a Clock, &'a Estimate);

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
            let remark = "per read, with the empty loop still in it";
            blocks.push(Block::noted(title, remark));
            let rows = Rows::shown(columns(), Detail::Everything);
            blocks.push(Block::Table(rows.of_all(&series)));
        }
    }
    blocks
}

fn columns<'a>() -> Vec<Spec<Series<'a>>> {
    columns! { (clock, e) in Series;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "raw" [full unit("ns") decimal] Cell::number(e.raw_ns);
        "" "min" [full unit("ns") decimal] Cell::number(e.min_ns);
        "" "median" [full unit("ns") decimal] Cell::number(e.median_ns);
        "" "MAD" [full unit("ns") decimal] Cell::number(e.mad_ns);
        "" "SD" [full unit("ns") decimal] Cell::number(e.sd_ns);
        "" "p99" [full unit("ns") decimal] Cell::number(e.p99_ns);
        "" "max" [full unit("ns") decimal] Cell::number(e.max_ns);
        "" "batches" [full right] Cell::count(e.batches);
        "" "reads" [full right] Cell::count(e.reads_per_batch);
        "" "disturbed" [full right] Cell::count(e.disturbed);
        "" "stopped" [full] Cell::text(match e.stopped_by {
            SampledTo::Precision => "precise",
            SampledTo::Budget => "time",
        });
        "" "processes" [full right] Cell::count(e.processes.map(u64::from));
        "" "apart" [full right] Cell::words(e.apart().map(|[least, most]| {
            format!("{} to {}", three(least), three(most))
        }));
        "" "shared" [full unit("ns") decimal] Cell::number(e.shared_ns);
        "" "second" [full right] Cell::words(e.second.map(|second| {
            format!("{} ({})", three(second.value_ns), percent(second.share))
        }));
    }
}
