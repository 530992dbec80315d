//! Accuracy against CPU time: what being on time costs, and what becomes of it next to a load.

use super::row::Row;
use crate::block::Block;
use crate::block::chart::{Axis, Chart, Drawn, Hue, Place, Plane, Series, Shape};
use crate::number::{percent, short};
use crate::scale::{Scale, Unit};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::Load;

/// Shares below this are drawn here: a logarithmic axis has no place for none.
const LEAST: f64 = 1e-4;

/// The chart; nothing if no row has enough waits and a CPU time.
pub(super) fn view(rows: &[&Row<'_>], what: &str, several: bool) -> Option<Block> {
    let mut series: Vec<Series> = Vec::new();
    let mut keys: Vec<(usize, &str)> = Vec::new();
    for row in rows {
        let Some(place) = place(row) else { continue };
        let key = (row.of, row.name.as_str());
        if let Some(at) = keys.iter().position(|it| *it == key) {
            if let Shape::Points { at, .. } = &mut series[at].shape {
                at.push(place);
            }
            continue;
        }
        keys.push(key);
        series.push(Series {
            name: row.name.clone(),
            hue: if several { Hue::Report(row.of) } else { row.hue },
            shape: Shape::Points { at: vec![place], joined: true },
        });
    }
    let places = || {
        series.iter().flat_map(|series| match &series.shape {
            Shape::Points { at, .. } => at.as_slice(),
            _ => &[],
        })
    };
    if series.is_empty() {
        return None;
    }
    let x = Scale::log(Unit::Share, places().map(|place| place.x));
    let y = Scale::log(Unit::Ns, places().map(|place| place.y));
    let loaded = places().any(|place| place.hollow);
    let said: Vec<&str> = places().map(|place| place.words.as_str()).collect();
    let alt = format!(
        "Each method as a point, its CPU time against its 90th percentile of overshoot. {}.",
        said.join("; ")
    );
    let key = if loaded {
        "CPU time of the waiting thread; filled: nothing else running, hollow: next to a load"
    } else {
        "CPU time of the waiting thread"
    };
    Some(Block::Chart(Chart {
        title: format!("Accuracy of a {what} against CPU time"),
        alt,
        drawn: Drawn::Plane(Plane {
            x: Axis { name: key.into(), scale: x },
            y: Axis { name: "overshoot, 90th percentile".into(), scale: y },
            series,
            notes: Vec::new(),
        }),
    }))
}

fn place(row: &Row<'_>) -> Option<Place> {
    let cpu = row.wait.cpu_share.filter(|share| share.is_finite())?;
    let p90 = row.wait.percentile(Percentile::P90)? as f64;
    let load = match row.wait.load {
        Load::None => String::new(),
        load => format!(", load {}", load.name()),
    };
    Some(Place {
        x: cpu.clamp(LEAST, 1.0),
        y: p90.max(1.0),
        hollow: row.wait.load != Load::None,
        words: format!("{}{load} · p90 {} · {} of a CPU", row.name, short(p90), percent(cpu)),
    })
}
