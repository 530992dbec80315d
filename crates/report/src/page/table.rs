//! A table as HTML; its rows may contain their own picture, a strip or a stack. On narrow screens a
//! row has several lines, with the names of the columns next to its figures.
//!
//! And all other kinds of blocks as HTML, and what stands next to each other.

use super::chart;
use super::draw::{At, Element, Form, anchor, clean, hue, pc, room, rooms};
use super::text::{Once, class, deck, heading, safe, text, verbatim};
use crate::block::chart::{Hue, Mark, Share, What};
use crate::block::{Align, Block, Cell, Column, Fact, Item, Part, Rank, Row, Table, Value};
use crate::number;
use crate::scale::{Scale, Unit};
use crate::section::distinct;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The rows that are drawn of a table. A browser lays out a few thousand without delay; the report
/// in the page has all of them.
const ROWS: usize = 1000;

/// What fits next to each other, in characters, on a screen of 1280 pixels.
const ROOM: usize = 140;

/// The width of a picture, and the most that a column of text is given, in characters.
const PICTURE: usize = 34;
const TEXT: usize = 28;

/// The longest id that is kept in one line, in characters.
const WHOLE: usize = 44;

/// The table below a heading with the id `under`; headings of its own have this level.
pub(super) fn table(table: &Table, level: u8, under: &str, once: &mut Once) -> Markup {
    if table.is_empty() {
        return html! {};
    }
    let all: Vec<usize> = (0..table.columns.len()).filter(|at| says(table, *at)).collect();
    let parts = table.by_part(&all);
    if parts.is_empty() {
        return fitted(table, &all, under, true, once);
    }
    html! {
        @for (nth, (Part { title, remark }, columns)) in parts.into_iter().enumerate() {
            @let id = once.id(&format!("{}/{title}", once.section));
            (heading(level.max(3), &id, title))
            @if !remark.is_empty() { p.deck { (remark) } }
            (fitted(table, &columns, &id, nth == 0, once))
        }
    }
}

/// Whether a column says anything about any row.
fn says(table: &Table, at: usize) -> bool {
    let column = &table.columns[at];
    let blank = |cell: &Cell| match (&cell.words, &cell.value) {
        (Some(words), _) => words.trim().is_empty(),
        (None, value) => *value == Value::Absent,
    };
    column.rank == Rank::Name || table.column(at).any(|cell| !blank(cell))
}

/// The columns that fit, and the others behind a line that shows them.
fn fitted(table: &Table, all: &[usize], under: &str, anchors: bool, once: &mut Once) -> Markup {
    let mut columns = all.to_vec();
    let widths: Vec<usize> = (0..table.columns.len()).map(|at| width(table, at)).collect();
    let fits = |columns: &[usize]| columns.iter().map(|at| widths[*at] + 2).sum::<usize>() <= ROOM;
    for rank in [Rank::Optional, Rank::More, Rank::Spare] {
        while !fits(&columns) {
            let Some(place) = columns.iter().rposition(|at| table.columns[*at].rank == rank) else {
                break;
            };
            columns.remove(place);
        }
    }
    let is_name = |at: &usize| table.columns[*at].rank == Rank::Name;
    let others = all.iter().copied().filter(|at| is_name(at) || !columns.contains(at));
    let others: Vec<usize> = others.collect();
    let heads = others.iter().filter(|at| !is_name(at)).map(|at| head(&table.columns[*at]));
    let heads: Vec<String> = heads.collect();
    let more = columns.len() < all.len();
    html! {
        (keys(table, &columns))
        (grid(table, &columns, under, anchors, once))
        @if more {
            details.more {
                summary { "More columns: " (heads.join(", ")) }
                (keys(table, &others))
                (grid(table, &others, under, false, once))
            }
        }
    }
}

/// The width of a column in characters, roughly.
fn width(table: &Table, at: usize) -> usize {
    let column = &table.columns[at];
    let cells = table.column(at).take(ROWS);
    let cells = cells.map(|cell| match &cell.value {
        Value::Drawing(drawing) => drawing.chars().count(),
        value if value.is_picture() => PICTURE,
        _ => {
            let shown = number::of_cell(cell);
            let spread = if shown.spread.is_empty() { 0 } else { shown.spread.len() + 2 };
            (shown.value.chars().count() + spread).min(TEXT)
        }
    });
    let longest = column.head.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    cells.max().unwrap_or(0).max(longest + 2)
}

/// What the pictures of these columns are made of.
fn keys(table: &Table, columns: &[usize]) -> Markup {
    let all = || columns.iter().flat_map(|at| table.column(*at)).map(|cell| &cell.value);
    let marks: Vec<&Mark> = all().flat_map(Value::marks).collect();
    let shares: Vec<&Share> = all().flat_map(Value::shares).collect();
    html! {
        @if !marks.is_empty() { (strip_keys(&marks)) }
        @if !shares.is_empty() { (stack_keys(&shares)) }
    }
}

/// A column as it is drawn.
struct Drawn<'a> {
    at: usize,
    column: &'a Column,
    head: String,
    /// Whether its cells are pictures.
    picture: bool,
    /// Whether its cells have figures to sort by.
    figures: bool,
    /// The unit of those figures for programs; absent if they have none.
    unit: Option<&'static str>,
    /// The axis of its strips.
    axis: Option<Scale>,
    /// Whether it is next to the name on a narrow screen.
    leads: bool,
}

impl<'a> Drawn<'a> {
    fn of(table: &'a Table, columns: &[usize]) -> Vec<Self> {
        let mut all: Vec<Self> = columns.iter().map(|at| Self::new(table, *at)).collect();
        let lead = |it: &&mut Self| it.figures && !it.picture && it.column.rank == Rank::Primary;
        if let Some(first) = all.iter_mut().find(lead) {
            first.leads = true;
        }
        all
    }

    fn new(table: &'a Table, at: usize) -> Self {
        let column = &table.columns[at];
        let cells = || table.column(at);
        let marks: Vec<&Mark> = cells().flat_map(|cell| cell.value.marks()).collect();
        let axis = column.axis.or_else(|| (!marks.is_empty()).then(|| strip_axis(&marks)));
        let figures = column.rank != Rank::Name && cells().any(|it| raw(&it.value).is_some());
        let picture = cells().any(|cell| cell.value.is_picture());
        let is_ns = |cell: &Cell| matches!(cell.value, Value::Ns(_) | Value::Estimate(_));
        let unit = if cells().any(is_ns) { Some("ns") } else { some(column.unit) };
        let unit = unit.filter(|_| figures);
        Self { at, column, head: head(column), picture, figures, unit, axis, leads: false }
    }

    fn class(&self) -> &'static str {
        match (self.picture, self.leads, self.column.align) {
            (true, ..) => "strip",
            (_, true, _) => "n lead",
            (_, _, Align::Right | Align::Decimal) => "n",
            _ if self.figures => "n",
            _ => "",
        }
    }

    fn head(&self, once: &mut Once) -> Markup {
        let words = safe(&self.column.head.replace('\n', " "));
        let key = (!self.picture).then_some(if self.figures { "num" } else { "text" });
        html! {
            th scope="col" class=[some(self.class())] data-key=[key] data-unit=[self.unit] {
                @match words.trim() {
                    "" => { span.quiet { @if self.picture { "picture" } @else { "value" } } }
                    words => { span { (words) } }
                }
                @if !self.column.unit.is_empty() { " " span.unit { (self.column.unit) } }
                (once.about(&self.column.head))
                @if let (true, Some(axis)) = (self.picture, &self.axis) { (strip_head(axis)) }
            }
        }
    }

    fn cell(&self, cell: &Cell) -> Markup {
        let own = self.class();
        let tone = cell.tone.map_or("", class);
        let all = [own, tone].join(" ");
        let value = raw(&cell.value);
        let label = (!self.picture && !self.head.is_empty()).then_some(&self.head);
        html! {
            td class=[some(all.trim())] data-v=[value] data-h=[label] { (self.content(cell)) }
        }
    }

    fn content(&self, cell: &Cell) -> Markup {
        let shown = number::of_cell(cell);
        html! {
            @match (&cell.value, &self.axis) {
                (Value::Strip(marks), Some(axis)) => { (strip_cell(marks, axis)) }
                (Value::Stack(shares), _) => { (stack_cell(shares)) }
                (Value::Bar(length), _) => { (bar(*length)) }
                (Value::Drawing(_), _) => { pre.drawing { (safe(&shown.value)) } }
                (Value::Code(_), _) => {
                    code.whole[shown.value.chars().count() <= WHOLE] { (safe(&shown.value)) }
                }
                _ => {
                    (safe(&shown.value))
                    @if !shown.spread.is_empty() { " " span.pm { "±" (shown.spread) } }
                }
            }
        }
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// A bar of this length, 0 to 1.
fn bar(length: f64) -> Markup {
    let length = if length.is_finite() { length.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    html! {
        svg.row width="100%" height="12" aria-hidden="true" {
            rect.bar width={ (format!("{length:.2}")) "%" } height="12" {}
        }
    }
}

/// The head of a column in one line, with its unit.
fn head(column: &Column) -> String {
    let head = safe(&column.head.replace('\n', " "));
    match (head.trim(), column.unit) {
        (head, "") => head.to_owned(),
        ("", unit) => unit.to_owned(),
        (head, unit) => format!("{head}, {unit}"),
    }
}

/// The figure of a cell for programs; a duration is in nanoseconds.
fn raw(value: &Value) -> Option<String> {
    let number = match value {
        Value::Count(n) => return Some(n.to_string()),
        Value::Whole(n) => return Some(n.to_string()),
        Value::Number(n) | Value::Ns(n) | Value::Share(n) => *n,
        Value::Estimate(e) if !e.below_resolution => e.value_ns,
        _ => return None,
    };
    let plain = number == 0.0 || (1e-6..1e15).contains(&number.abs());
    let text = if plain { number.to_string() } else { format!("{number:e}") };
    number.is_finite().then_some(text)
}

/// The rows below a group's line, and the line.
type Body<'a> = (Option<(&'a str, &'a str)>, Vec<&'a Row>);

/// The rows in their groups, up to the most that are drawn.
fn bodies(table: &Table) -> Vec<Body<'_>> {
    let mut left = ROWS;
    let groups = table.items.chunk_by(|_, next| matches!(next, Item::Row(_)));
    let bodies = groups.map(|items| {
        let group = match &items[0] {
            Item::Group { name, remark } => Some((&**name, &**remark)),
            Item::Row(_) => None,
        };
        let rows: Vec<&Row> = items.iter().filter_map(Item::row).take(left).collect();
        left -= rows.len();
        (group, rows)
    });
    bodies.filter(|(_, rows)| !rows.is_empty()).collect()
}

fn grid(table: &Table, columns: &[usize], under: &str, anchors: bool, once: &mut Once) -> Markup {
    let drawn = Drawn::of(table, columns);
    let left = table.rows().count().saturating_sub(ROWS);
    let small = columns.len() <= 6 && !drawn.iter().any(|it| it.picture);
    let quiet = table.headless.then_some("quiet");
    html! {
        div.fits {
            table.small[small] data-name=(under) aria-labelledby=(under) {
                thead class=[quiet] { tr { @for column in &drawn { (column.head(once)) } } }
                @for (group, rows) in bodies(table) {
                    tbody {
                        @if let Some((name, remark)) = group {
                            tr.group {
                                th colspan=(drawn.len()) scope="rowgroup" {
                                    (safe(name)) " " span.dim { (safe(remark)) }
                                }
                            }
                        }
                        @for row in rows {
                            @let id = anchors.then(|| row_id(table, row, once)).flatten();
                            (self::row(row, &drawn, id.as_deref()))
                        }
                    }
                }
            }
        }
        @if left > 0 {
            p.legend-text {
                (number::plural(left as u64, "more row is", "more rows are"))
                " in the report that this page holds."
            }
        }
    }
}

/// The id of a row: the section, and what names the row.
fn row_id(table: &Table, row: &Row, once: &mut Once) -> Option<String> {
    let named = table.columns.iter().zip(&row.cells).filter(|(column, cell)| {
        column.rank == Rank::Name && matches!(cell.value, Value::Code(_) | Value::Text(_))
    });
    let names: Vec<String> = named.map(|(_, cell)| number::of_cell(cell).value).collect();
    (!names.is_empty()).then(|| once.id(&format!("{}/{}", once.section, names.join("/"))))
}

fn row(row: &Row, columns: &[Drawn<'_>], id: Option<&str>) -> Markup {
    let none = Cell::default();
    let cells = columns.iter().map(|column| (column, row.cells.get(column.at).unwrap_or(&none)));
    html! {
        tr.best[row.marked] id=[id] {
            @for (nth, (column, cell)) in cells.enumerate() {
                @let words = number::of_cell(cell).value;
                @if nth == 0 && !column.picture && !words.trim().is_empty() {
                    th.id scope="row" class=[cell.tone.map(class)] {
                        @match id {
                            Some(id) => { a href={ "#" (id) } { (column.content(cell)) } }
                            None => { (column.content(cell)) }
                        }
                    }
                } @else { (column.cell(cell)) }
            }
        }
    }
}

// Strips and stacks: pictures in the cells of a table, as SVG whose horizontal places are
// percentages, so that they fill a column whose width is not known.

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
pub(super) fn strip_axis(marks: &[&Mark]) -> Scale {
    Scale::log(Unit::Ns, marks.iter().flat_map(|mark| [mark.low, mark.value, mark.high]))
}

/// The labels of the axis, for the head of the column.
fn strip_head(axis: &Scale) -> Markup {
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
fn strip_keys(marks: &[&Mark]) -> Markup {
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
    held.map(|(what, name)| (mark_element(what, (0.5, 6.0), 0.05, 0, None), name))
}

/// What the parts of a column of stacks stand for.
fn stack_keys(shares: &[&Share]) -> Markup {
    html! {
        @for (name, of) in named_parts(shares) {
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
pub(super) fn named_parts<'a>(shares: &[&'a Share]) -> Vec<(&'a str, Hue)> {
    distinct(shares.iter().map(|share| (&*share.name, share.hue)))
}

/// A mark; `from` is the place where a line to it begins.
fn mark_element(what: What, at: At, from: f64, of: usize, words: Option<String>) -> Element {
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
pub(super) fn strip_elements(marks: &[Mark], axis: &Scale) -> Vec<Element> {
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
        out.push(mark_element(mark.what, (at, y), from, mark.of, words));
    }
    out
}

/// The marks of one row.
fn strip_cell(marks: &[Mark], axis: &Scale) -> Markup {
    html! {
        svg.row width="100%" height=(HEIGHT) aria-hidden="true" {
            @for tick in axis.ticks().iter().filter(|tick| tick.level == 0) {
                line.grid x1=(pc(tick.at)) x2=(pc(tick.at)) y2=(HEIGHT) {}
            }
            @for element in strip_elements(marks, axis) { (element.html(HEIGHT, false)) }
        }
    }
}

/// The parts of a row as elements, from left to right; what exceeds the whole is cut.
pub(super) fn stack_elements(shares: &[Share]) -> Vec<Element> {
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
fn stack_cell(shares: &[Share]) -> Markup {
    html! {
        svg.row width="100%" height=(HEIGHT) aria-hidden="true" {
            @for part in stack_elements(shares) { (part.html(HEIGHT, false)) }
        }
    }
}

/// Blocks of one section, whose headings have this level; `under` is the id of the heading above
/// them.
pub(super) fn blocks(blocks: &[Block], level: u8, under: &str, once: &mut Once) -> Markup {
    let mut under = under.to_owned();
    let mut written = Vec::new();
    for now in blocks.chunk_by(alike) {
        written.push(match &now[0] {
            Block::Heading { title, remark } => {
                under = once.id(&format!("{}/{title}", once.section));
                html! { (heading(level, &under, title)) (deck(remark)) }
            }
            Block::Facts(facts) => self::facts(facts, once),
            Block::Table(table) => self::table(table, level, &under, once),
            Block::Chart(_) => charts(now, once),
            Block::Paragraph(words) => html! { p { (text(words)) } },
            Block::Legend(words) => html! { p.legend-text { (text(words)) } },
            Block::Line(_) | Block::Item { .. } => list(now),
            Block::Code(code) => self::code(code, once),
        });
    }
    html! { @for one in written { (one) } }
}

/// Whether two blocks that follow each other are one list or one row of charts.
fn alike(a: &Block, b: &Block) -> bool {
    let listed = a.entry().is_some() && b.entry().is_some();
    listed || matches!((a, b), (Block::Chart(_), Block::Chart(_)))
}

fn charts(blocks: &[Block], once: &mut Once) -> Markup {
    html! {
        div.pair[blocks.len() > 1] {
            @for block in blocks {
                @if let Block::Chart(chart) = block {
                    (chart::figure(chart, &once.id(&format!("{}/chart", once.section))))
                }
            }
        }
    }
}

fn facts(facts: &[Fact], once: &mut Once) -> Markup {
    // A fact without a name belongs to the one above.
    let groups = facts.chunk_by(|_, next| next.name.is_empty());
    html! {
        dl.facts {
            @for group in groups {
                div {
                    @for fact in group.iter().take(1) {
                        dt { @if fact.name.is_empty() { "·" } @else { (once.term(&fact.name)) } }
                    }
                    @for fact in group { dd { (text(&fact.value)) } }
                }
            }
        }
    }
}

fn list(blocks: &[Block]) -> Markup {
    html! {
        ul {
            @for (head, details) in blocks.iter().filter_map(Block::entry) {
                li {
                    (text(head))
                    @if !details.is_empty() {
                        ul { @for detail in details { li { (text(detail)) } } }
                    }
                }
            }
        }
    }
}

/// Code by language: one language is open at a time.
fn code(code: &[(String, String)], once: &mut Once) -> Markup {
    let group = once.id("code");
    html! {
        div.code {
            @for (nth, (language, lines)) in code.iter().enumerate() {
                details name=(group) open[nth == 0] {
                    summary { (safe(language)) }
                    (verbatim(lines))
                }
            }
        }
    }
}
