//! Trust on a page: the offsets of CPUs as cells, and how clocks ran within their bounds.

use super::super::page::{FURTHEST, each, finding, is_drawn};
use super::{details, facts, verdict};
use crate::block::chart::{
    Axis, Between, Cells, Chart, Drawn, Hue, Place, Plane, Series as Drawing, Shape,
};
use crate::block::{Block, Text};
use crate::number::short;
use crate::page::Input;
use crate::scale::{Scale, Unit};
use crate::section::Detail;
use chronoscope_model::trust::{Matrix, Trust};

/// The most CPUs whose pairs are drawn: the table of more is too large to read.
const MOST_CPUS: usize = 1024;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    each(inputs, |input| {
        let Some(trust) = &input.report.trust else {
            return Vec::new();
        };
        let mut sentences = verdict::sentences(trust).into_iter();
        let first = sentences.next().unwrap_or_else(|| finding(super::watched(trust)));
        let mut blocks = vec![Block::remarked("Whether clocks can be trusted", first)];
        let rest = sentences.reduce(|all, next| all.and(" ").and(next));
        blocks.extend(rest.map(Block::Paragraph));
        blocks
            .push(Block::paragraph(Text::from(format!("Clocks were {}.", super::watched(trust)))));
        blocks.extend(offsets(&trust.matrix).map(Block::Chart));
        blocks.extend(drift(trust).map(Block::Chart));
        blocks.push(Block::Facts(facts::facts(input.report, trust)));
        blocks.extend(details(input.report, trust, Detail::Everything));
        blocks
    })
}

/// How far the counter of each CPU is ahead of that of each other one.
fn offsets(matrix: &Matrix) -> Option<Chart> {
    let cpus = matrix.cpus();
    let known = matrix.pairs.iter().filter_map(|pair| Some((pair.handed.cpus, pair.best()?)));
    let known = known.filter(|(_, it)| is_drawn(it.offset_ns) && is_drawn(it.uncertainty_ns));
    let (mut furthest, mut bound, mut any) = (1f64, 0f64, false);
    if cpus.len() > MOST_CPUS {
        return None;
    }
    let mut values = vec![vec![None; cpus.len()]; cpus.len()];
    for ([a, b], offset) in known {
        let (Ok(a), Ok(b)) = (cpus.binary_search(&a), cpus.binary_search(&b)) else {
            continue;
        };
        values[a][b] = Some(offset.offset_ns);
        values[b][a] = Some(-offset.offset_ns);
        furthest = furthest.max(offset.offset_ns.abs()).max(offset.uncertainty_ns);
        bound = bound.max(offset.uncertainty_ns);
        any = true;
    }
    let names: Vec<String> = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
    let within = short(bound.ceil());
    any.then(|| Chart {
        title: format!("How far each column's CPU is ahead of the row's, known within ±{within}"),
        alt: format!(
            "The offsets between {} CPUs, each known within ±{within} or better. A colour beyond \
             that is a fault.",
            names.len()
        ),
        drawn: Drawn::Cells(Cells {
            columns: names.clone(),
            rows: names,
            values,
            scale: Scale::linear(Unit::Ns, -furthest, furthest),
            words: |ns| format!("{} ahead", short(ns.round())),
        }),
    })
}

/// How clocks ran against the reference over the watch, and where the 95 % intervals of their rates
/// allow them to be.
fn drift(trust: &Trust) -> Option<Chart> {
    let series = trust.series.as_ref()?;
    let (mut lines, mut ends) = (Vec::new(), [0f64; 2]);
    let mut hold = |ns: f64| ends = [ends[0].min(ns), ends[1].max(ns)];
    let last = series.at_s.iter().copied().filter(|s| is_drawn(*s)).fold(0.0, f64::max);
    for (nth, course) in series.clocks.iter().enumerate() {
        let places = series.at_s.iter().enumerate().filter_map(|(point, s)| {
            let [ns, _] = course.at(point)?;
            let words = format!("{} after {}: {:+.1} ns", course.id, short(s * 1e9), ns);
            (is_drawn(*s) && is_drawn(ns)).then_some(Place { x: *s, y: ns, hollow: false, words })
        });
        let through: Vec<Place> = places.collect();
        through.iter().for_each(|place| hold(place.y));
        let shape = Shape::Curve { through, sure: last };
        lines.push(Drawing { name: course.id.clone(), hue: Hue::Part(nth), shape });
    }
    if last <= 0.0 || lines.is_empty() {
        return None;
    }
    let mut all = bounds(trust, last);
    for band in &all {
        if let Shape::Band(between) = &band.shape {
            between.iter().for_each(|it| [it.low, it.high].into_iter().for_each(&mut hold));
        }
    }
    all.append(&mut lines);
    let margin = ((ends[1] - ends[0]) * 0.05).max(1.0);
    let against = &series.against;
    Some(Chart {
        title: format!("How far clocks got ahead of {against}, and the 95 % bounds of their rates"),
        alt: format!(
            "The offsets of {} clocks from {against} over {}, between {} and {}.",
            series.clocks.len(),
            short(last * 1e9),
            short(ends[0]),
            short(ends[1])
        ),
        drawn: Drawn::Plane(Plane {
            x: Axis { name: "time".into(), scale: Scale::linear(Unit::Seconds, 0.0, last) },
            y: Axis {
                name: "ahead".into(),
                scale: Scale::linear(Unit::Ns, ends[0] - margin, ends[1] + margin),
            },
            series: all,
            notes: Vec::new(),
        }),
    })
}

/// The bounds after this many seconds: one band for clocks whose intervals overlap, because bands
/// on top of each other hide what they show.
fn bounds(trust: &Trust, last: f64) -> Vec<Drawing> {
    let Some(series) = &trust.series else {
        return Vec::new();
    };
    let mut bands: Vec<(usize, [f64; 2])> = Vec::new();
    // The counter's rate is against the frequency that is stated, its course by the one measured.
    let counter = trust.anchor.as_ref().map(|it| &it.counter);
    for (nth, course) in series.clocks.iter().enumerate() {
        if Some(&course.id) == counter {
            continue;
        }
        let mut rates = trust.rates.iter();
        let Some(rate) = rates.find(|it| it.id == course.id && it.against == series.against) else {
            continue;
        };
        // A part per million is 1000 ns a second.
        let [low, high] = [rate.low_ppm, rate.high_ppm].map(|ppm| ppm * 1e3 * last);
        if !(-FURTHEST <= low && low <= high && high <= FURTHEST) {
            continue;
        }
        match bands.iter_mut().find(|(_, held)| low <= held[1] && held[0] <= high) {
            Some((_, held)) => *held = [held[0].min(low), held[1].max(high)],
            None => bands.push((nth, [low, high])),
        }
    }
    let band = |(nth, [low, high]): (usize, [f64; 2])| Drawing {
        name: String::new(),
        hue: Hue::Part(nth),
        shape: Shape::Band(vec![
            Between { x: 0.0, low: 0.0, high: 0.0 },
            Between { x: last, low, high },
        ]),
    };
    bands.into_iter().map(band).collect()
}
