//! A chart as SVG whose horizontal places are percentages and whose vertical ones are pixels: text
//! keeps its size at any width, and no script is needed to draw.

use super::draw::{At, Element, Form, anchor, clean, hue, pc, room, rooms, wide};
use crate::block::chart::{Between, Cells, Chart, Drawn, Hue, Place, Plane, Series, Shape};
use crate::scale::Tick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use maud::{Markup, html};
use std::io::Write;

/// The room below the area for the labels of the horizontal axis, in pixels.
pub(super) const FOOT: f64 = 22.0;

/// The most room that the names of series have, in pixels.
const MOST: f64 = 210.0;

/// The chart with its caption and its axes. `id` is unique on the page.
pub(super) fn figure(chart: &Chart, id: &str) -> Markup {
    html! {
        figure.chart id=(id) {
            figcaption { (clean(&chart.title)) }
            @match &chart.drawn {
                Drawn::Plane(plane) => (area(plane, &chart.alt)),
                Drawn::Cells(cells) => (cells_table(cells, &chart.alt)),
            }
        }
    }
}

fn area(plane: &Plane, alt: &str) -> Markup {
    let drawing = draw_plane(plane);
    let total = HEIGHT + FOOT;
    let point =
        |((f, y), of, words): &Point| ((f * 1e4).round() / 1e4, y.round(), *of, clean(words));
    let points = drawing.points.iter().map(point);
    let points = serde_json::to_string(&points.collect::<Vec<_>>()).unwrap_or_default();
    let named = !drawing.names.is_empty();
    let side: Vec<Tick> = plane.y.scale.ticks().into_iter().filter(|it| it.level < 2).collect();
    let ticks = plane.x.scale.ticks();
    let longest = |all: &mut dyn Iterator<Item = &str>| all.map(wide).fold(0f64, f64::max).ceil();
    let left = longest(&mut side.iter().map(|tick| &*tick.label)).clamp(24.0, 120.0);
    let right = 24.0 + longest(&mut drawing.names.iter().map(|name| &*name.words)).min(MOST);
    let y = |tick: &Tick| TOP + (1.0 - tick.at) * (HEIGHT - TOP);
    html! {
        p.axis { (clean(&plane.y.name)) }
        @if named {
            p.legend aria-hidden="true" {
                @for name in &drawing.names { span class=(hue(name.hue)) { (clean(&name.words)) } }
            }
        }
        div.plot.named[named] {
            svg.side width=(left) height=(total) aria-hidden="true" {
                @for tick in &side {
                    text.tick x="100%" y=(format!("{:.1}", y(tick) + 3.5)) text-anchor="end" {
                        (tick.label)
                    }
                }
            }
            svg.area height=(total) tabindex="0" role="img" aria-label=(clean(alt))
                data-points=(points) {
                @for (tick, from) in ticks.iter().zip(rooms(&ticks)) {
                    @let f = format!("{:.5}", tick.at);
                    g class=(room(tick, from)) {
                        line.grid data-f=(f) x1=(pc(tick.at)) x2=(pc(tick.at)) y1=(TOP)
                            y2=(HEIGHT) {}
                        text.tick data-f=(f) x=(pc(tick.at)) y=(HEIGHT + 15.0)
                            text-anchor=(anchor(tick)) { (tick.label) }
                    }
                }
                @for tick in &side {
                    @let y = format!("{:.1}", y(tick));
                    line.grid x1="0" x2="100%" y1=(y) y2=(y) {}
                }
                line.base x1="0" x2="100%" y1=(HEIGHT) y2=(HEIGHT) {}
                svg.marks x="0" y="0" width="100%" height=(HEIGHT) overflow="visible" {
                    @for element in &drawing.elements { (element.html(HEIGHT, true)) }
                }
            }
            @if named {
                svg.names width=(right) height=(total) aria-hidden="true" {
                    @for name in &drawing.names {
                        @let (from, y) = (name.from, name.y);
                        g class=(format!("name s{} {}", name.series, hue(name.hue)))
                            data-s=(name.series) {
                            path.leader
                                d=(format!("M2 {from:.1}C8 {from:.1} 8 {y:.1} 14 {y:.1}")) {}
                            text x="18" y=(format!("{:.1}", y + 4.0)) {
                                (short(&name.words))
                                title { (clean(&name.words)) }
                            }
                        }
                    }
                }
            }
            p.axis.below { (clean(&plane.x.name)) }
        }
    }
}

/// A name that is not wider than the room of names.
pub(super) fn short(name: &str) -> String {
    let name = clean(name);
    if wide(&name) <= MOST {
        return name;
    }
    let last = (MOST / wide("n")) as usize - 1;
    name.chars().take(last).chain(['…']).collect()
}

// The shapes of a chart with two axes, as elements.

/// The height of the area with its upper margin, and that margin, in pixels.
pub(super) const HEIGHT: f64 = 260.0;
pub(super) const TOP: f64 = 10.0;
/// The room of a name, from one to the next.
const LINE: f64 = 15.0;
/// A point of a curve is left out if it is closer than this to the last one: a share of the width,
/// and pixels.
const CLOSE: At = (0.002, 0.7);
/// The same for the points of a curve that a reader can go to: half a pointer's width.
const APART: At = (0.008, 4.0);
/// The most points of a curve.
const MOST_POINTS: usize = 600;

/// A point that a reader can go to: its place, its series, and its words.
type Point = (At, usize, String);

/// A name at the right end of its series.
pub(super) struct Name {
    /// Where the series ends and where the name is, in pixels from the top.
    pub(super) from: f64,
    pub(super) y: f64,
    pub(super) series: usize,
    pub(super) hue: Hue,
    pub(super) words: String,
}

#[derive(Default)]
pub(super) struct Drawing {
    pub(super) elements: Vec<Element>,
    points: Vec<Point>,
    pub(super) names: Vec<Name>,
}

pub(super) fn draw_plane(plane: &Plane) -> Drawing {
    let mut out = Drawing::default();
    for (nth, series) in plane.series.iter().enumerate() {
        out.series(plane, nth, series);
    }
    for note in plane.notes.iter().filter(|note| note.x.is_finite() && note.y.is_finite()) {
        let at = place_in_plane(plane, note.x, note.y);
        if note.line {
            let line = Form::Line((at.0, at.1 + 4.0), (at.0, HEIGHT));
            out.elements.push(Element { form: line, class: "mark", of: None, words: None });
        }
        let anchor = match at.0 {
            left if note.line && left < 0.6 => "start",
            right if right > 0.6 => "end",
            _ => "middle",
        };
        let words = note.words.clone();
        let form = Form::Text { at: (at.0, (at.1 - 5.0).max(TOP)), anchor, words };
        out.elements.push(Element { form, class: "note", of: None, words: None });
    }
    apart(&mut out.names);
    out
}

/// The place of values, at the edge of the area if they are beyond it.
fn place_in_plane(plane: &Plane, x: f64, y: f64) -> At {
    let up = plane.y.scale.at(y).clamp(0.0, 1.0);
    (plane.x.scale.at(x).clamp(0.0, 1.0), TOP + (1.0 - up) * (HEIGHT - TOP))
}

impl Drawing {
    fn series(&mut self, plane: &Plane, nth: usize, series: &Series) {
        let of = Some((nth, series.hue));
        let first = self.points.len();
        let sound = |at: &&Place| at.x.is_finite() && at.y.is_finite();
        let place = |x, y| place_in_plane(plane, x, y);
        let located = |at: &Place| (place(at.x, at.y), at.words.clone());
        let mut add = |form, class| {
            self.elements.push(Element { form, class, of, words: None });
        };
        let mut kept: Vec<(At, String)> = Vec::new();
        match &series.shape {
            Shape::Bars(bars) => {
                let sound = |v: &[f64]| v.iter().all(|v| v.is_finite());
                for bar in bars.iter().filter(|bar| sound(&[bar.from, bar.to, bar.height])) {
                    let (a, b) = (place(bar.from, bar.height), place(bar.to, 0.0));
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
                let sound = |it: &&Between| [it.x, it.low, it.high].iter().all(|v| v.is_finite());
                let both = through.iter().filter(sound);
                let both = both.map(|it| (place(it.x, it.high), place(it.x, it.low)));
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
        self.points.extend(reached.into_iter().map(|(at, words)| (at, nth, words)));
        // The name stands next to the end of a line, and to the first of some points.
        let end = if line { self.points.last() } else { self.points.get(first) };
        let named = !series.name.is_empty() && !matches!(series.shape, Shape::Bars(_));
        if let Some(((_, from), ..)) = end.filter(|_| named && self.points.len() > first) {
            let (from, words) = (*from, series.name.clone());
            self.names.push(Name { from, y: from, series: nth, hue: series.hue, words });
        }
    }
}

/// What is not `near` what was kept before it, and the last: at most [`MOST_POINTS`].
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
        if keep.iter().filter(|keep| **keep).count() <= MOST_POINTS || wide > 1e4 {
            break keep;
        }
        wide *= 1.5;
    };
    let kept = all.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(it, _)| it);
    kept.take(MOST_POINTS).collect()
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

// A grid of shaded cells: a table, or a bitmap if there are too many to read.

/// The most rows or columns that are a table.
const MOST_CELLS: usize = 64;
/// The most rows or columns of a bitmap: what is beyond is left out.
const LARGEST: usize = 2048;
/// The colours of the lowest, the middle and the highest shade of a bitmap, legible on both themes.
const SHADES: [[f64; 3]; 3] = [[154.0, 74.0, 0.0], [238.0, 238.0, 238.0], [10.0, 92.0, 184.0]];

fn cells_table(cells: &Cells, alt: &str) -> Markup {
    if cells.rows.len().max(cells.columns.len()) > MOST_CELLS {
        return bitmap(cells, alt);
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(clean(alt)) {
            table.cells {
                thead {
                    tr { td {} @for name in &cells.columns { th scope="col" { (clean(name)) } } }
                }
                tbody {
                    @for (name, values) in cells.rows.iter().zip(&cells.values) {
                        tr {
                            th scope="row" { (clean(name)) }
                            @for value in values.iter().take(cells.columns.len()) {
                                @match value {
                                    Some(v) => td class=(shade_class(cells, *v)) {
                                        (clean(&(cells.words)(*v)))
                                    },
                                    None => td {},
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How strong a shade is: -1 at the scale's lower end, 1 at its upper one.
pub(super) fn strength(cells: &Cells, value: f64) -> f64 {
    cells.scale.at(value).clamp(0.0, 1.0) * 2.0 - 1.0
}

/// One of three shades on each side of the middle; `c0` for what is not far from it.
fn shade_class(cells: &Cells, value: f64) -> String {
    let strength = (strength(cells, value) * 3.0).round();
    format!("{}{}", if strength < 0.0 { "w" } else { "c" }, strength.abs())
}

fn bitmap(cells: &Cells, alt: &str) -> Markup {
    let wide = cells.columns.len().clamp(1, LARGEST);
    let high = cells.values.len().clamp(1, LARGEST);
    let mut pixels = vec![0u8; wide * high * 4];
    for (row, values) in cells.values.iter().take(high).enumerate() {
        for (column, value) in values.iter().take(wide).enumerate() {
            let Some(value) = value else { continue };
            let strength = strength(cells, *value);
            let end = if strength < 0.0 { SHADES[0] } else { SHADES[2] };
            let mixed = [0, 1, 2].map(|i| SHADES[1][i] + (end[i] - SHADES[1][i]) * strength.abs());
            let at = (row * wide + column) * 4;
            let [r, g, b] = mixed.map(|c| c.round() as u8);
            pixels[at..at + 4].copy_from_slice(&[r, g, b, 255]);
        }
    }
    let image = png(&pixels, wide, high);
    let source = format!("data:image/png;base64,{}", STANDARD.encode(image));
    html! { img.bitmap alt=(clean(alt)) src=(source) width=(wide) height=(high); }
}

/// RGBA pixels as PNG: its mark, a header, the rows without a filter, and its end.
fn png(pixels: &[u8], wide: usize, high: usize) -> Vec<u8> {
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks(wide * 4) {
        // A vector takes all that is written to it.
        let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
    }
    let mut header = [wide, high].map(|size| (size as u32).to_be_bytes()).concat();
    // Eight bits for each of red, green, blue and opacity; not interlaced.
    header.extend([8, 6, 0, 0, 0]);
    let rows = rows.finish().unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", header), (b"IDAT", rows), (b"IEND", Vec::new())] {
        let mut sum = Crc::new();
        sum.update(name);
        sum.update(&content);
        out.extend((content.len() as u32).to_be_bytes());
        out.extend(name);
        out.extend(content);
        out.extend(sum.sum().to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_bitmap_holds_its_rows_and_right_sums() {
        let (pixels, wide, high) = ([7; 24], 2, 3);
        let bytes = png(&pixels, wide, high);
        let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("the mark of a PNG");
        let mut chunks = Vec::new();
        while let Some((size, after)) = rest.split_first_chunk() {
            let (chunk, after) = after.split_at(u32::from_be_bytes(*size) as usize + 4);
            let (sum, after) = after.split_first_chunk().expect("a sum");
            let mut right = Crc::new();
            right.update(chunk);
            assert_eq!(u32::from_be_bytes(*sum), right.sum());
            chunks.push(chunk.split_at(4));
            rest = after;
        }
        let names: Vec<_> = chunks.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [b"IHDR", b"IDAT", b"IEND"]);
        assert_eq!(chunks[0].1, [0, 0, 0, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0]);
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(chunks[1].1).read_to_end(&mut rows).expect("rows");
        assert_eq!(rows, [[0, 7, 7, 7, 7, 7, 7, 7, 7]; 3].concat());
    }
}
