//! Strips and stacks: pictures in the cells of a table, as SVG whose horizontal places are
//! percentages, so that they fill a column whose width is not known.

use super::chart::draw::{At, Element, Form, anchor, clean, hue, pc, room, rooms};
use crate::block::chart::{Hue, Mark, Share, What};
use crate::scale::{Scale, Unit};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The height of a strip and its middle, in pixels.
pub(super) const HEIGHT: f64 = 22.0;
const MIDDLE: f64 = 11.0;
/// How far the marks of one report are from those of the next, and how many have a place of their
/// own.
const SHIFT: f64 = 4.0;
const PLACES: usize = 4;
/// The share of the axis from which an interval is wider than its mark.
const WIDE: f64 = 0.012;

/// What each kind of mark is called in the legend.
const KEYS: [(What, &str); 9] = [
    (What::Read, "read, back to back"),
    (What::Ordered, "ordered after the work before it"),
    (What::Cold, "cold: after the caches were displaced"),
    (What::Reference, "in C"),
    (What::Median, "median"),
    (What::P90, "to the 90th percentile"),
    (What::P99, "to the 99th percentile"),
    (What::Worst, "the worst"),
    (What::Change, "change, with its 95 % interval"),
];

/// The axis of a column without one of its own.
pub(super) fn axis(marks: &[&Mark]) -> Scale {
    Scale::log(Unit::Ns, marks.iter().flat_map(|mark| [mark.low, mark.value, mark.high]))
}

/// The labels of the axis, for the head of the column.
pub(super) fn head(axis: &Scale) -> Markup {
    let ticks = axis.ticks();
    html! {
        div.row-head aria-hidden="true" {
            svg width="100%" height="20" overflow="visible" {
                @for (tick, from) in ticks.iter().zip(rooms(&ticks)).filter(|it| it.1.is_some()) {
                    g class=(room(tick, from)) {
                        text.tick x=(pc(tick.at)) y="14" text-anchor=(anchor(tick)) { (tick.label) }
                    }
                }
            }
        }
    }
}

/// What the marks of a column stand for, each kind once: the legend above the table.
pub(super) fn keys(marks: &[&Mark]) -> Markup {
    html! {
        @for (sample, name) in samples(marks) {
            span.key {
                svg width="20" height="12" aria-hidden="true" { (sample.html(12.0, false)) }
                (name)
            }
        }
    }
}

/// One mark of each kind among these, in the middle of a strip that is 12 pixels high, and what it
/// stands for.
pub(super) fn samples(marks: &[&Mark]) -> impl Iterator<Item = (Element, &'static str)> + use<> {
    let held: BTreeSet<What> = marks.iter().map(|mark| mark.what).collect();
    let held = KEYS.into_iter().filter(move |(what, _)| held.contains(what));
    held.map(|(what, name)| (shape(what, (0.5, 6.0), 0.05, 0, None), name))
}

/// What the parts of a column of stacks stand for.
pub(super) fn stack_keys(shares: &[&Share]) -> Markup {
    html! {
        @for (name, of) in named(shares) {
            span.key {
                svg width="12" height="12" aria-hidden="true" {
                    rect class=(format!("part {}", hue(of))) y="1" width="10" height="10" {}
                }
                (clean(name))
            }
        }
    }
}

/// The names of parts and their colours, each once.
pub(super) fn named<'a>(shares: &[&'a Share]) -> Vec<(&'a str, Hue)> {
    let mut held: Vec<(&str, Hue)> = Vec::new();
    for share in shares {
        let key = (&*share.name, share.hue);
        if !held.contains(&key) {
            held.push(key);
        }
    }
    held
}

/// A mark; `from` is the place where a line to it begins.
fn shape(what: What, at: At, from: f64, of: usize, words: Option<String>) -> Element {
    let line = || Form::Line((from, at.1), at);
    let upright = Form::Line((at.0, at.1 - 6.0), (at.0, at.1 + 6.0));
    let (form, class) = match what {
        What::Read => (Form::Circle(at, 3.8), "read"),
        What::Ordered => (Form::Circle(at, 3.2), "ordered"),
        What::Cold => (Form::Cross(at), "cold"),
        What::Reference => (upright, "reference"),
        What::Median => (Form::Circle(at, 3.8), "median"),
        What::P90 => (line(), "p90"),
        What::P99 => (line(), "p99"),
        What::Worst => (Form::Circle(at, 1.6), "worst"),
        What::Change => (Form::Circle(at, 3.4), "change"),
    };
    Element { form, class, of: Some((of, Hue::Report(of))), words }
}

/// The elements of a row, those on top last.
pub(super) fn elements(marks: &[Mark], axis: &Scale) -> Vec<Element> {
    let mut sound: Vec<&Mark> = marks.iter().filter(|mark| mark.value.is_finite()).collect();
    // What is drawn first lies below: lines, crosses and rings, then dots.
    sound.sort_by_key(|mark| match mark.what {
        What::P99 => 0,
        What::P90 => 1,
        What::Worst | What::Cold => 2,
        What::Reference | What::Ordered => 3,
        _ => 4,
    });
    let place = |value: f64| axis.at(value).clamp(0.0, 1.0);
    let reports = sound.iter().map(|mark| mark.of).max().map_or(1, |of| (of + 1).min(PLACES));
    let height = |of: usize| MIDDLE + ((of % PLACES) as f64 - (reports - 1) as f64 / 2.0) * SHIFT;
    let mut out = Vec::new();
    for of in sound.iter().map(|mark| mark.of).collect::<BTreeSet<_>>() {
        let own = sound.iter().filter(|mark| mark.of == of && mark.what != What::Reference);
        let places = own.map(|mark| place(mark.value));
        let (low, high) = places.fold((1f64, 0f64), |(a, b), v| (a.min(v), b.max(v)));
        if low < high {
            let form = Form::Line((low, height(of)), (high, height(of)));
            out.push(Element { form, class: "span", of: None, words: None });
        }
    }
    for mark in &sound {
        let (at, y) = (place(mark.value), height(mark.of));
        let ends = [mark.low, mark.high];
        if ends.iter().all(|v| v.is_finite()) && place(mark.high) - place(mark.low) > WIDE {
            let [low, high] = ends.map(place);
            let form = Form::Line((low, y), (high, y));
            let of = Some((mark.of, Hue::Report(mark.of)));
            out.push(Element { form, class: "iv", of, words: None });
        }
        let from = |what| sound.iter().find(|it| it.of == mark.of && it.what == what);
        let median = from(What::Median).map_or(at, |it| place(it.value));
        let from = match mark.what {
            What::P99 => from(What::P90).map_or(median, |it| place(it.value)),
            _ => median,
        };
        let words = Some(mark.words.clone());
        // A change beyond the axis has no place on it: an arrow leads there.
        let beyond = axis.at(mark.value);
        if mark.what == What::Change && !(-1e-9..=1.0 + 1e-9).contains(&beyond) {
            let (anchor, arrow) = if beyond > 0.5 { ("end", "→") } else { ("start", "←") };
            let form = Form::Text { at: (at, y + 4.0), anchor, words: arrow.into() };
            out.push(Element { form, class: "change", of: Some((0, Hue::Report(0))), words });
            continue;
        }
        out.push(shape(mark.what, (at, y), from, mark.of, words));
    }
    out
}

/// The marks of one row.
pub(super) fn cell(marks: &[Mark], axis: &Scale) -> Markup {
    html! {
        svg.row width="100%" height=(HEIGHT) aria-hidden="true" {
            @for tick in axis.ticks().iter().filter(|tick| tick.level == 0) {
                line.grid x1=(pc(tick.at)) x2=(pc(tick.at)) y2=(HEIGHT) {}
            }
            @for element in elements(marks, axis) { (element.html(HEIGHT, false)) }
        }
    }
}

/// The parts of a row as elements, from left to right; what exceeds the whole is cut.
pub(super) fn parts(shares: &[Share]) -> Vec<Element> {
    let mut from = 0f64;
    let sound = shares.iter().filter(|it| it.share.is_finite() && it.share > 0.0).enumerate();
    let part = |(nth, it): (usize, &Share)| {
        let to = (from + it.share).min(1.0);
        let form = Form::Rect { from: (from, 5.0), to: (to, 17.0) };
        from = to;
        Element { form, class: "part", of: Some((nth, it.hue)), words: Some(it.words.clone()) }
    };
    sound.map(part).collect()
}

/// The parts of one row.
pub(super) fn stack(shares: &[Share]) -> Markup {
    html! {
        svg.row width="100%" height=(HEIGHT) aria-hidden="true" {
            @for part in parts(shares) { (part.html(HEIGHT, false)) }
        }
    }
}
