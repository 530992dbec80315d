//! The distribution of overshoots, for runs of a single method, or in bins of one width.

use super::{durations, method, method_cell, setting, several_cpus, waits_of};
use crate::block::{Block, Cell, Column, Item, Table, Tone, Value};
use crate::number::{count, plural, short};
use crate::section::shared::by_key;
use chronoscope_model::Report;
use chronoscope_model::histogram::Decoded;
use chronoscope_model::waits::{Load, Wait};
use std::collections::BTreeSet;

/// The rows that were measured, if they are all of one method.
pub(super) fn only_method(report: &Report) -> Option<Vec<&Wait>> {
    let rows: Vec<&Wait> = waits_of(report).collect();
    let first = rows.first()?;
    rows.iter().all(|wait| wait.id == first.id).then_some(rows)
}

/// The distributions, one table for each method, load, setting and CPU, with a column for each
/// duration, or with bars if there is only one. With a `width` of its bins, in nanoseconds, each
/// row has a table; otherwise, bins are on a logarithmic scale.
pub(super) fn view(rows: &[&Wait], width: Option<u64>) -> Vec<Block> {
    let key = |wait: &Wait| {
        let set = (wait.slack_ns, wait.slice_ns, wait.timer_period_ms, wait.timer_resolution_ns);
        (wait.id.clone(), wait.load, set, wait.cpu, width.and(wait.requested_ns))
    };
    let several = several_cpus(rows);
    let groups = by_key(rows.iter().map(|wait| (key(wait), *wait)));
    groups.iter().flat_map(|(_, group)| table(group, several, width)).collect()
}

/// A column: the duration, the overshoots, and how many there are.
struct Series {
    ns: u64,
    hdr: Decoded,
}

fn table(rows: &[&Wait], several: bool, width: Option<u64>) -> Vec<Block> {
    let all = durations(rows).into_iter();
    let series: Vec<Series> = all
        .filter_map(|ns| {
            let wait = rows.iter().find(|wait| wait.requested_ns == Some(ns))?;
            // A histogram that cannot be read leaves its column out; its figures are in the table.
            let histogram = wait.grid.as_ref().map_or(&wait.overshoot, |grid| &grid.corrected);
            let hdr = histogram.decode().ok()?;
            (!hdr.is_empty()).then_some(Series { ns, hdr })
        })
        .collect();
    let [first, ..] = rows else {
        return Vec::new();
    };
    if series.is_empty() {
        return Vec::new();
    }
    let edges = width.map_or_else(|| edges(&series), |width| even(&series, width));
    let table = match series.as_slice() {
        [only] => bars(only, &edges),
        several => shares(several, &edges),
    };
    let mut facts = vec![method(first)];
    if let [only] = series.as_slice() {
        let waits = plural(only.hdr.len(), "wait", "waits");
        facts.push(format!("{waits} of {}", short(only.ns as f64)));
    }
    if let Some(slack) = first.slack_ns {
        facts.push(format!("slack {}", short(slack as f64)));
    }
    if let Some(slice) = first.slice_ns {
        facts.push(format!("slice {}", short(slice as f64)));
    }
    if first.load != Load::None {
        facts.push(format!("load {}", first.load.name()));
    }
    if let (Some(cpu), true) = (first.cpu, several) {
        facts.push(format!("CPU {cpu}"));
    }
    if first.grid.is_some() {
        facts.push("missed deadlines included".into());
    }
    vec![Block::noted("Distribution of overshoot", facts.join(", ")), Block::Table(table)]
}

/// From this time on, in seconds, a run is long: the screen shows the distribution of each row.
const LONG_S: f64 = 600.0;

pub(super) fn is_long(rows: &[&Wait]) -> bool {
    rows.iter().map(|wait| wait.seconds).sum::<f64>() >= LONG_S
}

/// The most columns of a strip.
const STRIP: usize = 36;
/// The heights of a bin of a strip, for shares from the lowest to that of the fullest bin.
const HEIGHTS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/// The distributions of many rows, one line for each, above a common logarithmic axis.
pub(super) fn of_each(rows: &[&Wait]) -> Vec<Block> {
    let several = several_cpus(rows);
    let all: Vec<(&Wait, Decoded)> = rows
        .iter()
        .filter_map(|wait| Some((*wait, wait.overshoot.decode().ok().filter(|it| !it.is_empty())?)))
        .collect();
    let low = all.iter().map(|(_, hdr)| hdr.min().max(1).ilog10()).min().unwrap_or(0);
    let high = all.iter().map(|(_, hdr)| hdr.max().max(1).ilog10() + 1).max().unwrap_or(0);
    let Some(decades) = high.checked_sub(low).filter(|decades| *decades > 0) else {
        return Vec::new();
    };
    // Ten bins in a decade, or as many as there is room for.
    let each = (STRIP / decades as usize).clamp(1, 10);
    let bins = each * decades as usize;
    let place = |ns: u64| {
        let place = ((ns.max(1) as f64).log10() - f64::from(low)) * each as f64;
        (place.max(0.0) as usize).min(bins - 1)
    };
    let strip = |hdr: &Decoded| {
        let mut counts = vec![0u64; bins];
        for bucket in hdr.iter_recorded() {
            let value = hdr.lowest_equivalent(bucket.value_iterated_to());
            counts[place(value)] += bucket.count_at_value();
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let top = HEIGHTS.len() as u64;
        let height = |n: u64| (u128::from(n) * u128::from(top)).div_ceil(u128::from(most)) as usize;
        let sign = |n: &u64| height(*n).checked_sub(1).map_or(' ', |at| HEIGHTS[at]);
        // The axis keeps the blanks that follow it.
        std::iter::once('|').chain(counts.iter().map(sign)).collect::<String>()
    };
    let mut axis = String::new();
    // A label, such as |100 us, takes seven columns.
    for decade in (low..high).step_by(7 / each + 1) {
        let at = (decade - low) as usize * each;
        axis = format!("{axis:at$}|{}", short(10f64.powi(decade as i32)));
    }
    let blank = || Cell::text("");
    let mut items: Vec<Item> = vec![vec![blank(), blank(), blank(), Cell::text(axis)].into()];
    items.extend(all.iter().map(|(wait, hdr)| {
        let asked = wait.requested_ns.map_or(String::new(), |ns| short(ns as f64));
        let name = method_cell(&(wait, several));
        vec![name, setting(wait.slack_ns), Cell::text(asked), Cell::text(strip(hdr))].into()
    }));
    let columns = vec![
        Column::new("method").whole_name(),
        Column::new("slack").also_name().right().close(),
        Column::new("wait").also_name().right().close(),
        Column::new("distribution"),
    ];
    let about = "logarithmic; the height is the share of the row's waits, and each wait shows";
    vec![
        Block::noted("Distribution of overshoot", about),
        Block::Table(Table { columns, items, ..Table::default() }),
    ]
}

/// The edges of the bins in a decade, as multiples of its power of ten; many decades have fewer.
const STEPS: [u64; 3] = [1, 2, 5];
/// From this many decades on, a bin is a decade.
const WIDE: usize = 6;

/// The edges of the bins, from the one at or below the smallest value to the one above the largest.
fn edges(series: &[Series]) -> Vec<u64> {
    let low = series.iter().map(|s| s.hdr.min()).min().unwrap_or(0).max(1);
    let high = series.iter().map(|s| s.hdr.max()).max().unwrap_or(1).max(low);
    let decades = (high / low).checked_ilog10().unwrap_or(0) as usize;
    let steps = if decades >= WIDE { &STEPS[..1] } else { &STEPS[..] };
    let powers = (0..=13u32).map(|power| 10u64.pow(power));
    let all: Vec<u64> = powers.flat_map(|ten| steps.iter().map(move |step| step * ten)).collect();
    let first = all.iter().rposition(|edge| *edge <= low).unwrap_or(0);
    let last = all.iter().position(|edge| *edge > high).unwrap_or(all.len() - 1);
    all[first..=last].to_vec()
}

/// The edges of the bins of this width that hold a value; what is between two of them is one bin.
fn even(series: &[Series], width: u64) -> Vec<u64> {
    let values = series.iter().flat_map(|s| s.hdr.iter_recorded());
    let values = values.map(|bucket| bucket.value_iterated_to());
    let edges = values.map(|value| value / width * width);
    edges.flat_map(|edge| [edge, edge + width]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How many values are in each bin. What is below the first edge, as an early wake is, counts as in
/// the first bin.
fn counts(hdr: &Decoded, edges: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for bucket in hdr.iter_recorded() {
        let value = bucket.value_iterated_to();
        let bin = edges.partition_point(|edge| *edge <= value).saturating_sub(1);
        if let Some(count) = counts.get_mut(bin) {
            *count += bucket.count_at_value();
        }
    }
    counts
}

fn bin(edges: &[u64], nth: usize) -> Cell {
    let of = |edge: u64| match edge {
        1_000_000.. if !edge.is_multiple_of(1_000_000) => format!("{} us", count(edge / 1000)),
        _ => short(edge as f64),
    };
    // Early wakes are in the histogram as 0, below the lowest edge that there is.
    let text = match edges[nth] {
        0 | 1 => format!("below {}", of(edges[nth + 1])),
        edge => format!("{} to {}", of(edge), of(edges[nth + 1])),
    };
    Cell::text(text)
}

fn rows(edges: &[u64], cells: impl Fn(usize) -> Vec<Cell>) -> Vec<Item> {
    let bins = 0..edges.len().saturating_sub(1);
    bins.map(|nth| [vec![bin(edges, nth)], cells(nth)].concat().into()).collect()
}

fn range() -> Column {
    Column::new("overshoot").also_name().right()
}

fn bars(series: &Series, edges: &[u64]) -> Table {
    let counts = counts(&series.hdr, edges);
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let all = series.hdr.len().max(1) as f64;
    let columns = vec![
        range(),
        Column::new("waits").right(),
        Column::new("share").right(),
        Column::new("distribution"),
    ];
    let items = rows(edges, |nth| {
        let n = counts[nth] as f64;
        let bar = Cell::new(Value::Bar(n / most)).toned(Tone::Name);
        vec![Cell::count(counts[nth]), share(n / all), bar]
    });
    Table { columns, items, ..Table::default() }
}

fn shares(series: &[Series], edges: &[u64]) -> Table {
    let counts: Vec<Vec<u64>> = series.iter().map(|s| counts(&s.hdr, edges)).collect();
    let at = |s: &Series| Column::new(format!("at {}", short(s.ns as f64))).right().close();
    let items = rows(edges, |nth| {
        let of = |(s, counts): (&Series, &Vec<u64>)| {
            share(counts[nth] as f64 / s.hdr.len().max(1) as f64)
        };
        series.iter().zip(&counts).map(of).collect()
    });
    let columns = [range()].into_iter().chain(series.iter().map(at)).collect();
    Table { columns, items, ..Table::default() }
}

/// A share; an empty bin is empty.
fn share(share: f64) -> Cell {
    let cell = Cell::new(Value::Share(share));
    if share > 0.0 { cell } else { cell.shown("") }
}
