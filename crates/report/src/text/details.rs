//! Where an estimate comes from: the figures behind it, for those who ask.

use super::number::{count, three};
use super::screen::Screen;
use super::style::{Style, clean};
use super::table::{Align, Column, Table};
use chronoscope_model::estimate::StoppedBy;
use chronoscope_model::{Estimate, Report};

/// The batches behind throughput and latency.
pub(super) fn render(screen: &mut Screen<'_>, report: &Report, _style: &Style) {
    type Of = fn(&chronoscope_model::Clock) -> Option<&Estimate>;
    let parts: [(&str, Of); 2] = [
        ("Batches, back to back", |c| c.cost.throughput.as_ref()),
        ("Batches, ordered", |c| c.cost.latency.as_ref()),
    ];
    for (title, of) in parts {
        let mut table = Table::new(vec![
            Column::new("\nclock", Align::Left).giving_way(12),
            Column::new("\nraw", Align::Right),
            Column::new("\nmin", Align::Right).gap(1),
            Column::new("\nmedian", Align::Right).gap(1),
            Column::new("\nMAD", Align::Right).gap(1),
            Column::new("\np99", Align::Right).gap(1),
            Column::new("\nmax", Align::Right).gap(1),
            Column::new("\nbatches", Align::Right).gap(1),
            Column::new("\nreads", Align::Right).gap(1),
            Column::new("left\nout", Align::Right).gap(1),
            Column::new("\nstopped", Align::Left).gap(1),
        ]);
        for clock in report.clocks.iter().filter(|c| c.available) {
            let Some(e) = of(clock) else { continue };
            table.row(vec![
                clean(&clock.id).into(),
                three(e.raw_ns).into(),
                three(e.min_ns).into(),
                three(e.median_ns).into(),
                three(e.mad_ns).into(),
                three(e.p99_ns).into(),
                three(e.max_ns).into(),
                count(e.batches).into(),
                count(e.reads_per_batch).into(),
                count(e.disturbed).into(),
                match e.stopped_by {
                    StoppedBy::Precision => "precise",
                    StoppedBy::Budget => "time",
                }
                .into(),
            ]);
        }
        if !table.is_empty() {
            screen.heading(title, "in ns per read, before the empty batch is taken off");
            screen.gap();
            screen.table(&table);
        }
    }
}
