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
    /// Whether it is another library's, which only --peers measures.
    pub beside: bool,
}

/// Columns below which an entry has a line of its own for its call, or for why it is not here.
const NARROW: usize = 76;

/// A list under its title.
pub fn render(title: &str, rows: &[ListRow], style: &Style) -> String {
    let mut screen = Screen::new(style);
    let (beside, own): (Vec<&ListRow>, Vec<&ListRow>) = rows.iter().partition(|row| row.beside);
    let (here, absent) = parted(own);
    let mut remark = match absent.len() {
        0 => here.len().to_string(),
        n => format!("{} here, {n} not", here.len()),
    };
    if !beside.is_empty() {
        remark.push_str(&format!(", and {} of other libraries", beside.len()));
    }
    screen.heading(&clean(title), &remark);
    screen.gap();
    if rows.is_empty() {
        screen.paragraph("There is none.");
    }
    available(&mut screen, &here, style);
    if !absent.is_empty() {
        let n = plural(absent.len() as u64, "entry", "entries");
        screen.heading(&format!("Not available here: {n}"), "");
        screen.gap();
        reasons(&mut screen, &absent, style);
    }
    if !beside.is_empty() {
        let n = plural(beside.len() as u64, "entry", "entries");
        let remark = "measured beside the others by --peers only";
        screen.heading(&format!("Of other libraries: {n}"), remark);
        screen.gap();
        let (here, absent) = parted(beside);
        available(&mut screen, &here, style);
        reasons(&mut screen, &absent, style);
    }
    screen.finish()
}

/// Those that are here, and those that are not.
fn parted(rows: Vec<&ListRow>) -> (Vec<&ListRow>, Vec<&ListRow>) {
    rows.into_iter().partition(|row| row.available.is_ok())
}

/// Why each is not here.
fn reasons(screen: &mut Screen<'_>, rows: &[&ListRow], style: &Style) {
    let mut table = Table::new(vec![
        Column::new("id", Align::Left).giving_way(24),
        Column::new("reason", Align::Left).giving_way(24),
    ]);
    for row in rows {
        let reason = row.available.as_ref().err();
        let reason = reason.map_or(String::new(), |r| clean(r));
        if style.width < NARROW {
            screen.indented("  ", "    ", &clean(&row.id));
            screen.indented("      ", "      ", &style.paint(Tone::Dim, &reason));
        } else {
            table.row(vec![clean(&row.id).into(), Cell::toned(Tone::Dim, reason)]);
        }
    }
    if !table.is_empty() {
        screen.table(&table);
    }
}

/// The entries that are here. Columns that hold nothing are left out. What has a call is known by
/// it; the description is shown of what has none, and with `verbose`.
fn available(screen: &mut Screen<'_>, rows: &[&ListRow], style: &Style) {
    type Field = fn(&ListRow) -> &str;
    let fields: [(&str, Field, bool); 5] = [
        ("id", |r| &r.id, true),
        ("kind", |r| &r.kind, false),
        ("language", |r| &r.language, false),
        ("call", |r| &r.call, true),
        ("about", |r| &r.about, true),
    ];
    if rows.is_empty() {
        return;
    }
    let calls = rows.iter().any(|r| !r.call.is_empty());
    let held: Vec<&(&str, Field, bool)> = fields
        .iter()
        .filter(|(name, field, _)| {
            let beside = *name == "about" && calls && !style.verbose;
            rows.iter().any(|r| !field(r).is_empty()) && !beside
        })
        .collect();
    if style.width < NARROW && calls {
        for row in rows {
            let id = style.paint(Tone::Name, &clean(&row.id));
            let of = style.paint(Tone::Dim, &clean(&format!("{} {}", row.kind, row.language)));
            screen.indented("  ", "    ", &format!("{id}  {of}"));
            screen.call("      ", &clean(&row.call));
        }
        return;
    }
    let mut table = Table::new(
        held.iter()
            .map(|(name, _, gives_way)| match gives_way {
                true => Column::new(name, Align::Left).giving_way(24),
                // A column of one short word each stays as it is.
                false => Column::new(name, Align::Left),
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
