//! How many waits had each overshoot, with logarithmic counts, so that a single late wait among a
//! million shows: the plot that OSADL draws of the figures of `cyclictest`. Theirs has a linear
//! axis in microseconds up to 400; this one is logarithmic, because spins that are 100 ns late and
//! waits that are 10 ms late must both be on it, and nothing may be beyond its end.

use super::row::{self, Row};
use crate::block::Block;
use crate::block::chart::{Axis, Chart, Drawn, Note, Place, Plane, Series, Shape};
use crate::number::{count, plural, short};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::quantile::Percentile;
use std::collections::BTreeMap;

/// Bins in a decade.
const BINS: f64 = 10.0;
/// Where an empty bin is drawn: below a single wait.
const NONE: f64 = 0.5;

/// The charts; none if there are so few waits that the percentile curves show each of them.
pub(super) fn view(inputs: &[Input<'_>], rows: &[&Row<'_>], what: &str) -> Vec<Block> {
    let enough = |row: &&Row| Percentile::P99.is_supported_by(row.count());
    if !rows.iter().any(enough) {
        return Vec::new();
    }
    let floor = row::floor(rows);
    let all: Vec<BTreeMap<i32, u64>> = rows.iter().map(|row| bins(row, floor)).collect();
    let fullest = all.iter().flat_map(BTreeMap::values).max().copied().unwrap_or(1);
    let edges = all.iter().flat_map(BTreeMap::keys).flat_map(|at| [*at, at + 1]);
    let x = Scale::log(Unit::Ns, edges.map(edge));
    let y = Scale::log(Unit::Count, [NONE, fullest as f64]);
    let chart = |(load, of, rows): (_, Option<usize>, Vec<&Row>)| {
        let title = format!("Counts of a {what}");
        let title = row::title(&title, inputs, (load, of), &rows);
        let series = rows.iter().map(|row| Series {
            name: row.label(if of.is_some() { &[] } else { inputs }),
            hue: row::hue(row, inputs, of),
            shape: Shape::Steps(steps(row, floor)),
        });
        let series = series.collect();
        let latest = rows.iter().filter_map(|row| Some((row.overshoots.last()?.0, *row)));
        let latest = latest.max_by(|a, b| a.0.total_cmp(&b.0));
        let words = latest.map(|(ns, row)| format!("latest: {}, {}", short(ns), row.name));
        let waits = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.count()));
        let alt = format!(
            "{title}. {} in {}; {}.",
            plural(waits, "wait", "waits"),
            plural(rows.len() as u64, "row", "rows"),
            words.as_deref().unwrap_or("no wait")
        );
        let at = latest.map_or(floor, |(ns, _)| ns.max(floor));
        let note = |words| Note { x: at, y: fullest as f64, words, line: true };
        Block::Chart(Chart {
            title,
            alt,
            drawn: Drawn::Plane(Plane {
                x: Axis { name: "overshoot, in tenths of a decade".into(), scale: x },
                y: Axis { name: "waits".into(), scale: y },
                series,
                notes: words.map(note).into_iter().collect(),
            }),
        })
    };
    row::panels(inputs, rows).into_iter().map(chart).collect()
}

fn edge(nth: i32) -> f64 {
    10f64.powf(f64::from(nth) / BINS)
}

/// How many overshoots are in each bin that has some.
fn bins(row: &Row<'_>, floor: f64) -> BTreeMap<i32, u64> {
    let mut bins = BTreeMap::new();
    for (ns, n) in &row.overshoots {
        let bin = bins.entry((ns.max(floor).log10() * BINS).floor() as i32).or_insert(0u64);
        *bin = bin.saturating_add(*n);
    }
    bins
}

/// The bins from the first to the last that holds waits, and the empty ones between them.
fn steps(row: &Row<'_>, floor: f64) -> Vec<Place> {
    let bins = bins(row, floor);
    let place = |nth: i32, y: f64, words: String| Place { x: edge(nth), y, hollow: false, words };
    let mut steps = Vec::new();
    for (nth, n) in &bins {
        let range = format!("{} to {}", short(edge(*nth)), short(edge(nth + 1)));
        let waits = format!("{} of {}", count(*n), plural(row.count(), "wait", "waits"));
        if steps.is_empty() {
            steps.push(place(*nth, NONE, String::new()));
        }
        steps.push(place(*nth, *n as f64, format!("{} · {range} · {waits}", row.name)));
        if !bins.contains_key(&(nth + 1)) {
            steps.push(place(nth + 1, NONE, String::new()));
        }
    }
    steps
}
