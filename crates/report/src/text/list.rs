//! Lists of what is available, and of the rest with the reasons.

use super::screen::Screen;
use super::style::Style;
use super::table;
use crate::block::{Cell, Column, Item, Table, Tone};
use crate::number::plural;
use crate::section::Detail;
use serde::{Serialize, Serializer};

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

pub fn render(title: &str, rows: &[ListRow], detail: Detail, style: &Style) -> String {
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
    screen.lines(table::lines(&table, true, style));
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
