//! What exists, and why the rest is not available.

use super::screen::Screen;
use super::style::Style;
use super::table::{Cell, Column, Table};
use crate::block::{Align, Tone};
use crate::clean::clean;
use crate::number::plural;
use crate::section::Detail;
use crate::term::Term;

/// An item that can be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// Its id.
    pub id: String,
    /// The call as a user writes it; empty if it has none.
    pub call: String,
    /// Its kind; empty if it has none.
    pub kind: String,
    /// The language of the call; empty if it has none.
    pub language: String,
    /// Whether it is available on this machine, or why not.
    pub available: Result<(), String>,
    /// What it is, in one line.
    pub about: String,
    /// What it looks at; empty unless it is a fault.
    pub looks_at: String,
    /// Whether it belongs to another library, so that only --peers measures it.
    pub is_peer: bool,
}

/// On a narrower screen, the call of an entry, or the reason why it is not available, has a line of
/// its own.
const NARROW: usize = 76;

/// Draws a list under its title.
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
    screen.heading(&safe(style, title), &style.paint(Tone::Dim, &remark));
    screen.gap();
    if rows.is_empty() {
        screen.paragraph("None.");
    }
    available(&mut screen, &here, detail, style);
    if !absent.is_empty() {
        screen.heading("Not available on this machine", "");
        screen.gap();
        reasons(&mut screen, &absent, style);
    }
    if !peers.is_empty() {
        let n = plural(peers.len() as u64, "entry", "entries");
        let remark = style.paint(Tone::Dim, "measured only with --peers");
        screen.heading(&format!("Other libraries: {n}"), &remark);
        screen.gap();
        let (here, absent) = by_availability(peers);
        available(&mut screen, &here, detail, style);
        reasons(&mut screen, &absent, style);
    }
    screen.finish()
}

/// Those that are available, and those that are not.
fn by_availability(rows: Vec<&ListRow>) -> (Vec<&ListRow>, Vec<&ListRow>) {
    rows.into_iter().partition(|row| row.available.is_ok())
}

/// Why each is not available.
fn reasons(screen: &mut Screen<'_>, rows: &[&ListRow], style: &Style) {
    if rows.is_empty() {
        return;
    }
    let mut table = Table::new(vec![
        Column::new("id", Align::Left).giving_way(24),
        Column::new("reason", Align::Left).giving_way(24),
    ]);
    for row in rows {
        let reason = row.available.as_ref().err();
        let reason = reason.map_or(String::new(), |r| safe(style, r));
        if style.width < NARROW {
            screen.indented("  ", "    ", &safe(style, &row.id));
            screen.indented("      ", "      ", &style.paint(Tone::Dim, &reason));
        } else {
            table.row(vec![safe(style, &row.id).into(), Cell::toned(Tone::Dim, reason)]);
        }
    }
    if style.width >= NARROW {
        screen.table(&table);
    }
}

/// The entries that are available. Empty columns are left out. The description is shown of entries
/// without a call, and of all if everything is asked for.
fn available(screen: &mut Screen<'_>, rows: &[&ListRow], detail: Detail, style: &Style) {
    type Field = fn(&ListRow) -> &str;
    let fields: [(&str, Field, bool); 6] = [
        ("id", |r| &r.id, true),
        ("kind", |r| &r.kind, false),
        ("language", |r| &r.language, false),
        ("call", |r| &r.call, true),
        ("about", |r| &r.about, true),
        ("looks at", |r| &r.looks_at, true),
    ];
    if rows.is_empty() {
        return;
    }
    let calls = rows.iter().any(|r| !r.call.is_empty());
    let held: Vec<&(&str, Field, bool)> = fields
        .iter()
        .filter(|(name, field, _)| {
            let told_by_call = *name == "about" && calls && detail != Detail::Everything;
            rows.iter().any(|r| !field(r).is_empty()) && !told_by_call
        })
        .collect();
    if style.width < NARROW && calls {
        for row in rows {
            let id = style.paint(Tone::Name, &safe(style, &row.id));
            let of =
                style.paint(Tone::Dim, &safe(style, &format!("{} {}", row.kind, row.language)));
            screen.indented("  ", "    ", &format!("{id}  {of}"));
            screen.call("      ", &safe(style, &row.call));
            if detail == Detail::Everything {
                let about = style.paint(Tone::Dim, &safe(style, &row.about));
                screen.indented("      ", "      ", &about);
            }
        }
        return;
    }
    let mut table = Table::new(
        held.iter()
            .map(|(name, _, gives_way)| match gives_way {
                true => Column::new(name, Align::Left).giving_way(24),
                // A column of short words keeps its width.
                false => Column::new(name, Align::Left),
            })
            .collect(),
    );
    for row in rows {
        let cell = |(name, field, _): &&(&str, Field, bool)| {
            let text = safe(style, field(row));
            match *name {
                "id" => Cell::toned(Tone::Name, text),
                "about" | "looks at" => Cell::toned(Tone::Dim, text),
                _ => text.into(),
            }
        };
        table.row(held.iter().map(cell).collect());
    }
    screen.table(&table);
}

/// Text made safe, with signs that the terminal can show.
fn safe(style: &Style, text: &str) -> String {
    style.signs(&clean(text))
}

pub(crate) static TERMS: &[&Term] = &[&KIND, &LANGUAGE, &CALL, &ABOUT, &LOOKS_AT, &REASON];

static KIND: Term = Term {
    names: &["kind"],
    place: "column of list",
    unit: "",
    about: "Of clocks: counter, monotonic, wall or cpu. Of waits: sleep, busy, or hybrid, which \
            sleeps and then spins. Of faults, how certain the tool can be: measured (it sees it \
            happen), evidence (a flag, a file or the kernel says so), or unknown.",
    how: "",
    act: "",
    references: &[],
};

static LANGUAGE: Term = Term {
    names: &["language"],
    place: "column of list",
    unit: "",
    about: "The language of the call. What is measured was compiled by a compiler of that \
            language.",
    how: "",
    act: "",
    references: &["docs/DESIGN.md"],
};

static CALL: Term = Term {
    names: &["call"],
    place: "column of list",
    unit: "",
    about: "The call as a user writes it.",
    how: "",
    act: "chronoscope advise gives code that compiles.",
    references: &[],
};

static ABOUT: Term = Term {
    names: &["about"],
    place: "column of list",
    unit: "",
    about: "What it is, in one line; for columns, where they are shown.",
    how: "",
    act: "chronoscope explain says more.",
    references: &[],
};

static LOOKS_AT: Term = Term {
    names: &["looks at"],
    place: "column of list faults",
    unit: "",
    about: "The evidence by which a fault is found or ruled out: files, flags, figures.",
    how: "",
    act: "chronoscope doctor shows what it holds on this machine.",
    references: &[],
};

static REASON: Term = Term {
    names: &["reason"],
    place: "column of list",
    unit: "",
    about: "Why a clock or a wait is not available on this machine, and what would make it so.",
    how: "The tool has just tried it.",
    act: "",
    references: &[],
};
