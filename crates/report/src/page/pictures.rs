//! The charts of a page as files of their own, for papers and slides: SVG with absolute places and
//! plain colours.

use super::chart::{self, FOOT, short};
use super::draw::{self, At, Element, Form, anchor, clean, colour, rooms};
use super::{Input, table};
use crate::block::chart::{Cells, Chart, Drawn, Hue, Mark, Plane, Share};
use crate::block::{Block, Item, Rank, Row, Table, Value};
use crate::number;
use crate::scale::{Scale, Tick};
use crate::section::{self, Detail};
use maud::html;

/// A picture: the name of its file without an extension, which no other has, and its SVG.
pub struct Picture {
    pub name: String,
    pub svg: String,
}

/// The width of a picture, its margins on both sides of the area, and the room of its title.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 236.0;
const HEAD: f64 = 58.0;
/// The width of the names of rows, left of their strips.
const NAMES: f64 = 260.0;
/// The most rows, and columns of cells, that a picture has.
const MOST: usize = 400;

/// Every chart of the page, and every table with strips.
pub fn of(inputs: &[Input<'_>]) -> Vec<Picture> {
    let mut out = Vec::new();
    for section in section::ALL.iter().filter(|it| it.measured) {
        let held: Vec<Input<'_>> =
            inputs.iter().copied().filter(|it| section.is_in(it.report)).collect();
        let blocks: Vec<Block> = match (section.page, held.is_empty()) {
            (_, true) => continue,
            (Some(page), _) => page(&held),
            (None, _) => {
                held.iter().flat_map(|it| (section.view)(it.report, Detail::Full)).collect()
            }
        };
        let mut heading = section.id.to_owned();
        for block in &blocks {
            let (title, svg) = match block {
                Block::Heading { title, .. } => {
                    heading.clone_from(title);
                    continue;
                }
                Block::Chart(it) => (it.title.clone(), Some(chart(it))),
                Block::Table(it) => (heading.clone(), table(it, &heading)),
                _ => continue,
            };
            let Some(svg) = svg else { continue };
            let nth = out.len() + 1;
            let name = file_name(&format!("{}-{nth:02}-{title}", section.id));
            out.push(Picture { name, svg });
        }
    }
    out
}

/// A name that every system allows: at most 60 small letters, digits and hyphens.
fn file_name(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-");
    name.truncate(60);
    name.trim_end_matches('-').to_owned()
}

/// A chart as a picture of its own.
pub fn chart(chart: &Chart) -> String {
    match &chart.drawn {
        Drawn::Plane(it) => plane_of(it, chart),
        Drawn::Cells(it) => cells(it, chart),
    }
}

fn document(title: &str, alt: &str, height: f64, inside: &str) -> String {
    let safe = |text: &str| html! { (clean(text)) }.into_string();
    let (bg, ink) = (colour("bg"), colour("ink"));
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"
 viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">
<title>{title}</title><desc>{alt}</desc>
<rect width="{WIDTH}" height="{height}" fill="{bg}"/>
<text x="12" y="22" font-size="15" font-weight="bold" fill="{ink}">{title}</text>
{inside}</svg>
"#,
        title = safe(title),
        alt = safe(alt),
    )
}

/// Writes words at a place in pixels.
fn text(out: &mut String, at: At, anchor: &'static str, words: &str, class: &'static str) {
    let form = Form::Text { at: (at.0 / WIDTH, at.1), anchor, words: words.to_owned() };
    Element { form, class, of: None, words: None }.absolute(0.0, WIDTH, 0.0, out);
}

fn line(a: (f64, f64), b: (f64, f64), class: &'static str) -> Element {
    Element { form: Form::Line(a, b), class, of: None, words: None }
}

/// The ticks whose labels have room on an axis of this width.
fn labelled(scale: &Scale, wide: f64) -> impl Iterator<Item = Tick> {
    let ticks = scale.ticks();
    let rooms = rooms(&ticks);
    let held = ticks.into_iter().zip(rooms);
    held.filter(move |(_, room)| room.is_some_and(|room| room <= wide)).map(|(tick, _)| tick)
}

fn plane_of(plane: &Plane, chart: &Chart) -> String {
    let drawing = chart::draw_plane(plane);
    let (top, bottom) = (chart::TOP, chart::HEIGHT);
    let right = if drawing.names.is_empty() { 24.0 } else { RIGHT };
    let wide = WIDTH - LEFT - right;
    let mut out = String::new();
    for tick in labelled(&plane.x.scale, wide) {
        line((tick.at, top), (tick.at, bottom), "grid").absolute(LEFT, wide, HEAD, &mut out);
        let at = (LEFT + tick.at * wide, bottom + 16.0 + HEAD);
        text(&mut out, at, anchor(&tick), &tick.label, "tick");
    }
    for tick in plane.y.scale.ticks().iter().filter(|it| it.level < 2) {
        let y = top + (1.0 - tick.at) * (bottom - top);
        line((0.0, y), (1.0, y), "grid").absolute(LEFT, wide, HEAD, &mut out);
        text(&mut out, (LEFT - 6.0, y + 4.0 + HEAD), "end", &tick.label, "tick");
    }
    line((0.0, bottom), (1.0, bottom), "base").absolute(LEFT, wide, HEAD, &mut out);
    for element in &drawing.elements {
        element.absolute(LEFT, wide, HEAD, &mut out);
    }
    for name in &drawing.names {
        let [from, to, right] = [4.0, 15.0, 18.0].map(|x| (LEFT + wide + x) / WIDTH);
        let (at, words) = ((right, name.y + 4.0), short(&name.words));
        let words = Form::Text { at, anchor: "start", words };
        let lead = Form::Line((from, name.from), (to, name.y));
        for (form, class) in [(words, "name"), (lead, "move")] {
            let of = Some((name.series, name.hue));
            Element { form, class, of, words: None }.absolute(0.0, WIDTH, HEAD, &mut out);
        }
    }
    text(&mut out, (12.0, HEAD - 14.0), "start", &plane.y.name, "tick");
    text(&mut out, (LEFT, bottom + 36.0 + HEAD), "start", &plane.x.name, "tick");
    document(&chart.title, &chart.alt, HEAD + bottom + FOOT + 24.0, &out)
}

fn cells(cells: &Cells, chart: &Chart) -> String {
    let (rows, columns) = (cells.rows.len().clamp(1, MOST), cells.columns.len().clamp(1, MOST));
    let (wide, high) = ((WIDTH - LEFT - 24.0) / columns as f64, (560.0 / rows as f64).min(24.0));
    let mut out = String::new();
    for (row, values) in cells.values.iter().take(rows).enumerate() {
        for (column, value) in values.iter().take(columns).enumerate() {
            let Some(value) = value.filter(|v| v.is_finite()) else { continue };
            let strength = chart::strength(cells, value);
            let fill = colour(if strength < 0.0 { "warn" } else { "accent" });
            let (x, y) = (LEFT + column as f64 * wide, HEAD + row as f64 * high);
            out.push_str(&format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" \
                 fill=\"{fill}\" opacity=\"{:.2}\"/>\n",
                strength.abs() * 0.6
            ));
            if wide >= 50.0 && high >= 14.0 {
                let words = (cells.words)(value);
                let at = (x + wide / 2.0, y + high / 2.0 + 4.0);
                text(&mut out, at, "middle", &words, "note");
            }
        }
    }
    for (row, name) in cells.rows.iter().take(rows).enumerate().filter(|_| high >= 12.0) {
        let y = HEAD + (row as f64 + 0.5) * high + 4.0;
        text(&mut out, (LEFT - 6.0, y), "end", name, "tick");
    }
    for (column, name) in cells.columns.iter().take(columns).enumerate().filter(|_| wide >= 20.0) {
        let x = LEFT + (column as f64 + 0.5) * wide;
        text(&mut out, (x, HEAD - 6.0), "middle", name, "tick");
    }
    document(&chart.title, &chart.alt, HEAD + rows as f64 * high + 16.0, &out)
}

/// A table's first column with strips or stacks as a picture; absent if it has none.
pub fn table(table: &Table, title: &str) -> Option<String> {
    let picture = |value: &Value| matches!(value, Value::Strip(_) | Value::Stack(_));
    let column =
        table.rows().find_map(|row| row.cells.iter().position(|cell| picture(&cell.value)))?;
    let cells = || table.column(column).take(MOST).map(|cell| &cell.value);
    let marks: Vec<&Mark> = cells().flat_map(Value::marks).collect();
    let shares: Vec<&Share> = cells().flat_map(Value::shares).collect();
    let own: Option<Scale> = table.columns.get(column).and_then(|it| it.axis);
    let axis = own.unwrap_or_else(|| table::strip_axis(&marks));
    let wide = WIDTH - NAMES - 24.0;
    let (mut rows, mut grid) = (String::new(), String::new());
    let mut y = HEAD;
    let mut named = String::new();
    for item in table.items.iter().take(MOST) {
        match item {
            Item::Group { name, .. } => {
                y += 6.0;
                text(&mut rows, (12.0, y + 15.0), "start", name, "group");
                named.clear();
            }
            Item::Row(row) => {
                let name = name(table, row);
                // A row without a name is another one of the last name.
                if !name.is_empty() {
                    named = name;
                }
                text(&mut rows, (12.0, y + 15.0), "start", &named, "note");
                let elements = match row.cells.get(column).map(|cell| &cell.value) {
                    Some(Value::Strip(marks)) => table::strip_elements(marks, &axis),
                    Some(Value::Stack(shares)) => table::stack_elements(shares),
                    _ => Vec::new(),
                };
                for mut element in elements {
                    advised(&mut element, row.marked);
                    element.absolute(NAMES, wide, y, &mut rows);
                }
            }
        }
        y += table::HEIGHT;
    }
    for tick in labelled(&axis, wide).filter(|_| !marks.is_empty()) {
        line((tick.at, HEAD), (tick.at, y), "grid").absolute(NAMES, wide, 0.0, &mut grid);
        let at = (NAMES + tick.at * wide, HEAD - 8.0);
        text(&mut grid, at, anchor(&tick), &tick.label, "tick");
    }
    y += 10.0;
    let mut x = 12.0;
    let parts = table::named_parts(&shares).into_iter().map(|(name, hue)| {
        let form = Form::Rect { from: (0.0, 1.0), to: (0.5, 11.0) };
        (Element { form, class: "part", of: Some((0, hue)), words: None }, name)
    });
    let marks = table::samples(&marks).map(|(sample, name)| (sample, name as &str));
    for (sample, name) in marks.chain(parts) {
        let room = draw::wide(name) + 40.0;
        if x + room > WIDTH {
            (x, y) = (12.0, y + 18.0);
        }
        sample.absolute(x, 20.0, y, &mut rows);
        text(&mut rows, (x + 24.0, y + 10.0), "start", name, "tick");
        x += room;
    }
    Some(document(title, title, y + 24.0, &(grid + &rows)))
}

/// What names a row, as far as there is room for it left of its strip.
fn name(table: &Table, row: &Row) -> String {
    let columns = table.columns.iter().zip(&row.cells);
    let names = columns.filter(|(column, _)| column.rank == Rank::Name);
    let words: Vec<String> = names.map(|(_, cell)| number::of_cell(cell).value).collect();
    let words = words.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect::<Vec<_>>();
    let most = ((NAMES - 24.0) / draw::wide("n")) as usize;
    words.join(", ").chars().take(most).collect()
}

/// The colour of what is advised, in the row that is.
fn advised(element: &mut Element, marked: bool) {
    if let (true, Some((0, hue @ Hue::Report(0)))) = (marked, &mut element.of) {
        *hue = Hue::Accent;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_leads_out_of_no_folder() {
        assert_eq!(super::file_name("waits-01-Overshoot"), "waits-01-overshoot");
        assert_eq!(super::file_name("../etc/a b\u{0}\\"), "etc-a-b");
    }
}
