//! The distribution of overshoots, for runs of a single method.

use super::rows::{durations, method, several_cpus, waits_of};
use crate::block::{Block, Cell, Column, Item, Table, Tone, Value};
use crate::number::{plural, short};
use chronoscope_model::Report;
use chronoscope_model::histogram::Decoded;
use chronoscope_model::waits::{Load, Wait};

/// The rows that were measured, if they are all of one method.
pub(super) fn only_method(report: &Report) -> Option<Vec<&Wait>> {
    let rows: Vec<&Wait> = waits_of(report).collect();
    let first = rows.first()?;
    rows.iter().all(|wait| wait.id == first.id).then_some(rows)
}

/// The distributions, one table for each load, slack and CPU, with a column for each duration, or
/// with bars if there is only one.
pub(super) fn view(rows: &[&Wait]) -> Vec<Block> {
    let key = |wait: &Wait| (wait.load, wait.slack_ns, wait.timer_period_ms, wait.cpu);
    let mut groups: Vec<Vec<&Wait>> = Vec::new();
    for &wait in rows {
        match groups.iter_mut().find(|group| key(group[0]) == key(wait)) {
            Some(group) => group.push(wait),
            None => groups.push(vec![wait]),
        }
    }
    let several = several_cpus(rows);
    groups.iter().flat_map(|group| table(group, several)).collect()
}

/// A column: the duration, the overshoots, and how many there are.
struct Series {
    ns: u64,
    hdr: Decoded,
}

fn table(rows: &[&Wait], several: bool) -> Vec<Block> {
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
    let edges = edges(&series);
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

/// How many values are in each bin. What is below the first edge, as an early wake is, counts as in
/// the first bin.
fn counts(hdr: &Decoded, edges: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for bucket in hdr.iter_recorded() {
        let value = hdr.lowest_equivalent(bucket.value_iterated_to());
        let bin = edges.partition_point(|edge| *edge <= value).saturating_sub(1);
        if let Some(count) = counts.get_mut(bin) {
            *count += bucket.count_at_value();
        }
    }
    counts
}

fn bin(edges: &[u64], nth: usize) -> Cell {
    let of = |edge: u64| short(edge as f64);
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
