//! A screen under construction: blocks as lines below each other, lists of what is available, and
//! pages on a name.

use super::style::{INDENT, Style, columns, wrap, wrap_cell};
use super::{pictures, table};
use crate::block::{Block, Cell, Column, Item, Table, Text, Tone};
use crate::clean::{clean, clean_span};
use crate::number::plural;
use crate::section::Detail;
use crate::terms;
use chronoscope_model as model;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The widest text that is comfortable to read; tables may be wider.
const MEASURE: usize = 100;

/// The widest name of a language that keeps code aligned.
const LANGUAGE: usize = 12;

pub(super) struct Screen<'a> {
    style: &'a Style,
    text: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, text: String::new() }
    }

    /// The width that text is wrapped to.
    fn measure(&self) -> usize {
        self.style.width.clamp(20, MEASURE)
    }

    pub(super) fn block(&mut self, block: &Block, detail: Detail) {
        let style = self.style;
        match block {
            Block::Heading { title, remark } => {
                self.heading(&self.safe(title), &paint(remark, style))
            }
            Block::Facts(facts) => {
                let facts = facts.iter().map(|it| (self.safe(&it.name), paint(&it.value, style)));
                self.facts(&facts.collect::<Vec<_>>());
            }
            Block::Table(table) => {
                for laid in table::laid(table, detail, style) {
                    if !laid.title.is_empty() {
                        let remark = style.paint(Tone::Dim, &style.signs(&laid.remark));
                        self.heading(&laid.title, &remark);
                    }
                    if !table.headless && detail != Detail::Brief {
                        self.gap();
                    }
                    self.lines(table::table_lines(&laid.table, detail != Detail::Brief, style));
                    if let Some(keys) = pictures::strip_keys(&laid.strips, style) {
                        self.paragraph(&style.paint(Tone::Dim, &keys));
                    }
                }
            }
            Block::Chart(chart) => self.lines(pictures::plot_lines(chart, style)),
            Block::Paragraph(text) => self.paragraph(&paint(text, style)),
            Block::Legend(text) => {
                if detail != Detail::Brief {
                    self.gap();
                }
                self.paragraph(&style.paint(Tone::Dim, &paint(text, style)));
            }
            // The screen cuts what is too long.
            Block::Line(text) => self.lines(vec![format!("  {}", paint(text, style))]),
            Block::Item { head, details } => {
                self.indented("  ", "    ", &paint(head, style));
                for detail in details {
                    self.indented("    ", "      ", &paint(detail, style));
                }
            }
            Block::Code(code) => {
                self.gap();
                self.code(code);
            }
        }
    }

    /// Text made safe, with signs that the terminal can show.
    pub(super) fn safe(&self, text: &str) -> String {
        self.style.signs(&clean(text))
    }

    pub(super) fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// Adds an empty line, but never two in a row.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a heading, with a remark after it.
    pub(super) fn heading(&mut self, title: &str, remark: &str) {
        self.gap();
        let title = self.style.paint(Tone::Strong, title);
        let rest = if columns(&title) < 22 { "  " } else { "    " };
        let whole = if remark.is_empty() { title } else { format!("{title}  {remark}") };
        match remark {
            "" => self.lines(vec![whole]),
            _ => self.indented("", rest, &whole),
        }
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.indented("  ", "  ", text);
    }

    /// Adds a paragraph with one indentation for its first line and another for the rest.
    pub(super) fn indented(&mut self, first: &str, rest: &str, text: &str) {
        self.lines(wrap(text, self.measure(), first, rest));
    }

    /// Adds a call, indented, and broken as in a cell.
    pub(super) fn call(&mut self, indent: &str, call: &str) {
        let width = self.measure().saturating_sub(columns(indent));
        let lines = wrap_cell(call, width.max(1)).into_iter();
        self.lines(lines.map(|line| format!("{indent}{line}")).collect());
    }

    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        let names = facts.iter().map(|(name, _)| columns(name)).max();
        let names = names.unwrap_or(0).min(self.measure() / 2);
        for (name, value) in facts {
            let name = self.style.cut(name, names);
            let pad = " ".repeat(names + 2 - columns(&name));
            let first = format!("  {}{pad}", self.style.paint(Tone::Dim, &name));
            self.indented(&first, &" ".repeat(INDENT + names + 2), value);
        }
    }

    /// Adds lines of code next to the name of their language.
    fn code(&mut self, code: &[(String, String)]) {
        let widest = code.iter().map(|(language, _)| language.chars().count()).max();
        let widest = widest.unwrap_or(0).min(LANGUAGE);
        for (language, lines) in code {
            for (nth, line) in lines.lines().enumerate() {
                let name = if nth == 0 { clean(language) } else { String::new() };
                let name = self.style.paint(Tone::Dim, &format!("{name:widest$}"));
                // The indentation of code is kept; the rest of the line is made safe.
                let indent = " ".repeat(line.len() - line.trim_start().len());
                let first = format!("  {name}  {indent}");
                self.indented(&first, &" ".repeat(widest + 6), &self.safe(line));
            }
        }
    }

    /// Returns the screen as it is written, with a line feed at the end of its last line.
    pub(super) fn finish(self) -> String {
        let mut open = None;
        let mut out = String::with_capacity(self.text.len() * 2);
        for line in self.text.trim_end_matches('\n').lines() {
            out.push_str(&self.style.finish(line, &mut open));
            out.push('\n');
        }
        out
    }
}

/// Text with its tones, and without anything that a terminal would act on.
fn paint(text: &Text, style: &Style) -> String {
    let spans = text.0.iter().map(|span| {
        let text = style.signs(&clean_span(&span.text));
        span.tone.map_or(text.clone(), |tone| style.paint(tone, &text))
    });
    spans.collect::<String>().trim_end().to_owned()
}

// Lists of what is available, and of the rest with the reasons.

/// An item that can be listed, on a screen or for programs. A text that does not apply is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListRow {
    pub id: String,
    /// The call as a user writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// Whether the item is available on this machine, or why not.
    #[serde(flatten, serialize_with = "availability")]
    pub available: Result<(), String>,
    pub about: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub looks_at: String,
    /// Whether the item belongs to another library, so that only --peers measures it.
    #[serde(skip)]
    pub is_peer: bool,
}

impl ListRow {
    /// A row that has only a description.
    pub fn plain(id: &str, about: &str) -> Self {
        Self {
            id: id.into(),
            call: String::new(),
            kind: String::new(),
            language: String::new(),
            available: Ok(()),
            about: about.into(),
            looks_at: String::new(),
            is_peer: false,
        }
    }
}

fn availability<S: Serializer>(available: &Result<(), String>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Availability<'a> {
        available: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        unavailable_reason: Option<&'a String>,
    }
    let unavailable_reason = available.as_ref().err();
    Availability { available: available.is_ok(), unavailable_reason }.serialize(to)
}

/// On a narrower screen, the call of an entry, or the reason why it is not available, has a line of
/// its own.
const NARROW: usize = 76;

pub fn list(title: &str, rows: &[ListRow], detail: Detail, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let (peers, own): (Vec<&ListRow>, Vec<&ListRow>) = rows.iter().partition(|row| row.is_peer);
    let (here, absent) = by_availability(own);
    let mut remark = match absent.len() {
        0 => here.len().to_string(),
        n => format!("{} available, {n} not", here.len()),
    };
    if !peers.is_empty() {
        remark.push_str(&format!(", and {} of other libraries", peers.len()));
    }
    let title = screen.safe(title);
    screen.heading(&title, &style.paint(Tone::Dim, &remark));
    screen.gap();
    if rows.is_empty() {
        screen.paragraph("None.");
    }
    entries(&mut screen, &here, detail, style);
    if !absent.is_empty() {
        screen.heading("Not available on this machine", "");
        screen.gap();
        entries(&mut screen, &absent, detail, style);
    }
    if !peers.is_empty() {
        let n = plural(peers.len() as u64, "entry", "entries");
        let remark = style.paint(Tone::Dim, "measured only with --peers");
        screen.heading(&format!("Other libraries: {n}"), &remark);
        screen.gap();
        let (here, absent) = by_availability(peers);
        entries(&mut screen, &here, detail, style);
        entries(&mut screen, &absent, detail, style);
    }
    screen.finish()
}

/// The rows that are available, and the rows that are not.
fn by_availability(rows: Vec<&ListRow>) -> (Vec<&ListRow>, Vec<&ListRow>) {
    rows.into_iter().partition(|row| row.available.is_ok())
}

/// How narrow a column of sentences may become; columns of short words keep their width.
const NARROWEST: usize = 24;

/// A column: its head, its text of a row, its tone, and how narrow it may become.
type Field = (&'static str, fn(&ListRow) -> &str, Option<Tone>, Option<usize>);

const AVAILABLE: [Field; 6] = [
    ("id", |row| &row.id, Some(Tone::Name), Some(NARROWEST)),
    ("kind", |row| &row.kind, None, None),
    ("language", |row| &row.language, None, None),
    ("call", |row| &row.call, None, Some(NARROWEST)),
    ("about", |row| &row.about, Some(Tone::Dim), Some(NARROWEST)),
    ("looks at", |row| &row.looks_at, Some(Tone::Dim), Some(NARROWEST)),
];

const ABSENT: [Field; 2] = [
    ("id", |row| &row.id, None, Some(NARROWEST)),
    ("reason", reason, Some(Tone::Dim), Some(NARROWEST)),
];

/// Why an item is not available; empty if it is.
fn reason(row: &ListRow) -> &str {
    row.available.as_ref().err().map_or("", String::as_str)
}

/// Entries that are all available, with what they are, or all not, with the reasons. Empty columns
/// are left out. The description is shown for entries without a call in a language, and for all if
/// everything is asked for.
fn entries(screen: &mut Screen<'_>, rows: &[&ListRow], detail: Detail, style: &Style) {
    let Some(first) = rows.first() else {
        return;
    };
    let here = first.available.is_ok();
    let calls = rows.iter().any(|row| !row.call.is_empty());
    let languages = calls && rows.iter().any(|row| !row.language.is_empty());
    if style.width < NARROW && (calls || !here) {
        rows.iter().for_each(|row| narrow(screen, row, detail, style));
        return;
    }
    let fields = if here { &AVAILABLE[..] } else { &ABSENT[..] };
    let shown = |(name, text, ..): &&Field| {
        let told_by_call = *name == "about" && languages && detail != Detail::Everything;
        rows.iter().any(|row| !text(row).is_empty()) && !told_by_call
    };
    let fields: Vec<&Field> = fields.iter().filter(shown).collect();
    let column =
        |(name, _, _, gives_way): &&Field| Column { gives_way: *gives_way, ..Column::new(*name) };
    let row = |row: &&ListRow| {
        let cells =
            fields.iter().map(|(_, text, tone, _)| Cell { tone: *tone, ..Cell::text(text(row)) });
        Item::from(cells.collect::<Vec<_>>())
    };
    let table = Table {
        columns: fields.iter().map(column).collect(),
        items: rows.iter().map(row).collect(),
        ..Table::default()
    };
    screen.lines(table::table_lines(&table, true, style));
}

/// An entry with its call, or the reason why it is not available, on a line of its own.
fn narrow(screen: &mut Screen<'_>, row: &ListRow, detail: Detail, style: &Style) {
    let dim = |text: &str| style.paint(Tone::Dim, &Screen::new(style).safe(text));
    let id = screen.safe(&row.id);
    if row.available.is_err() {
        screen.indented("  ", "    ", &id);
        screen.indented("      ", "      ", &dim(reason(row)));
        return;
    }
    let (id, of) = (style.paint(Tone::Name, &id), dim(&format!("{} {}", row.kind, row.language)));
    screen.indented("  ", "    ", &format!("{id}  {of}"));
    screen.call("      ", &screen.safe(&row.call));
    if detail == Detail::Everything || row.language.is_empty() {
        screen.indented("      ", "      ", &dim(&row.about));
    }
}

// One page on a clock, a wait, a finding, a purpose, or a name on a screen.

/// A page as it is drawn, and written for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    pub id: String,
    /// What is explained: a clock, a wait, a finding, a purpose, a column.
    #[serde(rename = "what")]
    pub title: String,
    /// The call as a user writes it; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The text; an empty line separates paragraphs.
    #[serde(rename = "about")]
    pub body: String,
    #[serde(serialize_with = "by_name")]
    pub facts: Vec<(String, String)>,
    pub references: Vec<String>,
}

fn by_name<S: Serializer>(facts: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    let facts: BTreeMap<&str, &str> = facts.iter().map(|(name, it)| (&**name, &**it)).collect();
    facts.serialize(to)
}

/// A page on a name that screens print.
impl From<&model::Page> for Page {
    fn from(page: &model::Page) -> Self {
        let others = terms::shown(page.names.get(1..).unwrap_or_default());
        let facts =
            [("unit", page.unit), ("how", page.how), ("what to do", page.act), ("also", &others)];
        let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
        Self {
            id: page.names.first().copied().unwrap_or_default().into(),
            title: page.title.into(),
            call: String::new(),
            body: page.about.into(),
            facts: known.map(|(name, text)| (name.into(), text.into())).collect(),
            references: page.references.iter().map(ToString::to_string).collect(),
        }
    }
}

pub fn explain(page: &Page, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let safe = |text: &str| Screen::new(style).safe(text);
    screen.heading(&safe(&page.id), &style.paint(Tone::Dim, &safe(&page.title)));
    if !page.call.is_empty() {
        screen.gap();
        screen.indented("    ", "      ", &style.paint(Tone::Name, &safe(&page.call)));
    }
    for paragraph in page.body.split("\n\n").filter(|p| !p.trim().is_empty()) {
        screen.gap();
        screen.paragraph(&safe(paragraph));
    }
    if !page.facts.is_empty() {
        screen.gap();
        let facts = page.facts.iter().map(|(name, value)| (safe(name), safe(value)));
        screen.facts(&facts.collect::<Vec<_>>());
    }
    if !page.references.is_empty() {
        screen.heading("References", "");
        for reference in &page.references {
            screen.indented("  ", "    ", &safe(reference));
        }
    }
    screen.finish()
}
