//! What pictures are drawn with. Horizontal places are shares of a width, vertical ones pixels; a
//! page writes the former as percentages, a picture of its own as pixels.

use crate::block::chart::Hue;
use crate::clean::is_unseen;
use crate::scale::Tick;
use chronoscope_model::packed::{self, packed};
use maud::{Markup, html};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The style sheet of a page, which also has the colours of pictures.
pub(super) static STYLE: LazyLock<String> =
    LazyLock::new(|| packed::text(packed!("style.css")) + &packed::text(packed!("chart.css")));

pub(super) struct Element {
    pub(super) form: Form,
    /// What it is, for the style sheet: a row of `styles.txt`.
    pub(super) class: &'static str,
    /// The series, by number within its chart, and its colour.
    pub(super) of: Option<(usize, Hue)>,
    /// What a reader gets who points at it.
    pub(super) words: Option<String>,
}

/// A place: a share of the width, and pixels from the top.
pub(super) type At = (f64, f64);

pub(super) enum Form {
    Rect {
        from: At,
        to: At,
    },
    Line(At, At),
    Circle(At, f64),
    Cross(At),
    /// A line through places, or the area that they enclose.
    Path(Vec<At>),
    Text {
        at: At,
        anchor: &'static str,
        words: String,
    },
}

/// The least distance of two labels, in pixels.
const GAP: f64 = 10.0;

/// The widths of axes, in pixels, from which the style sheet shows more labels.
const ROOMS: [f64; 4] = [130.0, 250.0, 370.0, 500.0];

/// The class of a hue, which is also the name of its colour in the style sheet.
pub(super) fn hue(hue: Hue) -> String {
    match hue {
        Hue::Accent => "accent".into(),
        Hue::Sleep(nth) => format!("sleep{}", nth % 4),
        Hue::Hybrid(nth) => format!("hybrid{}", nth % 4),
        Hue::Spin(nth) => format!("spin{}", nth % 3),
        Hue::Report(nth) => format!("report{}", nth % 4),
        Hue::Part(nth) => format!("part{}", nth % 6),
    }
}

/// The plain colour of a name in the light theme, as the style sheet has it.
pub(super) fn colour(name: &str) -> &'static str {
    let value = STYLE.split_once(&format!("--{name}: ")).map(|(_, rest)| rest);
    value.and_then(|rest| rest.split_once(';')).map_or("#000", |(value, _)| value)
}

/// The width of words, at least, in pixels: most letters of a font of this size are narrower.
pub(super) fn wide(words: &str) -> f64 {
    words.chars().count() as f64 * 6.6
}

/// The width of an axis, in pixels, from which each of its labels has room; absent for labels that
/// are only for zooming in.
pub(super) fn rooms(ticks: &[Tick]) -> Vec<Option<f64>> {
    let mut rooms: Vec<Option<f64>> = vec![None; ticks.len()];
    let of = |level| (0..ticks.len()).filter(move |nth| ticks[*nth].level == level);
    for width in ROOMS {
        let apart = |a: usize, b: usize| {
            let ((from, to), (start, end)) = (extent(&ticks[a], width), extent(&ticks[b], width));
            to + GAP < start || end + GAP < from
        };
        // Every first, second or fourth label, so that they stay at equal distances.
        let regular = |step: usize| of(0).step_by(step).collect::<Vec<usize>>();
        let fits = |held: &Vec<usize>| held.windows(2).all(|pair| apart(pair[0], pair[1]));
        let held = (0..16).map(|power| regular(1 << power)).find(fits).unwrap_or_default();
        let all = held.len() == of(0).count();
        for nth in held.into_iter().chain(of(1).filter(|_| all)) {
            let mut shown = (0..ticks.len()).filter(|other| rooms[*other].is_some());
            if rooms[nth].is_none() && shown.all(|other| apart(nth, other)) {
                rooms[nth] = Some(width);
            }
        }
    }
    rooms
}

/// Where a label is on an axis of this width, which it does not leave.
fn extent(tick: &Tick, width: f64) -> (f64, f64) {
    let (middle, wide) = (tick.at * width, wide(&tick.label));
    match anchor(tick) {
        "start" => (middle, middle + wide),
        "end" => (middle - wide, middle),
        _ => (middle - wide / 2.0, middle + wide / 2.0),
    }
}

/// Which end of a label is at its tick: those at the ends of an axis do not stand beyond it.
pub(super) fn anchor(tick: &Tick) -> &'static str {
    match tick.at {
        ..0.05 => "start",
        0.95.. => "end",
        _ => "middle",
    }
}

/// The class of a tick whose label has room from this width on, or only for zooming in.
pub(super) fn room(tick: &Tick, room: Option<f64>) -> String {
    let from = ROOMS.iter().position(|width| Some(*width) == room);
    let level = tick.level;
    from.map_or_else(|| format!("t{}", level.max(2)), |nth| format!("t{level} m{nth}"))
}

/// A share of the width as a percentage.
pub(super) fn pc(at: f64) -> String {
    format!("{}%", (at * 1e4).round() / 100.0)
}

/// A text that XML allows, and in which nothing hides: without what is no character.
pub(super) fn clean(text: &str) -> String {
    let bad = |c: char| is_unseen(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if bad(c) { '\u{fffd}' } else { c }).collect()
}

fn px(v: f64) -> f64 {
    (v * 10.0).round() / 10.0
}

fn share(f: f64) -> String {
    format!("{}", (f * 1e5).round() / 1e5)
}

impl Element {
    /// The element on a page, in an area of this height. `data-f` repeats its place, for the script
    /// that zooms, if it can be zoomed.
    pub(super) fn html(&self, height: f64, zooms: bool) -> Markup {
        let of = self.of.map(|(series, of)| match zooms {
            true => format!(" s{series} {}", hue(of)),
            false => format!(" {}", hue(of)),
        });
        let class = format!("{}{}", self.class, of.unwrap_or_default());
        let words = self.words.as_deref().map(clean);
        let f = |f: f64| zooms.then(|| share(f));
        let two = |a: f64, b: f64| zooms.then(|| format!("{},{}", share(a), share(b)));
        match &self.form {
            Form::Rect { from, to } => html! {
                rect class=(class) data-f=[two(from.0, to.0)] data-t=[words] x=(pc(from.0))
                    y=(px(from.1)) width=(pc(to.0 - from.0)) height=(px(to.1 - from.1)) {}
            },
            Form::Line(a, b) => html! {
                line class=(class) data-f=[two(a.0, b.0)] data-t=[words] x1=(pc(a.0)) x2=(pc(b.0))
                    y1=(px(a.1)) y2=(px(b.1)) {}
            },
            Form::Circle(at, r) => html! {
                circle class=(class) data-f=[f(at.0)] data-t=[words] cx=(pc(at.0)) cy=(px(at.1))
                    r=(r) {}
            },
            Form::Cross(at) => html! {
                svg x=(pc(at.0)) y=(px(at.1)) overflow="visible" data-t=[words] {
                    path class=(class) d="M-2.8-2.8l5.6 5.6m0-5.6l-5.6 5.6" {}
                }
            },
            Form::Path(through) => html! {
                svg class="stretch" viewBox=(format!("0 0 1000 {height}"))
                    preserveAspectRatio="none" width="100%" height=(height) {
                    path class=(class) d=(path(through, 0.0, 1000.0)) {}
                }
            },
            Form::Text { at, anchor, words } => html! {
                text class=(class) data-f=[f(at.0)] x=(pc(at.0)) y=(px(at.1)) text-anchor=(anchor) {
                    (clean(words))
                }
            },
        }
    }

    /// The element in a picture, between two horizontal places in pixels and from a vertical one.
    pub(super) fn absolute(&self, left: f64, width: f64, top: f64, out: &mut String) {
        let own = self.of.map_or_else(|| "ink".into(), |(_, of)| hue(of));
        let paint = |name: &str| match name {
            "" => "none",
            "hue" => colour(&own),
            name => colour(name),
        };
        let row = |line: &'static str| {
            let mut cells = line.split('|').map(str::trim);
            let own = cells.next() == Some(self.class);
            own.then(|| [(); 4].map(|()| cells.next().unwrap_or_default()))
        };
        let style = include_str!("styles.txt").lines().find_map(row);
        let [fill, stroke, wide, opacity] = style.unwrap_or(["dim", "", "0", "1"]);
        let (fill, stroke) = (paint(fill), paint(stroke));
        let look =
            format!(r#"fill="{fill}" stroke="{stroke}" stroke-width="{wide}" opacity="{opacity}""#);
        let place = |at: &At| (px(left + at.0 * width), px(at.1 + top));
        // Writing to a string cannot fail.
        let _ = match &self.form {
            Form::Rect { from, to } => {
                let (x, y) = place(from);
                let (wide, high) = (px((to.0 - from.0) * width), px(to.1 - from.1));
                writeln!(out, r#"<rect x="{x}" y="{y}" width="{wide}" height="{high}" {look}/>"#)
            }
            Form::Line(a, b) => {
                let ((x1, y1), (x2, y2)) = (place(a), place(b));
                writeln!(out, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {look}/>"#)
            }
            Form::Circle(at, r) => {
                let (x, y) = place(at);
                writeln!(out, r#"<circle cx="{x}" cy="{y}" r="{r}" {look}/>"#)
            }
            Form::Cross(at) => {
                let (x, y) = place(at);
                writeln!(out, r#"<path d="M{x} {y}m-2.8-2.8l5.6 5.6m0-5.6l-5.6 5.6" {look}/>"#)
            }
            Form::Path(through) => {
                let moved: Vec<At> = through.iter().map(|(f, v)| (*f, v + top)).collect();
                writeln!(out, r#"<path d="{}" {look}/>"#, path(&moved, left, width))
            }
            Form::Text { at, anchor, words } => {
                let bold = if self.class == "group" { r#" font-weight="bold""# } else { "" };
                let ((x, y), words) = (place(at), html! { (clean(words)) }.into_string());
                let text = format!(r#"text x="{x}" y="{y}" text-anchor="{anchor}""#);
                writeln!(out, r#"<{text}{bold} fill="{fill}">{words}</text>"#)
            }
        };
    }
}

fn path(through: &[At], left: f64, width: f64) -> String {
    let mut out = String::new();
    for (f, y) in through {
        let letter = if out.is_empty() { 'M' } else { 'L' };
        let _ = write!(out, "{letter}{} {}", px(left + f * width), px(*y));
    }
    out
}
