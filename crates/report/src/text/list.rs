//! What there is, and why what there is not is not.

use super::number::plural;
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};

/// One thing that can be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// Its id.
    pub id: String,
    /// The call as a user writes it; empty where there is none.
    pub call: String,
    /// Its kind; empty where there is none.
    pub kind: String,
    /// The language of the call; empty where there is none.
    pub language: String,
    /// Whether it is here, or why not.
    pub available: Result<(), String>,
    /// What it is, in a line.
    pub about: String,
}

/// A list under its title.
pub fn render(title: &str, rows: &[ListRow], style: &Style) -> String {
    let mut screen = Screen::new(style);
    let (here, absent): (Vec<&ListRow>, Vec<&ListRow>) =
        rows.iter().partition(|row| row.available.is_ok());
    let remark = match absent.len() {
        0 => here.len().to_string(),
        n => format!("{} here, {n} not", here.len()),
    };
    screen.heading(&clean(title), &remark);
    screen.gap();
    if rows.is_empty() {
        screen.paragraph("There is none.");
    }
    if !here.is_empty() {
        available(&mut screen, &here, style);
    }
    if !absent.is_empty() {
        let n = absent.len() as u64;
        let title = format!("Not available here: {}", plural(n, "entry", "entries"));
        screen.heading(&title, "");
        screen.gap();
        let mut table = Table::new(vec![
            Column::new("id", Align::Left).giving_way(16),
            Column::new("reason", Align::Left).giving_way(24),
        ]);
        for row in absent {
            let reason = row
                .available
                .as_ref()
                .err()
                .map_or(String::new(), |r| clean(r));
            table.row(vec![clean(&row.id).into(), Cell::toned(Tone::Dim, reason)]);
        }
        screen.table(&table);
    }
    screen.finish()
}

/// The entries that are here. Columns that hold nothing are left out. What has a call is known by
/// it; the description is shown of what has none, and with `verbose`.
fn available(screen: &mut Screen<'_>, rows: &[&ListRow], style: &Style) {
    type Field = fn(&ListRow) -> &str;
    let fields: [(&str, Field, bool); 5] = [
        ("id", |r| &r.id, false),
        ("kind", |r| &r.kind, false),
        ("language", |r| &r.language, false),
        ("call", |r| &r.call, true),
        ("about", |r| &r.about, true),
    ];
    let calls = rows.iter().any(|r| !r.call.is_empty());
    let held: Vec<&(&str, Field, bool)> = fields
        .iter()
        .filter(|(name, field, _)| {
            let beside = *name == "about" && calls && !style.verbose;
            rows.iter().any(|r| !field(r).is_empty()) && !beside
        })
        .collect();
    let mut table = Table::new(
        held.iter()
            .map(|(name, _, gives_way)| {
                let column = Column::new(name, Align::Left);
                match (gives_way, *name) {
                    (true, _) => column.giving_way(24),
                    (_, "id") => column.giving_way(16),
                    _ => column,
                }
            })
            .collect(),
    );
    for row in rows {
        let cell = |(name, field, _): &&(&str, Field, bool)| {
            let text = clean(field(row));
            match *name {
                "id" => Cell::toned(Tone::Name, text),
                "about" => Cell::toned(Tone::Dim, text),
                _ => text.into(),
            }
        };
        table.row(held.iter().map(cell).collect());
    }
    screen.table(&table);
}
