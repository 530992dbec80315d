//! Percentile curves of overshoot: one panel for each load, because panels print and compare.

use super::row::{self, Row};
use crate::block::Block;
use crate::block::chart::{Axis, Chart, Drawn, Place, Plane, Series, Shape};
use crate::number::short;
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::quantile::Percentile;

/// Places that are closer to each other than this share of both axes are one.
const CLOSE: f64 = 0.002;
/// The probability that a percentile lies above the whole sample, from which on a curve is only an
/// indication: below `0.05^(1/n)`, the largest of n values encloses the percentile with 95 %.
const MISS: f64 = 0.05;
/// So many rows are read out.
const READ_OUT: usize = 12;

pub(super) fn view(inputs: &[Input<'_>], rows: &[&Row<'_>], what: &str) -> Vec<Block> {
    let most = rows.iter().map(|row| row.count()).max().unwrap_or(1);
    let x = Scale::nines(most);
    let floor = row::floor(rows);
    let all = rows.iter().flat_map(|row| &row.overshoots).map(|(ns, _)| ns.max(floor));
    let y = Scale::log(Unit::Ns, all);
    let chart = |(load, of, rows): (_, Option<usize>, Vec<&Row>)| {
        let title = format!("Percentiles of a {what}");
        let title = row::title(&title, inputs, (load, of), &rows);
        let series = rows.iter().map(|row| Series {
            name: row.label(if of.is_some() { &[] } else { inputs }),
            hue: row::hue(row, inputs, of),
            shape: curve(row, (&x, &y), floor),
        });
        let mut series: Vec<Series> = series.collect();
        // The advised method is drawn last, above the others.
        let mut last: Vec<bool> = rows.iter().map(|row| row.advised).collect();
        if let Some(at) = last.iter().position(|it| *it).filter(|at| at + 1 < last.len()) {
            last[at..].rotate_left(1);
            series[at..].rotate_left(1);
        }
        Block::Chart(Chart {
            alt: alt(&title, &rows),
            title,
            drawn: Drawn::Plane(Plane {
                x: Axis { name: "percentile of the waits".into(), scale: x },
                y: Axis { name: "overshoot".into(), scale: y },
                series,
                notes: Vec::new(),
            }),
        })
    };
    row::panels(inputs, rows).into_iter().map(chart).collect()
}

/// The overshoots by rank: the value of rank r of n is drawn at the percentile (r - 0.5)/n
/// (Hazen 1914), so that the last one has a place too.
fn curve(row: &Row<'_>, (x, y): (&Scale, &Scale), floor: f64) -> Shape {
    let n = row.count().max(1) as f64;
    let mut through: Vec<Place> = Vec::new();
    let mut below = 0u64;
    let last = row.overshoots.len().saturating_sub(1);
    let mut drawn = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (nth, (ns, count)) in row.overshoots.iter().enumerate() {
        let first_rank = below as f64 + 0.5;
        below = below.saturating_add(*count);
        let last_rank = below as f64 - 0.5;
        for (rank, is_last) in [(first_rank, false), (last_rank, nth == last)] {
            let (share, value) = ((rank / n).clamp(0.0, 1.0), ns.max(floor));
            let at = (x.at(share), y.at(value));
            let far = (at.0 - drawn.0).abs() >= CLOSE || (at.1 - drawn.1).abs() >= CLOSE;
            if far || is_last {
                let words = format!("{} · {} {}", row.name, percentile(share), short(*ns));
                through.push(Place { x: share, y: value, hollow: false, words });
                drawn = at;
            }
        }
    }
    Shape::Curve { through, sure: MISS.powf(1.0 / n) }
}

/// A percentile with the digits that tell it from its neighbours: `p50`, `p99.93`.
fn percentile(share: f64) -> String {
    let digits = if share < 0.9 { 0 } else { (-(1.0 - share).max(1e-9).log10()).ceil() as usize };
    let factor = 10f64.powi(digits as i32);
    // Rounded down: only all of the waits are p100.
    format!("p{:.digits$}", (share * 100.0 * factor).floor() / factor)
}

fn alt(title: &str, rows: &[&Row<'_>]) -> String {
    let of = |row: &&Row| {
        let median = row.wait.percentile(Percentile::P50).map(|ns| short(ns as f64));
        let median = median.map_or(String::new(), |ns| format!("median {ns}, "));
        format!("{}: {median}worst {}", row.name, short(row.wait.max_ns as f64))
    };
    let mut words: Vec<String> = rows.iter().take(READ_OUT).map(of).collect();
    if let Some(more) = rows.len().checked_sub(READ_OUT).filter(|more| *more > 0) {
        words.push(format!("{more} more"));
    }
    format!("{title}. {}.", words.join("; "))
}
