//! The shapes of a chart with two axes, as elements.

use super::draw::{At, Element, Form};
use crate::block::chart::{Hue, Place, Plane, Series, Shape};

/// The height of the area with its upper margin, and that margin, in pixels.
pub(in crate::page) const HEIGHT: f64 = 260.0;
pub(in crate::page) const TOP: f64 = 10.0;
/// The room of a name, from one to the next.
const LINE: f64 = 15.0;
/// A point of a curve is left out if it is closer than this to the last one: a share of the width,
/// and pixels.
const CLOSE: At = (0.002, 0.7);
/// The same for the points of a curve that a reader can go to: half a pointer's width.
const APART: At = (0.008, 4.0);
/// The most points of a curve.
const MOST: usize = 600;

/// A point that a reader can go to: its place, its series, and its words.
pub(in crate::page) struct Point {
    pub(in crate::page) at: At,
    pub(in crate::page) series: usize,
    pub(in crate::page) words: String,
}

/// A name at the right end of its series.
pub(in crate::page) struct Name {
    /// Where the series ends and where the name is, in pixels from the top.
    pub(in crate::page) from: f64,
    pub(in crate::page) y: f64,
    pub(in crate::page) series: usize,
    pub(in crate::page) hue: Hue,
    pub(in crate::page) words: String,
}

#[derive(Default)]
pub(in crate::page) struct Drawing {
    pub(in crate::page) elements: Vec<Element>,
    pub(in crate::page) points: Vec<Point>,
    pub(in crate::page) names: Vec<Name>,
}

pub(in crate::page) fn draw(plane: &Plane) -> Drawing {
    let mut out = Drawing::default();
    for (nth, series) in plane.series.iter().enumerate() {
        out.series(plane, nth, series);
    }
    for note in plane.notes.iter().filter(|note| note.x.is_finite() && note.y.is_finite()) {
        let at = place(plane, note.x, note.y);
        if note.line {
            let line = Form::Line((at.0, at.1 + 4.0), (at.0, HEIGHT));
            out.elements.push(Element { form: line, class: "mark", of: None, words: None });
        }
        let anchor = if note.line && at.0 < 0.6 {
            "start"
        } else if at.0 > 0.6 {
            "end"
        } else {
            "middle"
        };
        let words = note.words.clone();
        let form = Form::Text { at: (at.0, (at.1 - 5.0).max(TOP)), anchor, words };
        out.elements.push(Element { form, class: "note", of: None, words: None });
    }
    apart(&mut out.names);
    out
}

/// The place of values, at the edge of the area if they are beyond it.
fn place(plane: &Plane, x: f64, y: f64) -> At {
    let up = plane.y.scale.at(y).clamp(0.0, 1.0);
    (plane.x.scale.at(x).clamp(0.0, 1.0), TOP + (1.0 - up) * (HEIGHT - TOP))
}

impl Drawing {
    fn series(&mut self, plane: &Plane, nth: usize, series: &Series) {
        let of = Some((nth, series.hue));
        let first = self.points.len();
        let sound = |at: &&Place| at.x.is_finite() && at.y.is_finite();
        let located = |at: &Place| (place(plane, at.x, at.y), at.words.clone());
        let mut add = |form, class| {
            self.elements.push(Element { form, class, of, words: None });
        };
        let mut kept: Vec<(At, String)> = Vec::new();
        match &series.shape {
            Shape::Bars(bars) => {
                let sound = |v: &[f64]| v.iter().all(|v| v.is_finite());
                for bar in bars.iter().filter(|bar| sound(&[bar.from, bar.to, bar.height])) {
                    let (a, b) = (place(plane, bar.from, bar.height), place(plane, bar.to, 0.0));
                    let (from, to) = (a.0.min(b.0), a.0.max(b.0));
                    let y = a.1.min(HEIGHT - 1.0);
                    add(Form::Rect { from: (from, y), to: (to, HEIGHT) }, "bar");
                    kept.push((((from + to) / 2.0, y), bar.words.clone()));
                }
            }
            Shape::Curve { through, sure } => {
                let held = through.iter().filter(sound);
                let all: Vec<_> = held.map(|at| (located(at), at.x <= *sure)).collect();
                let all = thinned(all, |it| it.0.0, CLOSE);
                let strong = all.iter().take_while(|it| it.1).count();
                let ats: Vec<At> = all.iter().map(|it| it.0.0).collect();
                if strong > 1 {
                    add(Form::Path(ats[..strong].to_vec()), "line");
                }
                if ats.len() > strong {
                    // Without a gap to what is sure.
                    add(Form::Path(ats[strong.saturating_sub(1)..].to_vec()), "line weak");
                }
                kept = all.into_iter().map(|it| it.0).collect();
            }
            Shape::Steps(through) => {
                kept =
                    thinned(through.iter().filter(sound).map(located).collect(), |it| it.0, CLOSE);
                let mut line: Vec<At> = Vec::new();
                for (at, _) in &kept {
                    line.extend(line.last().map(|last| (at.0, last.1)));
                    line.push(*at);
                }
                add(Form::Path(line), "line");
            }
            Shape::Points { at, joined } => {
                let places: Vec<&Place> = at.iter().filter(sound).collect();
                kept = places.iter().map(|at| located(at)).collect();
                for pair in kept.windows(2).filter(|_| *joined) {
                    add(Form::Line(pair[0].0, pair[1].0), "move");
                }
                for (it, (at, _)) in places.iter().zip(&kept) {
                    add(Form::Circle(*at, 4.5), if it.hollow { "hollow" } else { "dot" });
                }
            }
            Shape::Band(through) => {
                let sound = through
                    .iter()
                    .filter(|it| [it.x, it.low, it.high].iter().all(|v| v.is_finite()));
                let both =
                    sound.map(|it| (place(plane, it.x, it.high), place(plane, it.x, it.low)));
                let both = thinned(both.collect(), |it| it.0, CLOSE);
                let back = both.iter().rev().map(|it| it.1);
                add(Form::Path(both.iter().map(|it| it.0).chain(back).collect()), "band");
            }
        }
        let line = matches!(series.shape, Shape::Curve { .. } | Shape::Steps(_));
        if let Some((end, _)) = kept.last().filter(|_| line) {
            add(Form::Circle(*end, 2.5), "end");
        }
        let reached = if line { thinned(kept, |it| it.0, APART) } else { kept };
        let points = reached.into_iter().map(|(at, words)| Point { at, series: nth, words });
        self.points.extend(points);
        // The name stands next to the end of a line, and to the first of some points.
        let end = if line { self.points.last() } else { self.points.get(first) };
        let named = !series.name.is_empty() && !matches!(series.shape, Shape::Bars(_));
        if let Some(end) = end.filter(|_| named && self.points.len() > first) {
            let (from, words) = (end.at.1, series.name.clone());
            self.names.push(Name { from, y: from, series: nth, hue: series.hue, words });
        }
    }
}

/// What is not `near` what was kept before it, and the last: at most [`MOST`].
fn thinned<T>(all: Vec<T>, at: impl Fn(&T) -> At, near: At) -> Vec<T> {
    let last = all.len().saturating_sub(1);
    let places: Vec<At> = all.iter().map(at).collect();
    let mut wide = 1.0;
    let keep = loop {
        let mut before: Option<At> = None;
        let keep = places.iter().enumerate().map(|(nth, at)| {
            let close = before.is_some_and(|before| {
                (at.0 - before.0).abs() < near.0 * wide && (at.1 - before.1).abs() < near.1 * wide
            });
            let keep = nth == last || !close;
            before = if keep { Some(*at) } else { before };
            keep
        });
        let keep = keep.collect::<Vec<bool>>();
        if keep.iter().filter(|keep| **keep).count() <= MOST || wide > 1e4 {
            break keep;
        }
        wide *= 1.5;
    };
    all.into_iter().zip(keep).filter(|(_, keep)| *keep).take(MOST).map(|(it, _)| it).collect()
}

/// Moves names apart, in the order of the ends of their series.
fn apart(names: &mut [Name]) {
    names.sort_by(|a, b| a.from.total_cmp(&b.from));
    let line = LINE.min((HEIGHT - TOP) / names.len().max(1) as f64);
    let mut least = TOP;
    for name in names.iter_mut() {
        name.y = name.from.max(least);
        least = name.y + line;
    }
    let mut most = HEIGHT - 4.0;
    for name in names.iter_mut().rev() {
        name.y = name.y.min(most);
        most = name.y - line;
    }
}
