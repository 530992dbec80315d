//! The figures of one duration, with a strip in each row: the rows of all loads and reports on one
//! axis.

use super::super::rows::{name, setting};
use super::super::{group, table};
use super::row::{self, Row};
use crate::block::chart::{Mark, What};
use crate::block::{Cell, Column, Item, Table, Tone, Value};
use crate::number::short;
use crate::page::Input;
use crate::section::Detail;
use crate::section::columns::{Rows, Spec, columns};
use chronoscope_model::quantile::Percentile::{self, P50, P90, P99, P999};
use chronoscope_model::waits::Wait;

type Line<'a> = &'a Row<'a>;

pub(super) fn table(inputs: &[Input<'_>], rows: &[&Row<'_>]) -> Table {
    let mut table = Rows::shown(figures(rows), Detail::Full);
    // The number of the report of each row.
    let mut reports = Vec::new();
    for load in row::loads(rows) {
        let mut of_it: Vec<&Row> =
            rows.iter().copied().filter(|row| row.wait.load == load).collect();
        let waits: Vec<&Wait> = of_it.iter().map(|row| row.wait).collect();
        table.group(capital(&super::next_to(load)), group(&waits, false).1);
        // The rows of a method follow each other, that of the first report first.
        let first = of_it.clone();
        let place = |row: &Row| first.iter().position(|it| it.name == row.name);
        of_it.sort_by_key(|row| place(row));
        for row in of_it {
            table.add(&row, row.advised);
            reports.push(row.of);
        }
    }
    let mut table = table.table();
    if inputs.len() > 1 {
        table.columns.insert(1, Column::new("report").also_name());
        let mut reports = reports.into_iter();
        for item in &mut table.items {
            if let Item::Row(row) = item {
                let name = reports.next().and_then(|of| inputs.get(of)).map(|it| it.name);
                row.cells.insert(1, Cell::words(name));
            }
        }
    }
    table
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn figures<'a>(rows: &[&Row<'_>]) -> Vec<Spec<Line<'a>>> {
    let has = |it: fn(&Wait) -> bool| rows.iter().any(|row| it(row.wait));
    let (slack, slice) = (has(|it| it.slack_ns.is_some()), has(|it| it.slice_ns.is_some()));
    let grid = has(|it| it.grid.is_some());
    let rare = has(|it| it.percentile(P999).is_some());
    columns! { row in Line;
        "" "method" [full whole_name] {
            let cell = name(&(row.wait, row.several_cpus));
            cell.toned_if(row.advised, Tone::Good)
        };
        "" "slack" [full_if(slack) also_name right close] setting(row.wait.slack_ns);
        "" "slice" [full_if(slice) also_name right close] setting(row.wait.slice_ns);
        "" "overshoot" [full] Cell::new(Value::Strip(marks(row)));
        "" "p50" [full right] Cell::whole_ns(row.wait.percentile(P50));
        "" "p50 95 %" [full right more] table::both(row.wait, P50);
        "" "p90" [full right] Cell::whole_ns(row.wait.percentile(P90));
        "" "p90 95 %" [full right more] table::both(row.wait, P90);
        "" "p99" [full right] Cell::whole_ns(row.wait.percentile(P99));
        "" "p99 95 %" [full right more] table::both(row.wait, P99);
        "" "p99.9" [full_if(rare) right] Cell::whole_ns(row.wait.percentile(P999));
        "" "max" [full right] Cell::ns(row.wait.max_ns as f64);
        "" "early" [full right] {
            let early = row.wait.early;
            Cell::count(early).toned(if early > 0 { Tone::Bad } else { Tone::Dim })
        };
        "" "CPU" [full right] Cell::some(row.wait.cpu_share, Value::Share).said(row.wait.cpu_words()).or("");
        "" "waits" [full right] Cell::count(row.wait.samples);
        "" "missed" [full_if(grid) right] Cell::count(row.wait.grid.as_ref().map(|it| it.missed));
        "" "deadlines" [full_if(grid) right more]
            Cell::count(row.wait.grid.as_ref().map(|it| it.corrected.count));
        "" "p50, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P50));
        "" "p99, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P99));
        "" "p99.9, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P999));
    }
}

/// The median, the 90th and the 99th percentile as far as there are waits for them, and the worst.
fn marks(row: &Row<'_>) -> Vec<Mark> {
    // A logarithmic axis has no place for 0.
    let place = |ns: u64| ns.max(1) as f64;
    let wait = row.wait;
    let percentiles = [(What::Median, P50), (What::P90, P90), (What::P99, P99)];
    let of = |(what, percentile): (What, Percentile)| {
        let ns = wait.percentile(percentile)?;
        let interval = wait.intervals.get(percentile);
        let unknown = u64::try_from(wait.max_ns).unwrap_or(0);
        let low = interval.map_or(ns, |it| it.low_ns).min(ns);
        let high = interval.map_or(ns, |it| it.high_ns.unwrap_or(unknown)).max(ns);
        let figure = format!("{} {}", percentile.name(), short(ns as f64));
        let words = match table::both(wait, percentile).value {
            Value::Text(range) => format!("{} · {figure}, 95 %: {range}", row.name),
            _ => format!("{} · {figure}", row.name),
        };
        let (value, low, high) = (place(ns), place(low), place(high));
        Some(Mark { what, value, low, high, of: row.of, words })
    };
    let mut marks: Vec<Mark> = percentiles.into_iter().filter_map(of).collect();
    let worst = place(u64::try_from(wait.max_ns).unwrap_or(0));
    let words = format!("{} · worst {}", row.name, short(wait.max_ns as f64));
    marks.push(Mark {
        what: What::Worst,
        value: worst,
        low: worst,
        high: worst,
        of: row.of,
        words,
    });
    marks
}
